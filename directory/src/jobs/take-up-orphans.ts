import { sql } from 'kysely';
import PgBoss from 'pg-boss';
import type { Db } from '../store/open-store.ts';
import { executorOf } from './executor.ts';

/**
 * Makes all running jobs due again. Only for a store with one process at a time, when it starts: the processes that ran
 * them have ended. Each counts as a failed attempt, so that a job that ends its process does not do so forever.
 */
export async function takeUpOrphans(db: Db): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const boss = new PgBoss({ db: executorOf(transaction), schema: 'pgboss' });
    const { rows } = await sql<{ name: string; ids: string[] }>`
      select name, array_agg(id::text) as ids from pgboss.job where state = 'active' group by name`.execute(
      transaction,
    );
    for (const { name, ids } of rows) {
      for (const id of ids) await boss.fail(name, id, { message: 'the process ended' }, {});
      await sql`
        update pgboss.job set start_after = now()
        where name = ${name} and id = any(${ids}::uuid[]) and state = 'retry'`.execute(transaction);
    }
  });
}
