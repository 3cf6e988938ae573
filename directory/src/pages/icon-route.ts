import type { FastifyInstance } from 'fastify';

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b57a4"/><path d="M4 8.5l2.8 2.8L12 5.5" fill="none" stroke="#fff" stroke-width="2"/></svg>';

/** The icon of the pages; public, because browsers request it without a session. */
export function iconRoute(pages: FastifyInstance): void {
  const options = { schema: { hide: true }, config: { page: 'plain' } } as const;
  pages.get('/icon.svg', options, async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=86400', 'content-security-policy': "default-src 'none'" })
      .type('image/svg+xml; charset=utf-8')
      .send(ICON),
  );
}
