// The folder `transfer` writes a whole directory as lines of text, and reads them back: an export, and what is inside a
// backup.

import { type RawBuilder, sql } from 'kysely';
import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** A table of the export. */
export interface ExportedTable {
  readonly name: string;
  /** Columns that together give every row its place, so that equal directories have equal exports. */
  readonly order: readonly string[];
  /** How many rows are read at once: less of those that can be large. */
  readonly batch: number;
  /** A condition of the rows that are exported. */
  readonly where?: string;
  /** Its columns that the database numbers. */
  readonly numbered?: string;
}

/** Rows of the observations of a removed entry are never read. */
const KNOWN_TARGET = 'exists (select from entries where entries.target_no = one.target_no)';

/** In the order in which they are written: a row comes after those that it refers to. */
export const EXPORTED_TABLES: readonly ExportedTable[] = [
  { name: 'policies', order: ['only_one'], batch: 1 },
  { name: 'keys', order: ['id'], batch: 1000 },
  { name: 'operator_log', order: ['id'], batch: 1000, numbered: 'id' },
  { name: 'entries', order: ['id'], batch: 500, numbered: 'target_no' },
  { name: 'entry_details', order: ['entry_id'], batch: 100 },
  { name: 'capabilities', order: ['entry_id'], batch: 20 },
  { name: 'results', order: ['id'], batch: 20 },
  { name: 'contracts', order: ['entry_id', 'seen_at'], batch: 20 },
  { name: 'closed_hours', order: ['until_hour'], batch: 1 },
  { name: 'observed_days', order: ['target_no', 'day'], batch: 1000, where: KNOWN_TARGET },
  {
    name: 'observed_times',
    order: ['target_no', 'day', 'operation', 'through_gateway'],
    batch: 200,
    where: KNOWN_TARGET,
  },
  {
    name: 'observations',
    order: ['target_no', 'at', 'operation', 'source', 'duration_us', 'up'],
    batch: 2000,
    where: KNOWN_TARGET,
  },
  { name: 'audits', order: ['id'], batch: 100 },
  { name: 'audit_outcomes', order: ['audit_id', 'entry_id'], batch: 500 },
  { name: 'registry_sources', order: ['url'], batch: 100 },
  { name: 'registry_servers', order: ['is_followed', 'name', 'version'], batch: 200 },
  { name: 'package_checks', order: ['name'], batch: 20 },
];

/** The tables that are not exported, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  directory_schema: 'the export names its version itself',
  sessions: 'readers of the pages sign in again',
  rate_limits: 'counts of the present minute',
  idempotent_calls: 'calls that callers may repeat within a day, with what was answered',
  entry_changes: 'numbered by the transactions of one database; followers read everything once more',
  change_feed: 'as entry_changes',
  last_label_change: 'as entry_changes',
  last_target_change: 'as entry_changes',
  last_key_change: 'as entry_changes',
  target_paces: 'requests under way',
  leases: 'requests under way',
};

export interface Column {
  readonly name: string;
  readonly isText: boolean;
}

/** The columns of a table that are written, not generated, in the order of the schema; not transactions of one database. */
export async function columnsOf(db: Db, table: string): Promise<readonly Column[]> {
  return allRows<Column>(db)`
    select column_name as name, data_type = 'text' as "isText" from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER' and data_type <> 'xid8'
    order by ordinal_position`;
}

/** The rows of a table as JSON, in an order that is the same in every database. */
export function rowsAsJson(table: ExportedTable, columns: readonly Column[]): RawBuilder<unknown> {
  const inOrder = table.order.map((name) => {
    const isText = columns.find((column) => column.name === name)?.isText === true;
    return isText ? sql`${sql.ref(name)} collate "C"` : sql.ref(name);
  });
  return sql`
    select row_to_json(found)::text as row from (
      select ${sql.join(columns.map(({ name }) => sql.ref(name)))} from ${sql.table(table.name)} as one
      where ${sql.raw(table.where ?? 'true')} order by ${sql.join(inOrder)}
    ) as found`;
}
