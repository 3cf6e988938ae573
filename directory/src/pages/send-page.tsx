import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { reportAssets } from 'probity/html';
import { pageAssets } from '../generated/page-assets.ts';
import { answerRead } from '../http/cached-answer.ts';
import type { Reader } from './reader.ts';

/** No other style or script than ours is obeyed, whatever stands in the text, and nobody shows a page within theirs. */
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
  // Not "no-referrer": a form would be sent with the origin "null" then, and could not be told from a forged one.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

const TYPE = 'text/html; charset=utf-8';

/** Sends what was asked for, to be kept by the reader; by others too where everybody may read it. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: VNode,
  reader: Reader,
): FastifyReply {
  reply.headers(HEADERS);
  const cached = reader === 'everybody' ? { vary: 'Accept-Encoding' } : KEPT_BY_READER;
  return answerRead(request, reply, textOf(page), {
    type: TYPE,
    isPublic: reader === 'everybody',
    ...cached,
  });
}

/** What was read is not shown again after signing out. */
const KEPT_BY_READER = { maxAgeSeconds: 0, vary: 'Authorization, Cookie' };

/** Sends what only this request is answered with: forms that were refused, problems, signing in. */
export function sendPassingPage(reply: FastifyReply, status: number, page: VNode): FastifyReply {
  return reply
    .code(status)
    .headers({ ...HEADERS, 'cache-control': 'no-store' })
    .type(TYPE)
    .send(textOf(page));
}

function textOf(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}
