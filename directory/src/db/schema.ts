import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { ExpectedError } from 'probity/model';
import { TABLES } from './create-tables.ts';
import { CHANGES, LEASES, SEARCHED_ROWS } from './functions.ts';
import { REGISTRY } from './registry-tables.ts';
import { firstRow, oneRow, run } from './rows.ts';
import type { Db } from './tables.ts';

// The tables of a directory. pg-boss creates its own in the schema `pgboss`. `tables.ts` has their types.

/** Raise it with every change below. Nothing is released yet, so a store of another version is refused, not migrated. */
export const SCHEMA_VERSION = 4;
const CREATION_LOCK = 7_716_802;

/** The store cannot be opened; the message contains the remedy. */
export class StoreError extends ExpectedError {
  override readonly name = 'StoreError';
}

/**
 * Creates the tables in an empty database. When several instances start at the same time, one creates them and the
 * others wait.
 *
 * @throws StoreError when the database has other tables, or none and `creates` is not set
 */
export async function createSchema(db: Db, creates = true): Promise<void> {
  if (await hasSchema(db)) return;
  if (!creates)
    throw new StoreError(
      'There is no directory in this database. Name the one of yours in DATABASE_URL, or with --data; the command "directory serve" begins a new one.',
    );
  await db.transaction().execute(async (transaction) => {
    await run(transaction)`select pg_advisory_xact_lock(${CREATION_LOCK}::bigint)`;
    if (!(await hasSchema(transaction))) await sql.raw(SCHEMA).execute(transaction);
  });
}

async function hasSchema(db: Db): Promise<boolean> {
  const { versioned, others } = await oneRow<{ versioned: boolean; others: boolean }>(db)`
    select to_regclass('directory_schema') is not null as versioned, to_regclass('entries') is not null as others`;
  const found = versioned
    ? await firstRow<{ version: number }>(db)`select version from directory_schema`
    : null;
  const version = found?.version ?? null;
  if (version === SCHEMA_VERSION) return true;
  if (version === null && !others) return false;
  throw new StoreError(
    `The database has the tables of ${version !== null && version > SCHEMA_VERSION ? 'a newer' : 'an older'} version of the directory, which this version cannot use. Use that version, or an empty database: export the listings with its command "directory export", and import them here.`,
  );
}

const SCHEMA = `
  create table directory_schema (version integer not null);
  insert into directory_schema values (${SCHEMA_VERSION});
  ${TABLES}${CHANGES}${SEARCHED_ROWS}${LEASES}${REGISTRY}`;

/**
 * Begins a new order if the database was restored on a server that counts transactions from a lower number: new changes
 * would otherwise come before old ones.
 */
export async function startFeed(db: Db): Promise<void> {
  await run(db)`
    with moved as (
      update entry_changes set changed_in = pg_current_xact_id()
      where exists (
        select from entry_changes where changed_in >= pg_snapshot_xmax(pg_current_snapshot())
      )
      returning 1
    )
    update change_feed set id = ${randomUUID()}, known_since = '0' where exists (select from moved)`;
}
