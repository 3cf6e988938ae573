import { sql } from 'kysely';
import { targetVariable } from 'probity/model';
import { createAuditing } from '../auditing/audit-entry.ts';
import { purgeAudits } from '../auditing/audits.ts';
import { createTests, expiryOfTest } from '../checking/conduct-test.ts';
import type { Db } from '../db/tables.ts';
import { tidyJobs, tidyStore } from '../db/tidy.ts';
import { purgeRemovals } from '../entries/change-feed.ts';
import { endPauses, markStale } from '../entries/timed-states.ts';
import { purgeCalls } from '../gateway/idempotent-calls.ts';
import type { Service } from '../http/service.ts';
import { endAttempt } from '../jobs/attempts.ts';
import { QUEUES } from '../jobs/queues.ts';
import { type DueQueue, scheduleDue } from '../jobs/schedule-due.ts';
import { correctFutureTimes } from '../jobs/set-back-clock.ts';
import type { Jobs, Log } from '../jobs/start-jobs.ts';
import { plannedKey } from '../jobs/tests.ts';
import { type Handler, RunningWork } from '../jobs/work-queue.ts';
import { createPackageChecks } from '../registry/check-package.ts';
import { followDue } from '../registry/follow-due.ts';
import { holdsMsOf, type QueueName, type ServiceSettings } from '../settings/settings.ts';
import { purgeLeases } from '../targets/target-limiter.ts';
import type { Traced, Tracer } from '../telemetry/tracer.ts';
import { closeHours } from '../watching/close-hours.ts';
import { createObserver } from '../watching/observe-target.ts';
import { createProbe } from '../watching/probe-entry.ts';

/** Works on jobs: on those of the queues that the settings name. */
export class Worker {
  readonly #service: Service;
  readonly #jobs: Jobs;
  readonly #log: Log;
  readonly #handlers: Handlers;
  #running: readonly Pick<RunningWork, 'stop'>[] = [];
  #starting: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | null = null;
  #correcting: NodeJS.Timeout | undefined;
  #endListening: (() => void) | undefined;

  constructor(service: Service, jobs: Jobs, log: Log) {
    this.#service = service;
    this.#jobs = jobs;
    this.#log = log;
    this.#handlers = handlersOf(service, jobs, log);
  }

  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const { settings, store } = this.#service;
    const { queues } = settings;
    if (queues.length > 0) {
      this.#endListening = settings.targetKeys?.onChange((names) => {
        lookAgain(store.db, names).catch((error: unknown) =>
          this.#log.error({ err: error }, 'servers whose keys changed are not looked at again yet'),
        );
      });
      await correctFutureTimes(store.db);
      if (this.#stopping !== null) return;
      this.#correcting = setInterval(() => {
        correctFutureTimes(store.db).catch((error: unknown) =>
          this.#log.error({ err: error }, 'times in the future could not be corrected'),
        );
      }, CORRECT_EVERY_MS).unref();
    }
    this.#running = queues.map((queue) => this.#work(queue));
    // Now, and not when the clock says so; unless another process has a job of the queue already.
    for (const queue of STARTED_AT_ONCE)
      if (queues.includes(queue)) await this.#jobs.send(queue, { key: queue, data: {} });
  }

  /** Finishes the tests that callers wait for, and gives the other running jobs back. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#endListening?.();
    // It may have begun only now, and nothing would stop what it begins later.
    await this.#starting.catch(() => undefined);
    clearInterval(this.#correcting);
    await Promise.all(this.#running.map((one) => one.stop()));
  }

  #work<Name extends QueueName>(queue: Name): Pick<RunningWork, 'stop'> {
    const service = this.#service;
    const work = {
      queue,
      concurrency: concurrencyOf(service, queue),
      // The others work on what nobody waits for.
      reserved: queue === 'test' ? 1 : 0,
      handle: traced(service.tracer, queue, this.#handlers[queue]),
      ending: service.ending,
      noteEnd: (outcome: string) => service.metrics.jobs.inc({ queue, outcome }),
    };
    return new RunningWork(service.store, this.#jobs, work, this.#log);
  }
}

/** Makes the servers due whose keys changed. */
async function lookAgain(db: Db, names: readonly string[]): Promise<void> {
  await sql`
    update entry_details set next_probe_at = now(), next_test_at = now() from entries
    where entry_id = id and id_key = any(${names.map(idKeyOf)}::text[])`.execute(db);
}

/** The id in capitals, as the name of its variable has it. */
function idKeyOf(name: string): string {
  return name.slice(targetVariable('').length);
}

/** Not a job, because jobs wait for their times, too. */
const CORRECT_EVERY_MS = 60_000;

const STARTED_AT_ONCE = ['schedule', 'clean-up', 'follow', 'package-check'] as const;

function concurrencyOf({ settings }: Service, queue: QueueName): number {
  const { concurrency } = QUEUES[queue];
  if (concurrency === 1) return 1;
  return settings.concurrency ?? (queue === 'test' ? settings.limits.runningTests : concurrency);
}

/** A span for each attempt at a job, in the trace of the caller who waits for it. */
function traced<Name extends QueueName>(
  tracer: Tracer,
  queue: Name,
  handle: Traced<Handler<Name>>,
): Handler<Name> {
  return async (attempt, signal) => {
    const { data } = attempt;
    const span = tracer.begin('traceparent' in data ? (data.traceparent ?? undefined) : undefined);
    const end = (outcome: string, errorType: string | null): void =>
      tracer.end(span, {
        name: `job ${queue}`,
        kind: 'internal',
        attributes: { 'probity.job.id': attempt.jobId, 'probity.job.outcome': outcome },
        errorType,
      });
    try {
      const outcome = await handle(attempt, signal, span);
      end(typeof outcome === 'string' ? outcome : 'later', null);
      return outcome;
    } catch (error) {
      end('failed', error instanceof Error ? error.name : 'unknown');
      throw error;
    }
  };
}

type Handlers = { readonly [Name in QueueName]: Traced<Handler<Name>> };

function handlersOf(service: Service, jobs: Jobs, log: Log): Handlers {
  const { store, settings } = service;
  const { db } = store;
  const observe = createObserver(service);
  return {
    schedule: async (attempt, signal) => {
      await endPauses(db);
      await markStale(db, settings);
      await scheduleDue(db, jobs, dueQueues(service), signal);
      if (signal.aborted) return 'interrupted';
      if (await endAttempt(db, attempt)) await jobs.send('schedule', { key: 'schedule', data: {} });
      return 'ended';
    },
    probe: createProbe(service, observe),
    test: createTests(service, log),
    audit: createAuditing(service, observe),
    follow: (_attempt, signal) => followDue({ db, pool: service.pool, settings }, signal, log),
    'package-check': createPackageChecks(service, jobs, log),
    'clean-up': async () => {
      await purge(db, settings, new Date());
      // PostgreSQL vacuums itself.
      if (store.kind === 'embedded') await tidyStore(db);
      return 'done';
    },
    statistics: async () => {
      if (store.kind === 'embedded') await tidyJobs(db);
      return 'done';
    },
    'dead-letter': async ({ jobId, data: { queue, entryId }, output }) => {
      log.error(
        { jobId, queue, ...(entryId === undefined ? {} : { entryId }), output },
        'all attempts at a job failed',
      );
      return 'done';
    },
  };
}

const PROBE_JITTER = 0.1;
/** The delay before a test without a result is repeated. */
const RETRY_MS = 10 * 60_000;

function dueQueues({ settings }: Service): readonly [DueQueue<'probe'>, DueQueue<'test'>] {
  return [
    {
      queue: 'probe',
      column: 'next_probe_at',
      everyMs: settings.probeEveryMs,
      everyColumn: 'probe_every_ms',
      againMs: null,
      jitter: PROBE_JITTER,
      maxWaiting: 1000,
      jobOf: (entryId) => ({ key: entryId, data: { entryId } }),
    },
    {
      queue: 'test',
      column: 'next_test_at',
      // The result of the test sets the time of the next one. This is the time when there is no result.
      againMs: RETRY_MS,
      everyMs: settings.testEveryMs,
      everyColumn: 'test_every_ms',
      jitter: 0,
      maxWaiting: 100,
      jobOf: (entryId) => ({
        key: plannedKey(entryId),
        data: { entryId, samples: null, traceparent: null },
        expireInSeconds: expiryOfTest(settings),
      }),
    },
  ];
}

/** Sums up the observations of hours that have ended, and deletes data that is no longer used. */
async function purge(
  db: Db,
  settings: Pick<ServiceSettings, 'limits' | 'probeEveryMs'>,
  now: Date,
): Promise<void> {
  await closeHours(db, { now, holdsMs: holdsMsOf(settings) });
  await purgeCalls(db);
  await purgeRemovals(db);
  await purgeLeases(db);
  await purgeAudits(db);
  for (const { name, windowSeconds } of Object.values(settings.limits).filter(
    (limit) => typeof limit === 'object',
  ))
    await sql`
      delete from rate_limits
      where subject like ${`%:${name.replaceAll(/[\\%_]/g, '\\$&')}`}
        and window_number <> floor(extract(epoch from now()) / ${windowSeconds}::integer)::bigint`.execute(
      db,
    );
}
