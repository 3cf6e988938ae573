import type { ServerRecord } from '../model/server-record.ts';
import type { SearchPage } from '../platform-api/search-result.ts';
import { type DirectoryQuery, MAX_PAGE } from './search-parameters.ts';

/**
 * Every matching record, page after page, each only once, even if entries move meanwhile. Ends when a page contains
 * nothing new, even if the directory announces further pages, and then returns `nothing-new`.
 */
export async function* everyRecord(
  query: DirectoryQuery,
  search: (query: DirectoryQuery) => Promise<SearchPage>,
): AsyncGenerator<ServerRecord, 'complete' | 'nothing-new', undefined> {
  const seen = new Set<string>();
  let offset = query.offset ?? 0;
  for (;;) {
    const { servers, pagination } = await search({ ...query, limit: query.limit ?? MAX_PAGE, offset });
    const fresh = servers.filter(({ id }) => !seen.has(id));
    for (const record of fresh) {
      if (seen.has(record.id)) continue;
      seen.add(record.id);
      yield record;
    }
    if (!pagination.hasNext) return 'complete';
    if (fresh.length === 0) return 'nothing-new';
    offset += servers.length;
  }
}
