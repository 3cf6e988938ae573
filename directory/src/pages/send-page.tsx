import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { reportAssets } from 'probity/html';
import { pageAssets } from '../generated/page-assets.ts';
import { answerRead, type TaggedBody, taggedBody } from '../http/cached-answer.ts';
import type { Reader } from './reader.ts';

/** Allows only the styles and scripts of the directory, and forbids other sites to frame a page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${pageAssets.styleHash}'`,
  `script-src '${reportAssets.scriptHash}'`,
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  // Not "no-referrer": forms would then have the origin "null", like forged ones.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

const TYPE = 'text/html; charset=utf-8';

/** A page as it is sent. Pure. */
export function renderPage(page: VNode): TaggedBody {
  return taggedBody(textOf(page));
}

/** Sends a page that the reader may cache; shared caches may too when the page is public. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: TaggedBody,
  reader: Reader,
): FastifyReply {
  reply.headers(HEADERS);
  const cached = reader === 'everybody' ? { vary: 'Accept-Encoding' } : PRIVATE_CACHING;
  return answerRead(request, reply, page, {
    type: TYPE,
    isPublic: reader === 'everybody',
    ...cached,
  });
}

/** Revalidated each time, so that no page is shown after signing out. */
const PRIVATE_CACHING = { maxAgeSeconds: 0, vary: 'Authorization, Cookie' };

/** Sends a page that must not be cached: a refused form, a problem, or the sign-in page. */
export function sendUncachedPage(reply: FastifyReply, status: number, page: VNode): FastifyReply {
  return reply
    .code(status)
    .headers({ ...HEADERS, 'cache-control': 'no-store' })
    .type(TYPE)
    .send(textOf(page));
}

function textOf(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}
