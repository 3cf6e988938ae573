import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import PgBoss from 'pg-boss';
import type { Store } from '../db/open-store.ts';
import { allRows, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { QUEUE_NAMES, type QueueName } from '../settings/settings.ts';
import { type Attempt, lockAttempt, outputOf } from './attempts.ts';
import { executorOf, reportingExecutor, survivingExecutor } from './executor.ts';
import { type JobData, QUEUES, type Queue } from './queues.ts';

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

const ignore = (): void => undefined;

/** For a process that only adds jobs: what fails is thrown. */
export const SILENT: Log = { info: ignore, warn: ignore, error: ignore };

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
  const stop = async (): Promise<void> => {
    stopping = true;
    await boss.stop({ graceful: false }).catch(report);
  };
  try {
    await boss.start();
    await createQueues(db);
    // A process that only adds jobs may run beside the one that works on them; and another worker of this process too.
    if (works && kind === 'embedded' && !takenUp.has(db)) {
      takenUp.add(db);
      await takeUpOrphans(db);
    }
  } catch (error) {
    await stop();
    throw error;
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
    stop,
  };
}

/** Creates the queues of the table, and updates those that are set differently. One process at a time does it. */
async function createQueues(db: Db): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await run(transaction)`select pg_advisory_xact_lock(${CREATION_LOCK}::bigint)`;
    // A separate pg-boss, because its queues are created on the connection of this transaction.
    const boss = new PgBoss({ db: executorOf(transaction), schema: 'pgboss' });
    const known = await knownQueues(transaction);
    for (const name of CREATED_IN_ORDER) {
      const { cron, concurrency: _ofWorkers, ...wanted } = QUEUES[name];
      const deadLetter = name === 'dead-letter' ? {} : { deadLetter: 'dead-letter' };
      const options = { name, ...wanted, retryDelay: 1, retryBackoff: true, ...deadLetter };
      const current = known.get(name);
      if (current === undefined) {
        await boss.createQueue(name, options);
        if (name !== 'dead-letter') await allowOneJobForAKey(transaction, name);
      } else if (Object.entries(wanted).some(([key, value]) => current[key as keyof typeof wanted] !== value))
        await boss.updateQueue(name, options);
      if (cron !== null && current?.cron !== cron)
        await boss.schedule(name, cron, { queue: name }, { singletonKey: name });
    }
  });
}

const CREATION_LOCK = 7_716_801;

/** The other queues name the queue of dead letters. */
const CREATED_IN_ORDER: readonly QueueName[] = [
  'dead-letter',
  ...QUEUE_NAMES.filter((name) => name !== 'dead-letter'),
];

type KnownQueue = Omit<Queue, 'concurrency'>;

async function knownQueues(db: Db): Promise<ReadonlyMap<string, KnownQueue>> {
  const rows = await allRows<KnownQueue & { name: string }>(db)`
    select queue.name, retry_limit as "retryLimit", expire_seconds as "expireInSeconds",
      retention_minutes as "retentionMinutes", cron
    from pgboss.queue left join pgboss.schedule on schedule.name = queue.name`;
  return new Map(rows.map((row) => [row.name, row]));
}

/**
 * Two jobs of a queue with the same key cannot wait or run at the same time; pg-boss skips what would break the index.
 * Its own policies do not fit: they allow a second job that waits, and then fail every fetch until the first has ended.
 */
async function allowOneJobForAKey(db: Db, name: QueueName): Promise<void> {
  const rows = await allRows<{ partition_name: string }>(db)`
    select partition_name from pgboss.queue where name = ${name}`;
  for (const { partition_name: partition } of rows)
    await run(db)`
      create unique index ${sql.ref(`${partition}_key`)} on ${sql.table(`pgboss.${partition}`)} (singleton_key)
      where state < 'completed'`;
}

/**
 * Makes all running jobs due again. Only for a store with one process at a time, when it starts: the processes that ran
 * them have ended. Each counts as a failed attempt, so that a job that ends its process does not do so forever.
 */
export async function takeUpOrphans(db: Db): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const boss = new PgBoss({ db: executorOf(transaction), schema: 'pgboss' });
    const rows = await allRows<{ name: string; ids: string[] }>(transaction)`
      select name, array_agg(id::text) as ids from pgboss.job where state = 'active' group by name`;
    for (const { name, ids } of rows) {
      for (const id of ids) await boss.fail(name, id, { message: 'the process ended' }, {});
      await run(transaction)`
        update pgboss.job set start_after = now()
        where name = ${name} and id = any(${ids}::uuid[]) and state = 'retry'`;
    }
  });
}
