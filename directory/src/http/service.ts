import type { ConnectionPool } from 'probity/service';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Entry } from '../store/entries.ts';
import { readEntry } from '../store/entries.ts';
import type { Store } from '../store/open-store.ts';
import { SERVER_ID_PATTERN } from '../store/server-id.ts';
import { Problem } from './problem.ts';

/** What the routes rest on. */
export interface Service {
  readonly store: Store;
  readonly settings: ServiceSettings;
  /** Carries what is sent to targets. */
  readonly pool: ConnectionPool;
}

/** The entry that a path names; a 404 where there is none (specification, section 7). */
export async function requireEntry({ store }: Service, serverId: string): Promise<Entry> {
  const entry = SERVER_ID_PATTERN.test(serverId) ? await readEntry(store.db, serverId) : null;
  if (entry === null)
    throw new Problem(
      'server-not-found',
      'The directory lists no server with this id. Search for it: /v1/servers/search',
    );
  return entry;
}
