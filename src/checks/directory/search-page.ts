import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import { type Exchange, urlOf } from '../../model/exchange.ts';
import type { JsonAnswer } from '../define-check.ts';

/** The answer of GET /servers/search (specification, sections 2.2 and 4.1). */
export interface SearchPage {
  readonly servers: readonly Json[];
  readonly pagination: JsonObject;
}

/** Null if the value is not a page of search results. */
export function searchPage(value: Json | undefined): SearchPage | null {
  const servers = ownProperty(value, 'servers');
  const pagination = ownProperty(value, 'pagination');
  if (!Array.isArray(servers) || !isJsonObject(pagination)) return null;
  return { servers: servers as readonly Json[], pagination };
}

export function queryOf(exchange: Pick<Exchange, 'request'>): URLSearchParams {
  return new URL(urlOf(exchange)).searchParams;
}

/** A whole number that the query gives, or null. */
export function queryNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  return text !== null && /^-?\d+$/.test(text) ? Number(text) : null;
}

/** A non-negative integer of the pagination object, or null. */
export function countIn({ pagination }: SearchPage, name: 'total' | 'limit' | 'offset'): number | null {
  const value = ownProperty(pagination, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Whether the page holds as many records as its limit allows. */
export function isFullPage(page: SearchPage, query: URLSearchParams): boolean {
  const limits = [countIn(page, 'limit'), queryNumber(query, 'limit')].filter((limit) => limit !== null);
  return page.servers.length >= Math.min(...limits);
}

/** The total of a search; null if the page is not full although total says that there are more records. */
export function credibleTotal(page: SearchPage, query: URLSearchParams): number | null {
  const total = countIn(page, 'total');
  if (total === null || total <= page.servers.length) return total;
  return isFullPage(page, query) ? total : null;
}

export function idOf(record: Json | undefined): string | null {
  const id = ownProperty(record, 'id');
  return typeof id === 'string' && id !== '' ? id : null;
}

/** What two reads of a directory's pages show, one before and one after the judged requests. */
export interface KnownRecords {
  /** Records that both reads returned, with the version of each. */
  readonly lasting: readonly { readonly id: string; readonly before: Json; readonly after: Json }[];
  /** The number of records, if every answer of both reads gives the same; null if it changed. */
  readonly total: number | null;
}

export function knownRecords(
  before: readonly JsonAnswer[] = [],
  after: readonly JsonAnswer[] = [],
): KnownRecords {
  const [first, second] = [recordsById(before), recordsById(after)];
  const lasting = [...first].flatMap(([id, record]) => {
    const later = second.get(id);
    return later === undefined ? [] : [{ id, before: record, after: later }];
  });
  const totals = [...before, ...after].flatMap(({ value }) => totalIn(value) ?? []);
  const largestTotal = Math.max(0, ...totals);
  return {
    lasting,
    // A total below the number of records read is wrong.
    total: new Set(totals).size === 1 && largestTotal >= lasting.length ? largestTotal : null,
  };
}

export function recordsById(answers: readonly { readonly value: Json }[]): ReadonlyMap<string, Json> {
  const records = answers.flatMap(({ value }) => searchPage(value)?.servers ?? []);
  return new Map(
    records.flatMap((record) => {
      const id = idOf(record);
      return id === null ? [] : [[id, record] as const];
    }),
  );
}

export function totalIn(value: Json): number | null {
  const page = searchPage(value);
  return page === null ? null : countIn(page, 'total');
}

export function nameOf(record: Json): string {
  const id = ownProperty(record, 'id');
  return typeof id === 'string' ? `"${id}"` : 'a record without an id';
}
