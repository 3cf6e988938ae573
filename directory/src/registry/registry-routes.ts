// The folder `registry` serves the API of the MCP registry (`registry-routes.ts`), so that its clients can use this
// directory, and follows other registries (`follow.ts`). Their answers are not trusted: `read-page.ts` says what is accepted.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorise } from '../http/authorise.ts';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { ownAddress } from '../http/own-address.ts';
import { answerProblem, Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { type SharedAnswer, shareAnswers } from '../search/shared-answers.ts';
import { type ReadServers, type Registry, readList, readVersions, type ServerRow } from './read-servers.ts';
import { registryDocument } from './registry-open-api.ts';
import { cursorOf, type ListQuery, type Parameters, readListQuery, wantsDeleted } from './registry-query.ts';
import { answerOf } from './server-answer.ts';

interface NamePath {
  readonly serverName: string;
}
interface VersionPath extends NamePath {
  readonly version: string;
}

const HIDDEN = { schema: { hide: true } } as const;
/** In every answer, as the clients of Copilot require. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match',
  'access-control-expose-headers': 'ETag, Retry-After',
};
const PREFLIGHT_SECONDS = 86_400;

/**
 * The registry API, version 0.1. Its clients send no key, so it is public when the pages are; otherwise it requires one,
 * like all reads.
 */
export function registryRoutes(app: FastifyInstance, service: Service, registry: Registry): void {
  const { settings, front } = service;
  const { namespace } = registry;
  const shared = shareAnswers(front.watch);
  // After a failure, the next search tries again.
  app.addHook('onListen', async () => {
    registry.names.fill().catch(() => undefined);
  });
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => Promise<{ readonly found: ReadServers; readonly bodyOf: (answers: Answers) => string }>,
  ): Promise<FastifyReply> => {
    if (settings.publicPages) await front.watch.look();
    else await authorise(service, reply, 'read');
    const address = ownAddress(request, settings);
    const sent = await shared(`${address} ${request.url}`, async (): Promise<SharedAnswer> => {
      const { found, bodyOf } = await read();
      const answers: Answers = (row) => answerOf(row, { namespace, address });
      const ids = found.rows.flatMap(({ entryId }) => entryId ?? []);
      return {
        ...taggedBody(bodyOf(answers)),
        basis: { ids, dependsOnFigures: false, labels: found.lastChange },
      };
    });
    return answerRead(reply, sent, { type: 'application/json', isPublic: settings.publicPages });
  };
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(CORS);
  });
  // The member `error` is what the specification of this API names; the others are those of the official registry.
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Problem)) throw error;
    const { code, message, headers, more } = error;
    return answerProblem(reply, new Problem(code, message, { headers, more: { ...more, error: message } }));
  });
  app.get<{ Querystring: Parameters }>('/servers', HIDDEN, async (request, reply) => {
    const query = readListQuery(request.query);
    return answer(request, reply, async () => {
      const found = await readList(registry, query);
      return { found, bodyOf: (answers) => listBody(query, found.rows, answers) };
    });
  });
  app.get<{ Params: NamePath; Querystring: Parameters }>(
    '/servers/:serverName/versions',
    HIDDEN,
    async (request, reply) => {
      const { params, query } = request;
      return answer(request, reply, async () => {
        const found = await versionsOf(params.serverName, null, wantsDeleted(query));
        const count = found.rows.length;
        return {
          found,
          bodyOf: (answers) =>
            `{"servers":[${found.rows.map(answers).join(',')}],"metadata":{"count":${count}}}`,
        };
      });
    },
  );
  app.get<{ Params: VersionPath; Querystring: Parameters }>(
    '/servers/:serverName/versions/:version',
    HIDDEN,
    async (request, reply) => {
      const { params, query } = request;
      return answer(request, reply, async () => {
        const found = await versionsOf(params.serverName, params.version, wantsDeleted(query));
        const [row] = found.rows;
        return { found, bodyOf: (answers) => (row === undefined ? '' : answers(row)) };
      });
    },
  );
  app.get('/openapi.json', HIDDEN, async (request, reply) => {
    const body = taggedBody(JSON.stringify(registryDocument(ownAddress(request, settings))));
    return answerRead(reply, body, { type: 'application/json', isPublic: true });
  });
  for (const path of [
    '/servers',
    '/servers/:serverName/versions',
    '/servers/:serverName/versions/:version',
    '/openapi.json',
  ])
    app.options(path, HIDDEN, async (_request, reply) =>
      reply.code(204).header('access-control-max-age', PREFLIGHT_SECONDS).send(),
    );

  async function versionsOf(
    name: string,
    version: string | null,
    includesDeleted: boolean,
  ): Promise<ReadServers> {
    const found = await readVersions(registry, name, version, includesDeleted);
    if (found.rows.length === 0)
      throw new Problem(
        'server-not-found',
        version === null
          ? 'No server with this name. Find names with GET /v0.1/servers.'
          : 'No server with this name and version. Find names with GET /v0.1/servers.',
      );
    return found;
  }
}

type Answers = (row: ServerRow) => string;

function listBody({ limit, updatedSince }: ListQuery, rows: readonly ServerRow[], answers: Answers): string {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const next = hasMore
    ? cursorOf({ ...last, updatedAt: updatedSince === null ? null : last.updatedAt })
    : null;
  const metadata = { ...(next === null ? {} : { nextCursor: next }), count: page.length };
  return `{"servers":[${page.map(answers).join(',')}],"metadata":${JSON.stringify(metadata)}}`;
}
