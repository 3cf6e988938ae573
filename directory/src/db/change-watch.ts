import { CompiledQuery } from 'kysely';
import { shareRuns } from './share-runs.ts';
import type { Db } from './tables.ts';
import { ONLY_READS, type Written } from './written.ts';

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

/** More changes than this between two looks count as a change of everything. */
const MAX_CHANGES = 1000;
const MAX_REMEMBERED = 20_000;

/**
 * Decides whether what this process remembers is still what the store contains. A look is one short statement, and
 * everybody who waits for one shares it, so that remembered data are exact and cost nearly nothing. If the database is in
 * this process, no look is needed while nobody writes.
 */
export class ChangeWatch {
  readonly #db: Db;
  readonly #written: Written | null;
  /** The count of `#written` before the last look. */
  #writtenBefore: number | null = null;
  /** For each changed entry, the first look that saw its last change. */
  readonly #changedAt = new Map<string, number>();
  /** Before this look, every entry may have changed. */
  #forgottenUntil = 0;
  #lastChange = 0;
  #snapshot: string | null = null;
  #latest: Look | null = null;
  #storeAheadMs = 0;

  constructor(db: Db, written: Written | null = null) {
    this.#db = db;
    this.#written = written;
  }

  /** The last look. Null: there was none yet. */
  get latest(): Look | null {
    return this.#latest;
  }

  /** What the store shows at a moment after the call. */
  async look(): Promise<Look> {
    const isUnchanged = this.#written !== null && this.#written.count === this.#writtenBefore;
    return isUnchanged && this.#latest !== null ? this.#latest : this.#read();
  }

  readonly #read = shareRuns(async (): Promise<Look> => {
    const writtenBefore = this.#written?.count ?? null;
    const number = (this.#latest?.number ?? 0) + 1;
    const startedMs = performance.now();
    const { nowMs, changes, snapshot, ...seen } = await readChanges(this.#db, this.#snapshot);
    this.#storeAheadMs = nowMs - (startedMs + performance.now()) / 2;
    this.#snapshot = snapshot;
    this.#remember(number, changes);
    this.#latest = { number, ...seen };
    this.#writtenBefore = writtenBefore;
    return this.#latest;
  });

  /** Whether a record of these entries may have changed after a look. */
  anyChanged(ids: readonly string[], since: number): boolean {
    return since < this.#forgottenUntil || ids.some((id) => (this.#changedAt.get(id) ?? 0) > since);
  }

  /** Whether any record of the directory may have changed after a look. */
  changed(since: number): boolean {
    return since < this.#lastChange;
  }

  /** The time of the database, which all instances share, in milliseconds since 1970. */
  storeNowMs(): number {
    return performance.now() + this.#storeAheadMs;
  }

  #remember(number: number, changes: readonly string[]): void {
    if (changes.length === 0) return;
    this.#lastChange = number;
    for (const id of changes) this.#changedAt.set(id, number);
    if (changes.length <= MAX_CHANGES && this.#changedAt.size <= MAX_REMEMBERED) return;
    this.#forgottenUntil = number;
    this.#changedAt.clear();
  }
}

interface SeenChanges extends Omit<Look, 'number'> {
  readonly snapshot: string;
  readonly nowMs: number;
  readonly changes: readonly string[];
}

/** The state of the store, and the entries whose last change is not part of an earlier snapshot. */
async function readChanges(db: Db, since: string | null): Promise<SeenChanges> {
  const { rows } = await db.executeQuery<SeenChanges>(
    since === null ? CompiledQuery.raw(lookFor(''), []) : CompiledQuery.raw(LOOK, [since]),
  );
  const [seen] = rows;
  if (seen === undefined) throw new Error('a statement that always returns a row returned none');
  return seen;
}

function lookFor(changes: string): string {
  return `${ONLY_READS}
    select
      (select transaction_id::text from last_label_change) as labels,
      (select transaction_id::text from last_key_change) as keys,
      (select transaction_id::text from last_target_change) as targets,
      pg_current_snapshot()::text as snapshot,
      (extract(epoch from clock_timestamp()) * 1000)::double precision as "nowMs",
      array(${changes || 'select null::text where false'}) as changes`;
}

/** Written once, because nearly every request waits for it. */
const LOOK = lookFor(`
  select entry_id from entry_changes
  where changed_in >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(changed_in, $1::pg_snapshot)
  limit ${MAX_CHANGES + 1}`);
