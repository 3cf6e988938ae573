import { setTimeout } from 'node:timers/promises';
import type { Store } from '../db/open-store.ts';
import type { Db } from '../db/tables.ts';
import type { QueueName } from '../settings/settings.ts';
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
  readonly concurrency: number;
  /** How many of these slots only jobs can take that a caller waits for. */
  readonly reserved: number;
  readonly handle: Handler<Name>;
  /** Interrupts the jobs too that a caller waits for. */
  readonly ending: AbortSignal;
  readonly noteEnd: (outcome: 'ended' | 'interrupted' | 'delayed' | 'failed') => void;
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
 * A fetch sorts all jobs that wait, so it is worth a short wait for more free slots, if many jobs run at once and no
 * caller waits for them.
 */
const GATHER_MS = 20;
const GATHERED_SHARE = 0.25;

/** Runs the jobs of a queue: a free slot takes the next job, as long as there is one. */
export class RunningWork<Name extends QueueName = QueueName> {
  readonly #db: Db;
  readonly #jobs: Jobs;
  readonly #work: QueueWork<Name>;
  readonly #log: Log;
  readonly #running = new Set<Running>();
  readonly #unsubscribe: () => void;
  readonly #looping: Promise<void>;
  #bell = new AbortController();
  #stopping = false;
  /** Whether the last fetch may have left jobs that are due. */
  #mayHaveMore = true;

  constructor({ db, wakeUps }: Store, jobs: Jobs, work: QueueWork<Name>, log: Log) {
    this.#db = db;
    this.#jobs = jobs;
    this.#work = work;
    this.#log = log;
    this.#unsubscribe = wakeUps.on('queue', (name) => {
      if (name !== null && name !== work.queue) return;
      this.#mayHaveMore = true;
      this.#ring();
    });
    this.#looping = this.#loop();
  }

  /** Finishes the jobs that a caller waits for, and interrupts the others, so that any process can take them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unsubscribe();
    this.#ring();
    await this.#looping;
    const running = [...this.#running];
    const ids = running.map(({ attempt }) => attempt.jobId);
    // A caller may have joined a job after it started.
    const urgent = await urgentJobs(this.#db, this.#work.queue, ids).catch(() => new Set<string>());
    for (const { attempt, interrupting } of running) if (!urgent.has(attempt.jobId)) interrupting.abort();
    await Promise.all(running.map(({ ended }) => ended));
  }

  async #loop(): Promise<void> {
    const { concurrency, queue } = this.#work;
    while (!this.#stopping) {
      try {
        if (this.#mayHaveMore && this.#running.size < concurrency) {
          if (this.#gathersSlots()) await setTimeout(GATHER_MS);
          await this.#fetch();
        }
      } catch (error) {
        this.#log.error({ err: error, queue }, 'jobs could not be fetched');
        this.#mayHaveMore = false;
      }
      if (this.#stopping || (this.#mayHaveMore && this.#running.size < concurrency)) continue;
      if (!(await this.#rung())) this.#mayHaveMore = true;
    }
  }

  #ring(): void {
    // Each abort creates an error, also the second one.
    if (!this.#bell.signal.aborted) this.#bell.abort();
  }

  /** Sleeps until something happens. */
  async #rung(): Promise<boolean> {
    const rang = await setTimeout(MAX_PAUSE_MS, false, { signal: this.#bell.signal }).catch(() => true);
    if (rang) this.#bell = new AbortController();
    return rang;
  }

  #gathersSlots(): boolean {
    const { concurrency, reserved } = this.#work;
    const free = concurrency - this.#running.size;
    return reserved === 0 && this.#running.size > 0 && free < concurrency * GATHERED_SHARE;
  }

  async #fetch(): Promise<void> {
    this.#mayHaveMore = false;
    const max = await this.#room();
    if (max === 0) return;
    const fetched = await this.#jobs.fetch(this.#work.queue, max);
    for (const attempt of fetched) this.#start(attempt);
    // Slots may have become free during the fetch.
    this.#mayHaveMore = fetched.length === max;
  }

  /** How many jobs to fetch: those that nobody waits for leave the reserved slots free. */
  async #room(): Promise<number> {
    const { queue, concurrency, reserved } = this.#work;
    const free = concurrency - this.#running.size;
    const scheduled = [...this.#running].filter(({ attempt }) => attempt.priority === 0).length;
    const unreserved = Math.min(free, Math.max(1, concurrency - reserved) - scheduled);
    if (free <= 0 || unreserved > 0) return Math.max(0, unreserved);
    return (await hasUrgentJob(this.#db, queue)) ? 1 : 0;
  }

  #start(attempt: Attempt<Name>): void {
    const interrupting = new AbortController();
    const signal = AbortSignal.any([interrupting.signal, this.#work.ending]);
    const ended = this.#perform(attempt, signal).finally(() => {
      this.#running.delete(one);
      // Only now may the slots that are not reserved take another one.
      if (this.#work.reserved > 0) this.#mayHaveMore = true;
      this.#ring();
    });
    const one: Running = { attempt, interrupting, ended };
    this.#running.add(one);
  }

  async #perform(attempt: Attempt<Name>, signal: AbortSignal): Promise<void> {
    const { handle, noteEnd } = this.#work;
    try {
      const outcome = await handle(attempt, signal);
      if (outcome === 'done') await endAttempt(this.#db, attempt);
      if (outcome === 'interrupted') await putBack(this.#db, attempt);
      if (typeof outcome === 'object') await putBack(this.#db, attempt, outcome.againAfterMs, outcome.output);
      noteEnd(NOTED[typeof outcome === 'object' ? 'put-off' : outcome]);
    } catch (error) {
      this.#log.error({ err: error, ...describe(attempt) }, 'a job failed');
      noteEnd('failed');
      // If the store fails too, the job is repeated after its expiry.
      await this.#jobs
        .fail(attempt, error)
        .catch((cause: unknown) =>
          this.#log.warn({ err: cause, ...describe(attempt) }, 'the failure of a job could not be stored'),
        );
    }
  }
}

/** For the log, without the input of a caller. */
function describe({ queue, jobId, data }: Attempt): object {
  return {
    queue,
    jobId,
    ...('entryId' in data ? { entryId: data.entryId } : {}),
    ...('name' in data ? { name: data.name } : {}),
  };
}
