import type { FastifyInstance, FastifyReply } from 'fastify';
import { XML_DECLARATION, xmlText } from 'probity/html';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { ownAddress } from '../http/own-address.ts';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { PLAIN } from './layout.tsx';
import { Sitemaps } from './sitemaps.ts';

const MAX_AGE_SECONDS = 3600;

/** What search engines and browsers ask for: which pages there are, and how to search. Only public pages are named. */
export function crawlerRoutes(pages: FastifyInstance, service: Service): void {
  const { store, settings, front } = service;
  const sitemaps = new Sitemaps(store.db, front.watch);
  const send = (reply: FastifyReply, text: string, type: string): FastifyReply =>
    answerRead(reply, taggedBody(text), {
      type: `${type}; charset=utf-8`,
      isPublic: true,
      maxAgeSeconds: MAX_AGE_SECONDS,
      vary: 'Accept-Encoding',
    });
  const refusePrivate = (): void => {
    if (!settings.publicPages)
      throw new Problem('no-such-path', 'The pages of this directory are not public, so it has no sitemap.');
  };

  pages.get('/robots.txt', PLAIN, async (request, reply) => {
    const text = settings.publicPages
      ? `User-agent: *\nDisallow: /admin\nDisallow: /sign-in\nDisallow: /v1/\nSitemap: ${ownAddress(request, settings)}/sitemap.xml\n`
      : 'User-agent: *\nDisallow: /\n';
    return send(reply, text, 'text/plain');
  });

  pages.get('/sitemap.xml', PLAIN, async (request, reply) => {
    refusePrivate();
    return send(reply, await sitemaps.index(ownAddress(request, settings)), 'application/xml');
  });

  pages.get<{ Params: { part: string } }>(
    '/sitemap-:part(^[1-9][0-9]{0,3}$).xml',
    PLAIN,
    async (request, reply) => {
      refusePrivate();
      const part = await sitemaps.part(Number(request.params.part) - 1, ownAddress(request, settings));
      if (part === null) throw new Problem('no-such-path', 'There are fewer sitemaps.');
      return send(reply, part, 'application/xml');
    },
  );

  pages.get('/opensearch.xml', PLAIN, async (request, reply) => {
    const address = ownAddress(request, settings);
    const description = xmlText({
      '?xml': XML_DECLARATION,
      OpenSearchDescription: {
        '@_xmlns': 'http://a9.com/-/spec/opensearch/1.1/',
        ShortName: 'MCP servers',
        Description: 'Search the directory of MCP servers.',
        InputEncoding: 'UTF-8',
        Image: {
          '@_height': 16,
          '@_width': 16,
          '@_type': 'image/svg+xml',
          '#text': `${address}/icon.svg`,
        },
        Url: { '@_type': 'text/html', '@_template': `${address}/?q={searchTerms}` },
      },
    });
    return send(reply, description, 'application/opensearchdescription+xml');
  });

  // Old browsers and readers of feeds ask for this name without looking into a page.
  pages.get('/favicon.ico', PLAIN, async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`).redirect('/icon.svg', 301),
  );
}
