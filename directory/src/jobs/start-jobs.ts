import type { FastifyBaseLogger } from 'fastify';
import PgBoss from 'pg-boss';
import type { QueueName } from '../settings/queue-names.ts';
import type { Db, Store } from '../store/open-store.ts';
import { type Attempt, lockAttempt, outputOf } from './attempts.ts';
import { createQueues } from './create-queues.ts';
import { executorOf, reportingExecutor, survivingExecutor } from './executor.ts';
import type { JobData } from './queues.ts';
import { takeUpOrphans } from './take-up-orphans.ts';

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

export interface NewJob<Name extends QueueName> {
  /** Only one job of a queue with this key can wait or run. */
  readonly key: string;
  readonly data: JobData[Name];
  readonly priority?: number;
  readonly expireInSeconds?: number;
}

/** The jobs of a directory: pg-boss on its store. */
export interface Jobs {
  /** Adds a job, and wakes the workers; null when a job with its key already waits or runs. */
  send<Name extends QueueName>(queue: Name, job: NewJob<Name>): Promise<string | null>;
  /** Adds jobs in the transaction `db`, except those whose key already waits or runs. */
  insert<Name extends QueueName>(db: Db, queue: Name, jobs: readonly NewJob<Name>[]): Promise<void>;
  /** Wakes the workers of a queue when the transaction `db` commits. */
  wake(db: Db, queue: QueueName): Promise<void>;
  fetch<Name extends QueueName>(queue: Name, max: number): Promise<readonly Attempt<Name>[]>;
  /** Records that an attempt failed. The job is repeated later, or becomes a dead letter. */
  fail(attempt: Attempt, error: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** How often a process looks for jobs of dead workers, and moves ended jobs away. One process of all does it. */
const MAINTENANCE_SECONDS = 5;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS;

/** The stores of this process whose jobs of earlier processes were taken up. */
const takenUp = new WeakSet<Db>();

/**
 * Starts pg-boss and creates the queues. A process that works on no queue only adds jobs, and leaves schedules and the
 * jobs of dead workers to others.
 */
export async function startJobs(
  { db, kind, wakeUps }: Store,
  log: Log,
  { works }: { readonly works: boolean },
): Promise<Jobs> {
  let stopping = false;
  const report = (error: unknown): void => {
    if (!stopping) log.error({ err: error }, 'the jobs could not be read or written');
  };
  const boss = new PgBoss({
    db: survivingExecutor(db, report),
    schema: 'pgboss',
    supervise: works,
    schedule: works,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
    archiveCompletedAfterSeconds: MINUTE_SECONDS,
    archiveFailedAfterSeconds: DAY_SECONDS,
    deleteAfterSeconds: MINUTE_SECONDS,
  });
  boss.on('error', report);
  await boss.start();
  await createQueues(db);
  // A process that only adds jobs may run beside the one that works on them; and another worker of this process too.
  if (works && kind === 'embedded' && !takenUp.has(db)) {
    takenUp.add(db);
    await takeUpOrphans(db);
  }
  const reporting = reportingExecutor(db, report);
  const wake = (inDb: Db, queue: QueueName): Promise<void> => wakeUps.send(inDb, 'queue', queue);
  return {
    send: async (queue, { key, data, ...options }) => {
      const id = await boss.send(queue, { ...data, queue }, { singletonKey: key, ...options });
      if (id !== null) await wake(db, queue);
      return id;
    },
    insert: async (inDb, queue, jobs) => {
      const rows = jobs.map(({ key, data, ...options }) => ({
        name: queue,
        data: { ...data, queue },
        singletonKey: key,
        ...options,
      }));
      await boss.insert(rows, { db: executorOf(inDb) });
    },
    wake,
    fetch: async <Name extends QueueName>(queue: Name, max: number) => {
      const jobs = await boss.fetch<JobData[Name]>(queue, {
        batchSize: max,
        includeMetadata: true,
        db: reporting,
      });
      return jobs.map(({ id, retryCount, priority, data, output }) => ({
        queue,
        jobId: id,
        number: retryCount,
        priority,
        data,
        output,
      }));
    },
    fail: (attempt, error) =>
      db.transaction().execute(async (transaction) => {
        if (!(await lockAttempt(transaction, attempt))) return;
        await boss.fail(attempt.queue, attempt.jobId, outputOf(error), { db: executorOf(transaction) });
      }),
    stop: async () => {
      stopping = true;
      await boss.stop({ graceful: false }).catch(report);
    },
  };
}
