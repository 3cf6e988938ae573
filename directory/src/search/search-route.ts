import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorise } from '../http/authorise.ts';
import { answerRead } from '../http/cached-answer.ts';
import { Problem } from '../http/problem.ts';
import { problemAnswers } from '../http/problem-schemas.ts';
import type { Service } from '../http/service.ts';
import type { Search } from '../store/search.ts';
import { type GivenParameters, parseSearch, type SearchQuery } from '../store/search-query.ts';
import { searchParameters } from './search-schemas.ts';

/** GET /servers/search (specification, section 4.1). */
export function searchRoute(app: FastifyInstance, { store, settings }: Service, search: Search): void {
  app.get(
    '/servers/search',
    {
      schema: {
        operationId: 'searchServers',
        summary: 'Search the directory, page by page, in the order of names.',
        querystring: searchParameters,
        response: {
          200: { description: 'A page of the servers that fit.', $ref: 'SearchResult#' },
          304: { description: 'What the client has is still right.', type: 'null' },
          ...problemAnswers(400),
        },
      },
      // Every parameter is understood, and refused by name, in one place: `parseSearch`.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      await authorise(store.db, request, reply, 'read', settings.limits.read);
      const query = queryOf(request);
      const { servers, total } = await search(query);
      const { limit, offset } = query;
      reply.header('link', linksOf(request, query, total));
      const pagination = { total, limit, offset, hasNext: offset + servers.length < total };
      return answerRead(request, reply, JSON.stringify({ servers, pagination }), {
        type: 'application/json',
        isPublic: false,
      });
    },
  );
}

export function parametersOf(url: string): GivenParameters {
  const given = new Map<string, string[]>();
  const start = url.indexOf('?');
  for (const [name, value] of new URLSearchParams(start === -1 ? '' : url.slice(start + 1)))
    given.set(name, [...(given.get(name) ?? []), value]);
  return given;
}

function queryOf(request: FastifyRequest): SearchQuery {
  const parsed = parseSearch(parametersOf(request.url));
  if (parsed.kind === 'search') return parsed.query;
  const { problems } = parsed;
  throw new Problem(
    'bad-parameter',
    problems.map(({ parameter, detail }) => `${parameter} ${detail}`).join('; '),
    {
      more: { parameters: problems },
    },
  );
}

/** RFC 8288: the pages around this one, as relative references. */
function linksOf({ url }: FastifyRequest, { limit, offset }: SearchQuery, total: number): string {
  const [path = '', search = ''] = url.split('?', 2);
  const link = (relation: string, to: number): string => {
    const parameters = new URLSearchParams(search);
    parameters.set('limit', String(limit));
    parameters.set('offset', String(to));
    return `<${path}?${parameters}>; rel="${relation}"`;
  };
  const last = Math.max(0, Math.ceil(total / limit) - 1) * limit;
  return [
    link('first', 0),
    ...(offset > 0 ? [link('prev', Math.max(0, Math.min(offset - limit, last)))] : []),
    ...(offset + limit < total ? [link('next', offset + limit)] : []),
    link('last', last),
  ].join(', ');
}
