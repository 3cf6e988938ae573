import type { DirectoryClient } from '../../../client/directory-client.ts';
import type { DirectoryQuery } from '../../../client/options.ts';
import { EXIT, UsageError } from '../../../command-line/exit-codes.ts';
import { lookOf, print, say } from '../../../command-line/terminal.ts';
import { escapeLive } from '../../../json/visible.ts';
import type { ServerRecord } from '../../../model/saved/server-record.ts';
import type { SearchPage } from '../../../platform-api/search-result.ts';
import { renderSearch } from '../../../report/terminal/search-terminal.ts';
import { type LookupFlags, openDirectory, reportNoAnswer } from '../../options/directory-lookup.ts';

interface SearchFlags extends LookupFlags, Omit<DirectoryQuery, 'q' | 'tags'> {
  readonly tag?: readonly string[];
  readonly all?: boolean;
  readonly json?: boolean;
}

const MAX_RECORDS = 10_000;

export async function search(words: readonly string[], flags: SearchFlags): Promise<void> {
  if (flags.all === true && flags.limit !== undefined)
    throw new UsageError('--all reads every page: remove --limit.');
  const { client } = openDirectory(flags, process.env);
  const page = await pageOf(client, queryOf(words, flags), flags.all === true).catch(reportNoAnswer);
  if (page === null) return;
  await print([
    flags.json === true
      ? `${escapeLive(JSON.stringify(page, null, 2))}\n`
      : renderSearch(page.servers, page.pagination, lookOf(process.stdout)),
  ]);
}

function queryOf(words: readonly string[], flags: SearchFlags): DirectoryQuery {
  const { category, tag, transport, protocol, status, verdict, minUptime, maxResponseTime } = flags;
  const { audited, openSource, sort, limit, offset } = flags;
  const filters = { category, tags: tag, transport, protocol, status, verdict, minUptime, maxResponseTime };
  const q = words.length === 0 ? undefined : words.join(' ');
  return { q, ...filters, audited, openSource, sort, limit, offset };
}

async function pageOf(client: DirectoryClient, query: DirectoryQuery, all: boolean): Promise<SearchPage> {
  if (!all) return client.search(query);
  const servers: ServerRecord[] = [];
  const offset = query.offset ?? 0;
  const records = client.searchAll(query);
  for (;;) {
    const next = await records.next();
    if (next.done === true) {
      if (next.value === 'nothing-new') {
        say(
          'The directory announces a next page, but its last page repeats earlier servers or is empty: the list may be incomplete.',
        );
        process.exitCode = EXIT.incomplete;
      }
      break;
    }
    if (servers.length === MAX_RECORDS) {
      say(`These are the first ${MAX_RECORDS}; continue with --offset ${offset + MAX_RECORDS}.`);
      const total = offset + MAX_RECORDS + 1;
      return { servers, pagination: { total, limit: MAX_RECORDS, offset, hasNext: true } };
    }
    servers.push(next.value);
  }
  const found = servers.length;
  return { servers, pagination: { total: offset + found, limit: found, offset, hasNext: false } };
}
