import { sql } from 'kysely';
import type { Db } from './open-store.ts';
import { shareRuns } from './share-runs.ts';

/** What one look at the store showed. */
export interface Look {
  /** Counts the looks of this process. */
  readonly number: number;
  /** The last transaction that changed a listing, a decision or a claim. */
  readonly labels: string;
  /** The last transaction that changed or revoked a key. */
  readonly keys: string;
  /** The last transaction that changed what the gateway needs to call a target. */
  readonly targets: string;
}

/**
 * Decides whether what this process remembers is still what the store contains. A look is one short statement, and
 * everybody who waits for one shares it, so that remembered data are exact and cost nearly nothing.
 */
export interface ChangeWatch {
  /** Looks at the store at a moment after the call. */
  look(): Promise<Look>;
  /** The last look. Null: there was none yet. */
  latest(): Look | null;
  /** Whether a record of these entries may have changed after a look. */
  anyChanged(ids: readonly string[], since: number): boolean;
  /** Whether any record of the directory may have changed after a look. */
  changed(since: number): boolean;
  /** The time of the database, which all instances share, in milliseconds since 1970. */
  storeNowMs(): number;
}

/** More changes than this between two looks count as a change of everything. */
const MAX_CHANGES = 1000;
const MAX_REMEMBERED = 20_000;

export function createChangeWatch(db: Db): ChangeWatch {
  /** For each changed entry, the first look that saw its last change. */
  const changedAt = new Map<string, number>();
  /** Before this look, every entry may have changed. */
  let forgottenUntil = 0;
  let lastChange = 0;
  let snapshot: string | null = null;
  let latest: Look | null = null;
  let storeAheadMs = 0;

  const remember = (number: number, changes: readonly string[]): void => {
    if (changes.length === 0) return;
    lastChange = number;
    for (const id of changes) changedAt.set(id, number);
    if (changes.length <= MAX_CHANGES && changedAt.size <= MAX_REMEMBERED) return;
    forgottenUntil = number;
    changedAt.clear();
  };
  const look = shareRuns(async (): Promise<Look> => {
    const number = (latest?.number ?? 0) + 1;
    const startedMs = performance.now();
    const { labels, keys, targets, nowMs, changes, snapshot: current } = await readChanges(db, snapshot);
    storeAheadMs = nowMs - (startedMs + performance.now()) / 2;
    snapshot = current;
    remember(number, changes);
    latest = { number, labels, keys, targets };
    return latest;
  });
  return {
    look,
    latest: () => latest,
    anyChanged: (ids, since) => since < forgottenUntil || ids.some((id) => (changedAt.get(id) ?? 0) > since),
    changed: (since) => since < lastChange,
    storeNowMs: () => performance.now() + storeAheadMs,
  };
}

interface SeenChanges extends Omit<Look, 'number'> {
  readonly snapshot: string;
  readonly nowMs: number;
  readonly changes: readonly string[];
}

/** The state of the store, and the entries whose last change is not part of an earlier snapshot. */
async function readChanges(db: Db, since: string | null): Promise<SeenChanges> {
  const { rows } = await sql<SeenChanges>`
    select
      (select transaction_id::text from last_label_change) as labels,
      (select transaction_id::text from last_key_change) as keys,
      (select transaction_id::text from last_target_change) as targets,
      pg_current_snapshot()::text as snapshot,
      (extract(epoch from clock_timestamp()) * 1000)::double precision as "nowMs",
      ${
        since === null
          ? sql`array[]::text[]`
          : sql`array(
              select entry_id from entry_changes
              where changed_in >= pg_snapshot_xmin(${since}::pg_snapshot)
                and not pg_visible_in_snapshot(changed_in, ${since}::pg_snapshot)
              limit ${MAX_CHANGES + 1}
            )`
      } as changes`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the statement that looks for changes returned no row');
  return row;
}
