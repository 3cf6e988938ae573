import { anyNumber, flag, type Kinds, listOf, oneOf, text } from '../model/arguments.ts';
import type { Transport } from '../model/target.ts';
import { DirectoryError } from './directory-error.ts';

/** What to search for (specification, section 4.1); what is left out filters nothing. */
export interface DirectoryQuery {
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  /** All of them. */
  readonly tags?: readonly string[] | undefined;
  readonly transport?: Transport | undefined;
  /** Percentage, 0 to 100. */
  readonly minUptime?: number | undefined;
  /** Milliseconds. */
  readonly maxResponseTime?: number | undefined;
  readonly audited?: boolean | undefined;
  readonly openSource?: boolean | undefined;
  /** Page size, at most 100. */
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
  limit: anyNumber,
  offset: anyNumber,
} satisfies Kinds<DirectoryQuery>;

/** The query of a search, in the order of the specification; several tags are repeated. Pure. */
export function searchParameters(query: DirectoryQuery): string {
  requireRange('minUptime', query.minUptime, { least: 0, most: 100 });
  requireRange('maxResponseTime', query.maxResponseTime, { least: 0 });
  requireRange('limit', query.limit, { least: 1, most: MAX_PAGE, whole: true });
  requireRange('offset', query.offset, { least: 0, whole: true });
  const given = new URLSearchParams();
  for (const name of Object.keys(QUERY_OPTIONS) as (keyof DirectoryQuery)[])
    for (const value of [query[name] ?? []].flat()) if (value !== '') given.append(name, String(value));
  return given.toString();
}

interface Range {
  readonly least: number;
  readonly most?: number;
  readonly whole?: boolean;
}

function requireRange(name: string, value: number | undefined, { least, most, whole = false }: Range): void {
  if (value === undefined) return;
  const fits = Number.isFinite(value) && value >= least && (most === undefined || value <= most);
  if (fits && (!whole || Number.isSafeInteger(value))) return;
  const range = most === undefined ? `${least} or more` : `from ${least} to ${most}`;
  throw new DirectoryError(`${name} is ${value}. Give a ${whole ? 'whole ' : ''}number, ${range}.`, {
    code: 'bad-argument',
  });
}
