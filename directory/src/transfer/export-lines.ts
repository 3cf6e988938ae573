import { crc32 } from 'node:zlib';

// The lines of an export: a head, a line for each row, and an end. Each row has the checksum of all rows up to it, so
// that the first line that was damaged, removed or moved is known.

export const HEAD_START = '{"export":"probity-directory",';

export function headLine(schema: number): string {
  return `${HEAD_START}"version":${VERSION},"schema":${schema}}`;
}

/** The version of these lines. */
const VERSION = 1;

export function schemaIn(head: string): { readonly schema: number } | { readonly version: number | null } {
  try {
    const { version, schema } = JSON.parse(head) as { version?: unknown; schema?: unknown };
    if (version === VERSION && typeof schema === 'number') return { schema };
    return { version: typeof version === 'number' ? version : null };
  } catch {
    return { version: null };
  }
}

/** Sums up the rows of an export as they are written or read. */
export class RowSum {
  #sum = 0;
  count = 0;

  /** The sum after one more row. */
  add(table: string, row: string): string {
    this.#sum = crc32(`${table}${row}\n`, this.#sum);
    this.count += 1;
    return this.text;
  }

  get text(): string {
    return this.#sum.toString(16).padStart(8, '0');
  }
}

/** The row is not parsed and written again: the database reads its numbers exactly. */
export function rowLine(sum: RowSum, table: string, row: string): string {
  return `{"table":"${table}","sum":"${sum.add(table, row)}","row":${row}}`;
}

export function endLine({ count, text }: RowSum): string {
  return `{"end":{"rows":${count},"sum":"${text}"}}`;
}

const ROW_LINE = /^\{"table":"([a-z_]+)","sum":"([0-9a-f]{8})","row":(\{.*\})\}$/s;

export interface RowLine {
  readonly table: string;
  readonly sum: string;
  readonly row: string;
}

export function readRowLine(line: string): RowLine | null {
  const [, table, sum, row] = ROW_LINE.exec(line) ?? [];
  return table === undefined || sum === undefined || row === undefined ? null : { table, sum, row };
}
