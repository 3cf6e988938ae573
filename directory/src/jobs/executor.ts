import { CompiledQuery, sql } from 'kysely';
import type PgBoss from 'pg-boss';
import type { Db } from '../db/tables.ts';

type Rows = { rows: unknown[] };

/** Throws the error of a statement, or returns its rows instead. */
type OnError = (error: unknown, values: readonly unknown[]) => Rows;

const rethrow: OnError = (error) => {
  throw error;
};

/** Runs the statements of pg-boss on the connections of the store, or in a transaction. */
export function executorOf(db: Db, onError: OnError = rethrow): PgBoss.Db {
  const execute = async (text: string, values: unknown[]): Promise<Rows> => {
    const statement = CompiledQuery.raw(text, values);
    if (!BEGINS.test(text)) return rowsOf(await db.executeQuery(statement));
    return db.connection().execute(async (connection) => {
      try {
        return rowsOf(await connection.executeQuery(statement));
      } catch (error) {
        // pg-boss leaves the transaction open, and the connection returns to the pool.
        await sql`rollback`.execute(connection).catch(() => undefined);
        throw error;
      }
    });
  };
  return {
    executeSql: (text, values: unknown[] | undefined = []) =>
      execute(text, values).catch((error: unknown) => onError(error, values)),
  };
}

/** Reports errors, because pg-boss ignores those of a fetch. */
export function reportingExecutor(db: Db, report: (error: unknown) => void): PgBoss.Db {
  return executorOf(db, (error) => {
    report(error);
    throw error;
  });
}

/** The queue in which pg-boss itself puts the jobs of its schedules. */
const OWN_QUEUE = '__pgboss__send-it';

/** The queue, the ids and the output. */
const VALUES_OF_AN_END = 3;

/**
 * Reports errors of ending the jobs of pg-boss's own queue. It does not await these statements, so that an interrupted
 * connection would end the process. The job is repeated after its expiry.
 */
export function survivingExecutor(db: Db, report: (error: unknown) => void): PgBoss.Db {
  return executorOf(db, (error, values) => {
    if (values[0] !== OWN_QUEUE || values.length !== VALUES_OF_AN_END) throw error;
    report(error);
    return { rows: [{ count: '0' }] };
  });
}

const BEGINS = /^\s*begin\b/i;

function rowsOf({ rows }: { readonly rows: readonly unknown[] }): Rows {
  return { rows: [...rows] };
}
