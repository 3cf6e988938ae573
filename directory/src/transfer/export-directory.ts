import { sql } from 'kysely';
import { allRows, run } from '../db/rows.ts';
import { SCHEMA_VERSION } from '../db/schema.ts';
import type { Db } from '../db/tables.ts';
import { endLine, headLine, RowSum, rowLine } from './export-lines.ts';
import { columnsOf, EXPORTED_TABLES, type ExportedTable, rowsAsJson } from './exported-tables.ts';

/**
 * Writes the whole directory, as it is at one moment. In an embedded store, everybody else waits meanwhile, so `write`
 * must not wait for a reader there. Returns the number of rows.
 */
export async function exportDirectory(db: Db, write: (text: string) => Promise<void>): Promise<number> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      await setUp(transaction);
      const sum = new RowSum();
      await write(`${headLine(SCHEMA_VERSION)}\n`);
      for (const table of EXPORTED_TABLES) await exportTable(transaction, table, sum, write);
      await write(`${endLine(sum)}\n`);
      return sum.count;
    });
}

/** For this transaction only: times in UTC, and as much time as it takes. */
export async function setUp(transaction: Db): Promise<void> {
  await run(transaction)`set local timezone = 'UTC'`;
  await run(transaction)`set local statement_timeout = 0`;
}

async function exportTable(
  db: Db,
  table: ExportedTable,
  sum: RowSum,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const rows = rowsAsJson(table, await columnsOf(db, table.name));
  await run(db)`declare exported no scroll cursor for ${rows}`;
  for (;;) {
    const batch = await allRows<{ row: string }>(db)`fetch ${sql.lit(table.batch)} from exported`;
    if (batch.length === 0) break;
    await write(batch.map(({ row }) => `${rowLine(sum, table.name, row)}\n`).join(''));
  }
  await run(db)`close exported`;
}
