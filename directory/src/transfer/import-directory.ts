import { sql } from 'kysely';
import { ExpectedError } from 'probity/model';
import { hasRow, oneRow, run } from '../db/rows.ts';
import { SCHEMA_VERSION } from '../db/schema.ts';
import type { Db } from '../db/tables.ts';
import { tidyStore } from '../db/tidy.ts';
import { setUp } from './export-directory.ts';
import { endLine, type RowLine, RowSum, readRowLine, schemaIn } from './export-lines.ts';
import { columnsOf, EXPORTED_TABLES, type ExportedTable } from './exported-tables.ts';

/** An export that cannot be imported; the message names the line, and the remedy. */
export class ImportError extends ExpectedError {
  override readonly name = 'ImportError';
}

type Lines = AsyncIterable<string>;

/**
 * Reads an export up to its end, and writes nothing. Returns the number of rows.
 *
 * @throws ImportError when a line was damaged, or the end is missing
 */
export async function checkExport(lines: Lines): Promise<number> {
  let count = 0;
  for await (const _row of rowsIn(lines)) count += 1;
  return count;
}

/**
 * Writes an export into an empty directory: all of it, or nothing.
 *
 * @throws ImportError when the directory is not empty, or a line was damaged
 */
export async function importDirectory(db: Db, lines: Lines): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await setUp(transaction);
    await refuseFilled(transaction);
    for (const { name } of EXPORTED_TABLES.toReversed())
      await run(transaction)`delete from ${sql.table(name)}`;
    let batch: RowLine[] = [];
    let characters = 0;
    const flush = async (): Promise<void> => {
      await insertRows(transaction, batch);
      batch = [];
      characters = 0;
    };
    for await (const row of rowsIn(lines)) {
      if (batch.length > 0 && (batch[0]?.table !== row.table || characters > MAX_CHARACTERS)) await flush();
      batch.push(row);
      characters += row.row.length;
    }
    await flush();
    for (const table of EXPORTED_TABLES) await continueNumbers(transaction, table);
  });
  await tidyStore(db);
}

/** Of the rows that one statement inserts. */
const MAX_CHARACTERS = 2_000_000;

async function refuseFilled(db: Db): Promise<void> {
  const isFilled = await hasRow(db)`
    select from entries union all select from keys union all select from operator_log union all select from audits
    union all select from policies limit 1`;
  if (isFilled)
    throw new ImportError(
      'This directory has entries, keys or a log already, and an export holds a whole directory. Import it into a new one: name another folder with --data, or an empty database with DATABASE_URL. To add only its servers, import what `probity directory export --listings --data FOLDER` prints, with the folder that it comes from.',
    );
}

async function insertRows(db: Db, rows: readonly RowLine[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = sql.join((await columnsOf(db, first.table)).map(({ name }) => sql.ref(name)));
  const table = sql.table(first.table);
  await run(db)`
    insert into ${table} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${table}, ${`[${rows.map(({ row }) => row).join(',')}]`}::json)`;
}

async function continueNumbers(db: Db, { name, numbered }: ExportedTable): Promise<void> {
  if (numbered === undefined) return;
  const column = sql.ref(numbered);
  await oneRow(db)`
    select setval(pg_get_serial_sequence(${name}, ${numbered}), coalesce(max(${column}), 1), max(${column}) is not null)
    from ${sql.table(name)}`;
}

const NAMES: ReadonlySet<string> = new Set(EXPORTED_TABLES.map(({ name }) => name));

/** The rows of an export, each of which was checked. */
async function* rowsIn(lines: Lines): AsyncGenerator<RowLine> {
  const sum = new RowSum();
  let number = 0;
  let hasEnded = false;
  for await (const line of lines) {
    number += 1;
    if (number === 1) refuseVersion(line);
    else if (hasEnded) throw damaged(number, 'comes after the end of the export');
    else if (line.startsWith('{"end":')) {
      if (line !== endLine(sum)) throw damaged(number, 'says that rows are missing before it');
      hasEnded = true;
    } else {
      const row = readRowLine(line);
      if (row === null || !NAMES.has(row.table) || row.sum !== sum.add(row.table, row.row))
        throw damaged(number, 'was changed or damaged, or the line before it is missing');
      yield row;
    }
  }
  if (!hasEnded) throw damaged(number, 'is the last one, and not the end: the rest of the export is missing');
}

function refuseVersion(head: string): void {
  const found = schemaIn(head);
  if ('version' in found)
    throw damaged(
      1,
      found.version === null
        ? 'was damaged'
        : `has version ${found.version} of the export, which is unknown here`,
    );
  if (found.schema !== SCHEMA_VERSION)
    throw new ImportError(
      `The export has the tables of another version of the directory (${found.schema}; this one has ${SCHEMA_VERSION}). Import it with that version.`,
    );
}

function damaged(line: number, what: string): ImportError {
  return new ImportError(
    `Line ${line} of the export ${what}. Nothing was imported. Export the directory again, or use another copy of the file.`,
  );
}
