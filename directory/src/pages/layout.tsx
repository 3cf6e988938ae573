import type { FastifyReply } from 'fastify';
import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { reportAssets } from 'probity/html';
import { pageAssets } from '../generated/page-assets.ts';
import { answerRead, type TaggedBody, taggedBody } from '../http/cached-answer.ts';
import { DEFAULT_POLICY } from '../settings/policy.ts';
import { Address } from './figures.tsx';
import type { KnownOperator, Operator } from './known-operator.ts';
import type { Reader } from './reader.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly operator: KnownOperator;
  }
}

/** Of every page, so that no page has to pass it on. */
const OperatorContext = createContext<Operator>(DEFAULT_POLICY.operator);

/** The frame of every page: header, navigation and scripts. */
export function Layout({
  title,
  signedIn = false,
  description,
  canonical,
  feed,
  children,
}: Readonly<{
  title: string;
  signedIn?: boolean;
  /** For search engines. */
  description?: string;
  /** The one address of what the page shows. */
  canonical?: string;
  /** The address of a feed that has the news of the page. */
  feed?: string;
  children: ComponentChildren;
}>): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Directory of MCP servers`}</title>
        {description === undefined ? null : <meta name="description" content={description} />}
        {canonical === undefined ? null : <link rel="canonical" href={canonical} />}
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link
          rel="search"
          href="/opensearch.xml"
          type="application/opensearchdescription+xml"
          title="Directory of MCP servers"
        />
        {feed === undefined ? null : (
          <link rel="alternate" href={feed} type="application/atom+xml" title={`${title}: news`} />
        )}
        <style dangerouslySetInnerHTML={{ __html: pageAssets.style }} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="home" href="/">
            Directory of MCP servers
          </a>
          <nav aria-label="Directory">
            <ul>
              <li>
                <a href="/">Search</a>
              </li>
              <li>
                <a href="/registry">Registry</a>
              </li>
              <li>
                <a href="/v1/openapi.json">API</a>
              </li>
              {signedIn ? (
                <li>
                  <form method="post" action="/sign-out">
                    <button type="submit">Sign out</button>
                  </form>
                </li>
              ) : null}
            </ul>
          </nav>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <Foot />
        <p class="status" role="status" aria-live="polite" />
        <script dangerouslySetInnerHTML={{ __html: reportAssets.script }} />
      </body>
    </html>
  );
}

/** Who runs the directory, how to reach them, and their rules; nothing while the policy does not say. */
function Foot(): VNode | null {
  const { name, contact, rules } = useContext(OperatorContext);
  if (name === null && contact === null && rules === null) return null;
  return (
    <footer class="foot">
      {name === null ? null : (
        <p>
          Operated by <bdi>{name}</bdi>
        </p>
      )}
      {contact === null ? null : (
        <p>
          Contact:{' '}
          {contact.includes('@') && !contact.includes(':') ? (
            <a href={`mailto:${contact}`}>{contact}</a>
          ) : (
            <Address text={contact} isTrusted />
          )}
        </p>
      )}
      {rules === null ? null : (
        <p>
          Rules: <Address text={rules} isTrusted />
        </p>
      )}
    </footer>
  );
}

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

/** Of routes that answer with a page, also for a problem. */
export const PLAIN = { schema: { hide: true }, config: { page: 'plain' } } as const;
/** The same, of pages that lead to signing in. */
export const AFTER_SIGN_IN = { schema: { hide: true }, config: { page: 'sign-in' } } as const;

const TYPE = 'text/html; charset=utf-8';

/** A page as it is sent. */
export function renderPage(reply: FastifyReply, page: VNode): TaggedBody {
  return taggedBody(textOf(page, reply.server.operator.known));
}

/** Sends a page that the reader may cache; shared caches may too when the page is public. */
export function sendPage(reply: FastifyReply, page: TaggedBody, reader: Reader): FastifyReply {
  const cached = reader === 'everybody' ? { vary: 'Accept-Encoding' } : PRIVATE_CACHING;
  const isPublic = reader === 'everybody';
  return answerRead(reply.headers(HEADERS), page, { type: TYPE, isPublic, ...cached });
}

/** Revalidated each time, so that no page is shown after signing out. */
const PRIVATE_CACHING = { maxAgeSeconds: 0, vary: 'Authorization, Cookie' };

/** Sends a page that must not be cached: a refused form, a problem, or the sign-in page. */
export function sendUncachedPage(reply: FastifyReply, status: number, page: VNode): FastifyReply {
  return reply
    .code(status)
    .headers({ ...HEADERS, 'cache-control': 'no-store' })
    .type(TYPE)
    .send(textOf(page, reply.server.operator.known));
}

function textOf(page: VNode, operator: Operator): string {
  const whole = <OperatorContext.Provider value={operator}>{page}</OperatorContext.Provider>;
  return `<!doctype html>\n${renderToString(whole)}\n`;
}
