import type { FastifyInstance } from 'fastify';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { requireEntry, type Service } from '../http/service.ts';
import { entryBadge } from './entry-badge.ts';
import { readerOf } from './reader.ts';

const MAX_AGE_SECONDS = 300;

/** GET /servers/{id}/badge.svg: public when the pages are, so that other sites can embed it. */
export function badgeRoute(pages: FastifyInstance, service: Service): void {
  const options = { schema: { hide: true }, config: { page: 'plain' } } as const;
  pages.get<{ Params: { serverId: string } }>(
    '/servers/:serverId/badge.svg',
    options,
    async (request, reply) => {
      const reader = await readerOf(service, request, reply);
      const entry = await requireEntry(service, request.params.serverId);
      const picture = entryBadge({
        status: entry.status,
        uptime: entry.uptime,
        figures: entry.figures_claimed ? 'claimed' : 'observed',
        listing: { decision: entry.decision },
      });
      reply.headers({
        'content-security-policy': "default-src 'none'",
        'cross-origin-resource-policy': reader === 'everybody' ? 'cross-origin' : 'same-origin',
      });
      return answerRead(request, reply, taggedBody(picture), {
        type: 'image/svg+xml; charset=utf-8',
        isPublic: reader === 'everybody',
        maxAgeSeconds: MAX_AGE_SECONDS,
        vary: reader === 'everybody' ? 'Accept-Encoding' : 'Authorization, Cookie',
      });
    },
  );
}
