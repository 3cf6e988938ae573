import { type Selectable, sql } from 'kysely';
import type { RecordInDetails, ServerRecord } from 'probity/model';
import type { EntriesTable, EntryDetailsTable } from '../db/tables.ts';

/** Ids appear in paths without encoding. */
export const SERVER_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Ids that would clash with a path of the platform API. */
export const RESERVED_IDS: ReadonlySet<string> = new Set(['search']);

/** The columns of the server record of an entry. */
export const RECORD_COLUMNS = [
  'id',
  'name',
  'description',
  'category',
  'tags',
  'transport',
  'uptime',
  'response_time_ms',
  'audited',
  'open_source',
  'endpoint',
  'protocol',
  'last_updated',
  'figures_claimed',
  'status',
] as const satisfies readonly (keyof EntriesTable | keyof EntryDetailsTable)[];

/** The same in SQL. */
export const RECORD = sql.join(RECORD_COLUMNS.map((column) => sql.ref(column)));

export type RecordRow = Pick<
  Selectable<EntriesTable> & Selectable<EntryDetailsTable>,
  (typeof RECORD_COLUMNS)[number]
>;

export function recordOf(
  row: RecordRow,
): RecordInDetails & Required<Pick<ServerRecord, 'figures' | 'status'>> {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category: row.category,
    tags: row.tags,
    transport: row.transport,
    uptime: row.uptime,
    responseTime: row.response_time_ms,
    lastUpdated: row.last_updated.toISOString(),
    audited: row.audited,
    openSource: row.open_source,
    endpoint: row.endpoint,
    ...(row.protocol === null ? {} : { protocol: row.protocol }),
    figures: row.figures_claimed ? 'claimed' : 'observed',
    status: row.status,
  };
}
