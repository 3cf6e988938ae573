import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { allRows, oneRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { Jobs, NewJob } from './start-jobs.ts';

export type DueColumn = 'next_probe_at' | 'next_test_at';

/** A queue of jobs about entries, each of which says when it is due. */
export interface DueQueue<Name extends 'probe' | 'test' = 'probe' | 'test'> {
  readonly queue: Name;
  readonly column: DueColumn;
  /** The usual time between two jobs of an entry, and the column with what its author asks for. */
  readonly everyMs: number;
  readonly everyColumn: 'probe_every_ms' | 'test_every_ms';
  /** The time of the next job of an entry, unless this one sets another; null: the usual one. */
  readonly againMs: number | null;
  /** A share of it, so that entries that were added together do not stay together. */
  readonly jitter: number;
  /** How many jobs may wait. More are due in their entries, where they cost nothing. */
  readonly maxWaiting: number;
  readonly jobOf: (entryId: string) => NewJob<Name>;
}

/** A job ends after this time, so that another process can take over from a dead one soon. */
const JOB_MS = 5000;
/** Other processes may add entries, or workers may empty the queue. */
const MAX_PAUSE_MS = 1000;
const MIN_PAUSE_MS = 50;
const BATCH = 500;

/** Moves entries that are due into their queues, in batches, for the time of one job. */
export async function scheduleDue(
  db: Db,
  jobs: Jobs,
  queues: readonly DueQueue[],
  signal: AbortSignal,
): Promise<void> {
  for (const queue of queues) await takeBackTimes(db, queue);
  const endsAtMs = performance.now() + JOB_MS;
  while (!signal.aborted && performance.now() < endsAtMs) {
    const pausesMs = await Promise.all(queues.map((queue) => moveDue(db, jobs, queue)));
    const pauseMs = Math.max(MIN_PAUSE_MS, Math.min(...pausesMs));
    await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Moves a batch, and returns how long the queue needs no other. */
async function moveDue(db: Db, jobs: Jobs, due: DueQueue): Promise<number> {
  const { queue, column, maxWaiting, jobOf } = due;
  const pauseMs = await untilDue(db, column, MAX_PAUSE_MS);
  if (pauseMs > 0) return pauseMs;
  return db.transaction().execute(async (transaction) => {
    const room = Math.min(BATCH, maxWaiting - (await waitingIn(transaction, queue)));
    if (room <= 0) return MAX_PAUSE_MS / 4;
    const ids = await takeDue(transaction, due, room);
    if (ids.length === 0) return 0;
    await jobs.insert(transaction, queue, ids.map(jobOf));
    await jobs.wake(transaction, queue);
    return 0;
  });
}

async function waitingIn(db: Db, queue: string): Promise<number> {
  const { waiting } = await oneRow<{ waiting: number }>(db)`
    select count(*)::integer as waiting from pgboss.job where name = ${queue} and state < 'active'`;
  return waiting;
}

/**
 * Sets the next time of due entries, and returns the ids of those that have a job: the oldest first. An entry that is
 * paused, or that refuses tests, has none. Uses the clock of the database.
 */
async function takeDue(db: Db, queue: DueQueue, max: number): Promise<readonly string[]> {
  const { column, everyMs, everyColumn, againMs, jitter } = queue;
  const due = sql.ref(column);
  const usual = sql`coalesce(${sql.ref(`details.${everyColumn}`)}, ${everyMs}::double precision)`;
  const again = againMs === null ? usual : sql`least(${againMs}::double precision, ${usual})`;
  const takes = queue.queue === 'test' ? sql`details.accepts_tests` : sql`true`;
  const rows = await allRows<{ entry_id: string; has_job: boolean }>(db)`
    with due as materialized (
      select entry_id from entry_details where ${due} <= now()
      order by ${due} limit ${max} for no key update skip locked
    )
    update entry_details as details set ${due} = now() + ${again}
      * (1 + ${jitter}::double precision * (2 * random() - 1)) * interval '1 millisecond'
    from due join entries on entries.id = due.entry_id where details.entry_id = due.entry_id
    returning details.entry_id, ${takes} and not entries.is_paused as has_job`;
  return rows.filter(({ has_job }) => has_job).map(({ entry_id }) => entry_id);
}

/** A host may ask for an hour, and the entries of a crowded one are spread over some minutes. */
const MAX_POSTPONED_MS = 70 * 60_000;

/**
 * Makes entries due whose next time lies further ahead than it ever would: the clock was ahead when it was set. Otherwise
 * nobody would look at them until then.
 */
async function takeBackTimes(db: Db, { column, everyMs, everyColumn, jitter }: DueQueue): Promise<void> {
  const due = sql.ref(column);
  const ahead = (ms: RawBuilder<unknown>) =>
    sql`now() + (${ms} * ${1 + jitter}::double precision + ${MAX_POSTPONED_MS}) * interval '1 millisecond'`;
  await run(db)`
    update entry_details set ${due} = now()
    where ${due} > ${ahead(sql`${everyMs}::double precision`)}
      and ${due} > ${ahead(sql`coalesce(${sql.ref(everyColumn)}, ${everyMs}::double precision)`)}`;
}

/** Makes an entry due again after `afterMs` and a random part of `spreadMs`, so that entries of one host do not stay together. */
export async function postponeDue(
  db: Db,
  entryId: string,
  column: DueColumn,
  { afterMs, spreadMs }: { readonly afterMs: number; readonly spreadMs: number },
): Promise<void> {
  await run(db)`
    update entry_details set ${sql.ref(column)} = now()
      + (${afterMs}::double precision + random() * ${spreadMs}::double precision) * interval '1 millisecond'
    where entry_id = ${entryId}`;
}

/** Milliseconds until the next entry is due, up to `maxMs`; 0 when one is due now. */
async function untilDue(db: Db, column: DueColumn, maxMs: number): Promise<number> {
  const { ms } = await oneRow<{ ms: number | null }>(db)`
    select (extract(epoch from min(${sql.ref(column)}) - now()) * 1000)::double precision as ms
    from entry_details`;
  return Math.min(maxMs, Math.max(0, Math.ceil(ms ?? maxMs)));
}
