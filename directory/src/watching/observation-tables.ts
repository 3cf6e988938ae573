import { sql } from 'kysely';
import type { Db } from '../db/open-store.ts';
import { DAY_MS } from './observed-time.ts';

const DAILY_TABLES = ['observations', 'observed_days', 'observed_times'] as const;
type DailyTable = (typeof DAILY_TABLES)[number];

/** Each row is updated with every hour of its day. With room in its page, the old versions need no vacuum. */
const ROOM_FOR_UPDATES = sql` with (fillfactor = 50)`;

/** Makes the tables of a day. A day with rows already, which are in the table for other days, stays there. */
export async function makeTablesOfDay(db: Db, day: number): Promise<void> {
  for (const table of DAILY_TABLES) {
    const [from, to] = [boundOf(table, day), boundOf(table, day + 1)];
    try {
      await sql`
        create table if not exists ${sql.table(`${table}_${day}`)} partition of ${sql.table(table)}
        for values from (${from}) to (${to})${table === 'observations' ? sql`` : ROOM_FOR_UPDATES}`.execute(
        db,
      );
    } catch (error) {
      if (!STAYS.has((error as { readonly code?: string }).code ?? '')) throw error;
    }
  }
}

/** The table for other days has rows of this day, or another instance makes the table now. */
const STAYS: ReadonlySet<string> = new Set(['23514', '42P07', '23505']);

/** Deletes the rows of all days before `day`. */
export async function dropDaysBefore(db: Db, table: DailyTable, day: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${table}::regclass`.execute(db);
  for (const { name } of rows) {
    const [, digits] = /_(\d+)$/.exec(name) ?? [];
    if (digits !== undefined && Number(digits) < day)
      await sql`drop table if exists ${sql.table(name)}`.execute(db);
  }
  const column = table === 'observations' ? 'at' : 'day';
  await sql`
    delete from ${sql.table(`${table}_other`)} where ${sql.ref(column)} < ${boundOf(table, day)}`.execute(db);
}

/** A literal, because the bounds of a partition cannot be parameters. */
function boundOf(table: DailyTable, day: number) {
  return table === 'observations' ? sql.lit(new Date(day * DAY_MS).toISOString()) : sql.lit(day);
}
