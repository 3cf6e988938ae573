// The folder `http` is what the API and the pages share: keys and limits, problems, caching, and what a service consists of.

import type { CheckPool, ConnectionPool } from 'probity/service';
import type { Front } from '../accounts/front.ts';
import type { Store } from '../db/open-store.ts';
import { type Entry, readEntry } from '../entries/entries.ts';
import { SERVER_ID_PATTERN } from '../entries/entry-record.ts';
import { isWithdrawn } from '../entries/operator-decisions.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import type { Bridges } from '../targets/bridges.ts';
import type { TargetLimiter } from '../targets/target-limiter.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import { Problem } from './problem.ts';

/** The shared parts that the routes use. */
export interface Service {
  readonly store: Store;
  /** The callers, and what is remembered of the store. */
  readonly front: Front;
  readonly settings: ServiceSettings;
  /** The connections to targets. */
  readonly pool: ConnectionPool;
  readonly bridges: Bridges;
  readonly limiter: TargetLimiter;
  /** The threads in which targets are checked. */
  readonly checks: CheckPool;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** Aborts when the service is stopping and its work has taken too long to end. */
  readonly ending: AbortSignal;
}

/** The database, or a snapshot of it. */
interface WithEntries {
  readonly store: Pick<Store, 'db'>;
}

/**
 * The entry with the id in a path, for everybody; throws a 404 when there is none (specification, section 7), and a 410
 * with the public reason when the operator rejected it.
 */
export async function requireEntry(service: WithEntries, serverId: string): Promise<Entry> {
  const entry = await requireKnownEntry(service, serverId);
  if (await isWithdrawn(service.store.db, entry)) throw withdrawn(entry);
  return entry;
}

/** The same for operators, whatever they decided. */
export async function requireKnownEntry({ store }: WithEntries, serverId: string): Promise<Entry> {
  const entry = SERVER_ID_PATTERN.test(serverId) ? await readEntry(store.db, serverId) : null;
  if (entry === null) throw serverNotFound();
  return entry;
}

function withdrawn({ public_reason: reason }: Entry): Problem {
  return new Problem('server-withdrawn', reason ?? 'The operator of this directory gave no public reason.', {
    headers: { 'x-robots-tag': 'noindex' },
    more: { reason },
  });
}

export function serverNotFound(): Problem {
  return new Problem('server-not-found', 'No server with this id. Find ids with GET /v1/servers/search.');
}

/** The parameters of a path that names a server. */
export const serverPath = {
  type: 'object',
  required: ['serverId'],
  properties: { serverId: { type: 'string', description: 'The id of a server record.' } },
} as const;
export interface ServerPath {
  readonly serverId: string;
}
