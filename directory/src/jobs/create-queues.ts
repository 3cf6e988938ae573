import { sql } from 'kysely';
import PgBoss from 'pg-boss';
import { QUEUE_NAMES, type QueueName } from '../settings/queue-names.ts';
import type { Db } from '../store/open-store.ts';
import { executorOf } from './executor.ts';
import { QUEUES } from './queues.ts';

/** Creates the queues of the table, and updates those that are set differently. One process at a time does it. */
export async function createQueues(db: Db): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${CREATION_LOCK}::bigint)`.execute(transaction);
    // A separate pg-boss, because its queues are created on the connection of this transaction.
    const boss = new PgBoss({ db: executorOf(transaction), schema: 'pgboss' });
    const known = await knownQueues(transaction);
    for (const name of CREATED_IN_ORDER) {
      const { cron, ...wanted } = { cron: QUEUES[name].cron, ...settingsOf(name) };
      const current = known.get(name);
      if (current === undefined) {
        await boss.createQueue(name, { name, ...optionsOf(name) });
        if (name !== 'dead-letter') await allowOneJobForAKey(transaction, name);
      } else if (Object.entries(wanted).some(([key, value]) => current[key as keyof typeof wanted] !== value))
        await boss.updateQueue(name, { name, ...optionsOf(name) });
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

interface KnownQueue {
  readonly retryLimit: number;
  readonly expireInSeconds: number;
  readonly retentionMinutes: number;
  readonly cron: string | null;
}

async function knownQueues(db: Db): Promise<ReadonlyMap<string, KnownQueue>> {
  const { rows } = await sql<KnownQueue & { name: string }>`
    select queue.name, retry_limit as "retryLimit", expire_seconds as "expireInSeconds",
      retention_minutes as "retentionMinutes", cron
    from pgboss.queue left join pgboss.schedule on schedule.name = queue.name`.execute(db);
  return new Map(rows.map((row) => [row.name, row]));
}

function settingsOf(name: QueueName): Omit<KnownQueue, 'cron'> {
  const { retryLimit, expireInSeconds, retentionMinutes } = QUEUES[name];
  return { retryLimit, expireInSeconds, retentionMinutes };
}

function optionsOf(name: QueueName) {
  return {
    ...settingsOf(name),
    retryDelay: 1,
    retryBackoff: true,
    ...(name === 'dead-letter' ? {} : { deadLetter: 'dead-letter' }),
  };
}

/**
 * Two jobs of a queue with the same key cannot wait or run at the same time; pg-boss skips what would break the index.
 * Its own policies do not fit: they allow a second job that waits, and then fail every fetch until the first has ended.
 */
async function allowOneJobForAKey(db: Db, name: QueueName): Promise<void> {
  const { rows } = await sql<{ partition_name: string }>`
    select partition_name from pgboss.queue where name = ${name}`.execute(db);
  for (const { partition_name: partition } of rows)
    await sql`
      create unique index ${sql.ref(`${partition}_key`)} on ${sql.table(`pgboss.${partition}`)} (singleton_key)
      where state < 'completed'`.execute(db);
}
