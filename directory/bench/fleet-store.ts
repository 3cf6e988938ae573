import { sql } from 'kysely';
import { openStore } from '../src/db/open-store.ts';
import type { Db } from '../src/db/tables.ts';
import { tidyStore } from '../src/db/tidy.ts';
import { removeEntries } from '../src/entries/entries.ts';
import { decideAsOperator } from '../src/entries/operator-decisions.ts';
import { putEntries } from '../src/entries/put-entries.ts';
import type { NewEntry } from '../src/entries/put-row.ts';

export { startCluster } from '../test/db/cluster.ts';

export interface FleetStore {
  readonly databaseUrl: string | null;
  readonly dataFolder: string;
}

const BATCH = 500;

async function inStore<Value>(store: FleetStore, work: (db: Db) => Promise<Value>): Promise<Value> {
  const opened = await openStore({ ...store, share: true });
  try {
    return await work(opened.db);
  } finally {
    await opened.close();
  }
}

/** Adds the entries; those of the kind `paused` are put on hold by the operator. Resolves with the time. */
export function fill(
  store: FleetStore,
  targets: readonly { readonly id: string; readonly endpoint: string }[],
): Promise<number> {
  return inStore(store, async (db) => {
    const begunMs = performance.now();
    for (let at = 0; at < targets.length; at += BATCH)
      await putEntries(db, targets.slice(at, at + BATCH).map(entryOf), new Date());
    const tookMs = performance.now() - begunMs;
    for (const { id } of targets)
      if (id.startsWith('paused-'))
        await decideAsOperator(db, id, {
          action: 'hold',
          reason: 'for the measurement',
          operator: 'bench',
        });
    await tidyStore(db);
    return tookMs;
  });
}

function entryOf({ id, endpoint }: { readonly id: string; readonly endpoint: string }): NewEntry {
  const kind = id.split('-')[0] ?? '';
  return {
    listing: {
      id,
      name: `A server of the kind ${kind}`,
      description: 'Answers the requests of the directory as its kind says.',
      category: 'Fleet',
      tags: [kind],
      transport: ['http'],
      audited: false,
      openSource: true,
      endpoint,
      uptime: 99,
      responseTime: 100,
    },
    first: { decision: 'list', decidedBy: 'checks', rows: [] },
  };
}

export function remove(store: FleetStore, ids: readonly string[]): Promise<unknown> {
  return inStore(store, (db) => removeEntries(db, ids));
}

export interface AuditRows {
  readonly state: string;
  readonly reason: string | null;
  readonly entries: number;
  readonly tookMs: number;
  /** How many entries of a kind had an outcome with its cause, verdict and failed requirements. */
  readonly matrix: readonly { readonly kind: string; readonly seen: string; readonly count: number }[];
  /** Entries in the state `down`, by kind. */
  readonly down: Readonly<Record<string, number>>;
}

export function auditOf(store: FleetStore, id: string): Promise<AuditRows> {
  return inStore(store, async (db) => {
    const { rows: audits } = await sql<Omit<AuditRows, 'matrix' | 'down'>>`
      select state, reason, entries, extract(epoch from ended_at - started_at)::double precision * 1000 as "tookMs"
      from audits where id = ${id}`.execute(db);
    const { rows: matrix } = await sql<AuditRows['matrix'][number]>`
      select split_part(entry_id, '-', 1) as kind,
        concat_ws(' ', coalesce(outcome, 'waiting'), cause, verdict, nullif(array_to_string(failed, ' '), '')) as seen,
        count(*)::integer as count
      from audit_outcomes where audit_id = ${id} group by 1, 2 order by 1, 2`.execute(db);
    const { rows: down } = await sql<{ kind: string; count: number }>`
      select split_part(id, '-', 1) as kind, count(*)::integer as count from entries
      where status = 'down' group by 1`.execute(db);
    const [audit] = audits;
    if (audit === undefined) throw new Error(`there is no audit ${id}`);
    return { ...audit, matrix, down: Object.fromEntries(down.map(({ kind, count }) => [kind, count])) };
  });
}
