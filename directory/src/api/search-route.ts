import type { FastifyInstance, FastifyReply } from 'fastify';
import { pagination, searchResult } from 'probity/model';
import type { ChangeWatch } from '../db/change-watch.ts';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { badParameters, type Problem, problemAnswers } from '../http/problem.ts';
import type { Search } from '../search/search.ts';
import {
  type GivenParameters,
  MAX_LIMIT,
  parseSearch,
  type SearchQuery,
  searchParameters,
} from '../search/search-query.ts';
import { basisOf, type SharedAnswer, shareAnswers } from '../search/shared-answers.ts';

interface SearchAnswer extends SharedAnswer {
  readonly links: string;
}

/** GET /servers/search (specification, section 4.1). */
export function searchRoute(app: FastifyInstance, search: Search, watch: ChangeWatch): void {
  const shared = shareAnswers<SearchAnswer>(watch);
  const read = async (url: string, query: SearchQuery, reply: FastifyReply): Promise<SearchAnswer> => {
    const found = await search.find(query);
    const { servers, total, facets } = found;
    const { limit, offset } = query;
    const pagination = { total, limit, offset, hasNext: offset + servers.length < total };
    return {
      ...taggedBody(
        reply.serialize({ servers, pagination, ...(facets === null ? {} : { facets }) }) as string,
      ),
      links: linksOf(url, query, total),
      basis: basisOf(query, found),
    };
  };
  app.get<{ Querystring: SearchQuery }>(
    '/servers/search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchServers',
        summary: 'Search the directory. Results are ordered by name and split into pages.',
        querystring: searchParameters,
        response: {
          200: { description: 'A page of the matching servers.', $ref: 'SearchResult#' },
          304: { description: 'The answer that the client has is still valid.', type: 'null' },
          ...problemAnswers(400),
        },
      },
      // The schema is not used to validate: `parseSearch` names every invalid parameter and accepts `tags[]`.
      validatorCompiler: () => readQuery,
    },
    async (request, reply) => {
      const { url, query } = request;
      const answer = await shared(url, () => read(url, query, reply));
      reply.header('link', answer.links);
      return answerRead(reply, answer, { type: 'application/json', isPublic: false });
    },
  );
}

/** The query for the handler, or the problem with it. */
function readQuery(given: GivenParameters): { readonly value: SearchQuery } | { readonly error: Problem } {
  const parsed = parseSearch(given);
  return parsed.kind === 'search' ? { value: parsed.query } : { error: badParameters(parsed.problems) };
}

/** Links to the first, previous, next and last page, as relative references (RFC 8288). */
function linksOf(url: string, { limit, offset }: SearchQuery, total: number): string {
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

/** The schema of a search result, with the bounds of this directory for `limit`. */
export const boundedSearchResult = {
  ...searchResult,
  properties: {
    ...searchResult.properties,
    pagination: {
      ...pagination,
      properties: {
        ...pagination.properties,
        limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
      },
    },
  },
} as const;
