import type { FastifyInstance } from 'fastify';
import type { Service } from '../http/service.ts';
import { basisOf, createSharedAnswers } from '../http/shared-answers.ts';
import type { Search } from '../store/search.ts';
import { type GivenParameters, parseSearch } from '../store/search-query.ts';
import { readerOf } from './reader.ts';
import { givenSearch } from './search-address.ts';
import { SearchPage } from './search-page.tsx';
import { renderPage, sendPage, sendUncachedPage } from './send-page.tsx';

/** GET /: a search, its filters and its results. */
export function searchPageRoute(pages: FastifyInstance, service: Service, search: Search): void {
  const { watch } = service.front;
  const shared = createSharedAnswers(watch);
  const options = { schema: { hide: true }, config: { page: 'sign-in' } } as const;
  pages.get<{ Querystring: GivenParameters }>('/', options, async (request, reply) => {
    const reader = await readerOf(service, request, reply);
    const given = request.query;
    const parsed = parseSearch(given);
    const common = { search: givenSearch(given), signedIn: reader === 'session' };
    if (parsed.kind === 'bad')
      return sendUncachedPage(reply, 400, <SearchPage {...common} outcome={parsed} />);
    const { query } = parsed;
    await watch.look();
    const page = await shared(`${common.signedIn} ${request.url}`, async () => {
      const found = await search(query);
      const rendered = renderPage(<SearchPage {...common} outcome={{ kind: 'found', query, found }} />);
      return { ...rendered, basis: basisOf(query, found) };
    });
    return sendPage(request, reply, page, reader);
  });
}
