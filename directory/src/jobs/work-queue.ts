import { setTimeout } from 'node:timers/promises';
import type { Store } from '../db/open-store.ts';
import type { QueueName } from '../settings.ts';
import { type Attempt, endAttempt, hasUrgentJob, putBack, urgentJobs } from './attempts.ts';
import type { Jobs, Log } from './start-jobs.ts';

/** How an attempt ended that did not fail. */
export type Ending =
  /** The job is not needed any more, and nothing is stored. */
  | 'done'
  /** The handler ended the attempt itself, in the transaction that stores its outcome; or found that it was lost. */
  | 'ended'
  /** The handler ended the attempt itself, and another job follows. */
  | 'put-off'
  /** The signal aborted before there was an outcome: another attempt begins anew. */
  | 'interrupted'
  /** The job cannot be done now: another attempt begins after this time. `output` says why. */
  | { readonly againAfterMs: number; readonly output: object };

/** Works on one job. What it throws is logged, and the job is repeated. */
export type Handler<Name extends QueueName> = (
  attempt: Attempt<Name>,
  signal: AbortSignal,
) => Promise<Ending>;

export interface QueueWork<Name extends QueueName> {
  readonly queue: Name;
  /** How many jobs run at once. */
  readonly concurrency: number;
  /** How many of these places only jobs can take that a caller waits for. */
  readonly reserved: number;
  readonly handle: Handler<Name>;
  /** Interrupts the jobs too that a caller waits for. */
  readonly ending: AbortSignal;
  readonly noteEnd: (outcome: 'ended' | 'interrupted' | 'delayed' | 'failed') => void;
}

export interface RunningWork {
  /** Finishes the jobs that a caller waits for, and interrupts the others, so that any process can take them. */
  stop(): Promise<void>;
}

interface Running {
  readonly attempt: Attempt;
  readonly interrupting: AbortController;
  readonly ended: Promise<void>;
}

const NOTED = { done: 'ended', ended: 'ended', 'put-off': 'delayed', interrupted: 'interrupted' } as const;

/** Jobs can become due without a wake-up: after a pause before a repetition, and when a wake-up was lost. */
const MAX_PAUSE_MS = 1000;

/**
 * A fetch sorts all jobs that wait, so it is worth a short wait for more free places, if many jobs run at once and no
 * caller waits for them.
 */
const GATHER_MS = 20;
const GATHERED_SHARE = 0.25;

/** Runs the jobs of a queue: a free place takes the next job, as long as there is one. */
export function workQueue<Name extends QueueName>(
  { db, wakeUps }: Store,
  jobs: Jobs,
  { queue, concurrency, reserved, handle, ending, noteEnd }: QueueWork<Name>,
  log: Log,
): RunningWork {
  const running = new Set<Running>();
  const bell = createBell();
  let stopping = false;
  /** Whether the last fetch may have left jobs that are due. */
  let mayHaveMore = true;

  const work = async (attempt: Attempt<Name>, signal: AbortSignal): Promise<void> => {
    try {
      const outcome = await handle(attempt, signal);
      if (outcome === 'done') await endAttempt(db, attempt);
      if (outcome === 'interrupted') await putBack(db, attempt);
      if (typeof outcome === 'object') await putBack(db, attempt, outcome);
      noteEnd(NOTED[typeof outcome === 'object' ? 'put-off' : outcome]);
    } catch (error) {
      log.error({ err: error, ...describe(attempt) }, 'a job failed');
      noteEnd('failed');
      // If the store fails too, the job is repeated after its expiry.
      await jobs
        .fail(attempt, error)
        .catch((cause: unknown) =>
          log.warn({ err: cause, ...describe(attempt) }, 'the failure of a job could not be stored'),
        );
    }
  };
  const start = (attempt: Attempt<Name>): void => {
    const interrupting = new AbortController();
    const ended = work(attempt, AbortSignal.any([interrupting.signal, ending])).finally(() => {
      running.delete(one);
      // Only now may the places that are not reserved take another one.
      if (reserved > 0) mayHaveMore = true;
      bell.ring();
    });
    const one: Running = { attempt, interrupting, ended };
    running.add(one);
  };
  /** How many jobs to fetch: those that nobody waits for leave the reserved places free. */
  const room = async (): Promise<number> => {
    const free = concurrency - running.size;
    const scheduled = [...running].filter(({ attempt }) => attempt.priority === 0).length;
    const unreserved = Math.min(free, Math.max(1, concurrency - reserved) - scheduled);
    if (free <= 0 || unreserved > 0) return Math.max(0, unreserved);
    return (await hasUrgentJob(db, queue)) ? 1 : 0;
  };
  const fetchOnce = async (): Promise<void> => {
    mayHaveMore = false;
    const max = await room();
    if (max === 0) return;
    const fetched = await jobs.fetch(queue, max);
    for (const attempt of fetched) start(attempt);
    // Places may have become free during the fetch.
    mayHaveMore = fetched.length === max;
  };
  const gathersPlaces = (): boolean => {
    const free = concurrency - running.size;
    return reserved === 0 && running.size > 0 && free < concurrency * GATHERED_SHARE;
  };
  const loop = async (): Promise<void> => {
    while (!stopping) {
      try {
        if (mayHaveMore && running.size < concurrency) {
          if (gathersPlaces()) await setTimeout(GATHER_MS);
          await fetchOnce();
        }
      } catch (error) {
        log.error({ err: error, queue }, 'jobs could not be fetched');
        mayHaveMore = false;
      }
      if (stopping || (mayHaveMore && running.size < concurrency)) continue;
      if (!(await bell.rung(MAX_PAUSE_MS))) mayHaveMore = true;
    }
  };

  const unsubscribe = wakeUps.on('queue', (name) => {
    if (name !== null && name !== queue) return;
    mayHaveMore = true;
    bell.ring();
  });
  const looping = loop();
  return {
    stop: async () => {
      stopping = true;
      unsubscribe();
      bell.ring();
      await looping;
      const ids = [...running].map(({ attempt }) => attempt.jobId);
      // A caller may have joined a job after it started.
      const urgent = await urgentJobs(db, queue, ids).catch(() => new Set<string>());
      for (const { attempt, interrupting } of running) if (!urgent.has(attempt.jobId)) interrupting.abort();
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}

/** For the log, without the input of a caller. */
function describe({ queue, jobId, data }: Attempt): object {
  return { queue, jobId, ...('entryId' in data ? { entryId: data.entryId } : {}) };
}

/** Lets a loop sleep until something happens. */
function createBell(): { ring(): void; rung(withinMs: number): Promise<boolean> } {
  let ring = new AbortController();
  return {
    ring: () => ring.abort(),
    rung: async (withinMs) => {
      const rang = await setTimeout(withinMs, false, { signal: ring.signal }).catch(() => true);
      if (rang) ring = new AbortController();
      return rang;
    },
  };
}
