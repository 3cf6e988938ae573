import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../db/open-store.ts';
import { type DueColumn, takeDue, untilDue } from './due.ts';
import type { Jobs, NewJob } from './start-jobs.ts';

/** A queue of jobs about entries, each of which says when it is due. */
export interface DueQueue<Name extends 'probe' | 'test' = 'probe' | 'test'> {
  readonly queue: Name;
  readonly column: DueColumn;
  /** The time of the next job of an entry, unless this one sets another. */
  readonly againMs: number;
  /** A share of `againMs`, so that entries that were added together do not stay together. */
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
  const endsAtMs = performance.now() + JOB_MS;
  while (!signal.aborted && performance.now() < endsAtMs) {
    const pausesMs = await Promise.all(queues.map((queue) => moveDue(db, jobs, queue)));
    const pauseMs = Math.max(MIN_PAUSE_MS, Math.min(...pausesMs));
    await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Moves a batch, and returns how long the queue needs no other. */
async function moveDue(db: Db, jobs: Jobs, due: DueQueue): Promise<number> {
  const { queue, column, againMs, jitter, maxWaiting, jobOf } = due;
  const pauseMs = await untilDue(db, column, MAX_PAUSE_MS);
  if (pauseMs > 0) return pauseMs;
  return db.transaction().execute(async (transaction) => {
    const room = Math.min(BATCH, maxWaiting - (await waitingIn(transaction, queue)));
    if (room <= 0) return MAX_PAUSE_MS / 4;
    const ids = await takeDue(transaction, column, { max: room, againMs, jitter });
    if (ids.length === 0) return MAX_PAUSE_MS;
    await jobs.insert(transaction, queue, ids.map(jobOf));
    await jobs.wake(transaction, queue);
    return 0;
  });
}

async function waitingIn(db: Db, queue: string): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from pgboss.job where name = ${queue} and state < 'active'`.execute(
    db,
  );
  return rows[0]?.waiting ?? 0;
}
