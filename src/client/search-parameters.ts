import { anyNumber, flag, listOf, oneOf, text } from '../model/arguments.ts';
import type { Kinds } from '../model/kind.ts';
import type { Transport } from '../model/target.ts';
import { DirectoryError } from './directory-error.ts';

/** The filters of a search (specification, section 4.1); all are optional. */
export interface DirectoryQuery {
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  /** A server must have all of them. */
  readonly tags?: readonly string[] | undefined;
  readonly transport?: Transport | undefined;
  /** Percentage, 0 to 100. */
  readonly minUptime?: number | undefined;
  /** Milliseconds. */
  readonly maxResponseTime?: number | undefined;
  readonly audited?: boolean | undefined;
  readonly openSource?: boolean | undefined;
  /** Servers whose record changed at this time or later: a date with a time, such as 2026-11-25T09:30:00Z. An extension. */
  readonly updatedSince?: string | undefined;
  /** Page size, up to 100. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export const MAX_PAGE = 100;

export const QUERY_OPTIONS = {
  q: text,
  category: text,
  tags: listOf(text),
  transport: oneOf('http', 'websocket'),
  minUptime: anyNumber,
  maxResponseTime: anyNumber,
  audited: flag,
  openSource: flag,
  updatedSince: text,
  limit: anyNumber,
  offset: anyNumber,
} satisfies Kinds<DirectoryQuery>;

/** The query of a search, in the order of the specification and its extension; several tags are repeated. Pure. */
export function searchParameters(query: DirectoryQuery): string {
  requireRange('minUptime', query.minUptime, { min: 0, max: 100 });
  requireRange('maxResponseTime', query.maxResponseTime, { min: 0 });
  requireRange('limit', query.limit, { min: 1, max: MAX_PAGE, whole: true });
  requireRange('offset', query.offset, { min: 0, whole: true });
  const given = new URLSearchParams();
  for (const name of Object.keys(QUERY_OPTIONS) as (keyof DirectoryQuery)[])
    for (const value of [query[name] ?? []].flat()) if (value !== '') given.append(name, String(value));
  return given.toString();
}

interface Range {
  readonly min: number;
  readonly max?: number;
  readonly whole?: boolean;
}

function requireRange(name: string, value: number | undefined, { min, max, whole = false }: Range): void {
  if (value === undefined) return;
  const fits = Number.isFinite(value) && value >= min && (max === undefined || value <= max);
  if (fits && (!whole || Number.isSafeInteger(value))) return;
  const range = max === undefined ? `${min} or more` : `from ${min} to ${max}`;
  throw new DirectoryError(`${name} is ${value}. Give a ${whole ? 'whole ' : ''}number, ${range}.`, {
    code: 'bad-argument',
  });
}
