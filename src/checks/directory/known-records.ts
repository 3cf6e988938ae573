import { type Json, ownProperty } from '../../model/json.ts';
import type { JsonAnswer } from '../define-check.ts';
import { countIn, idOf, searchPage } from './search-page.ts';

/** What two reads of a directory's pages show, one before and one after the judged requests. */
export interface KnownRecords {
  /** Records that both reads returned, with the version of each. */
  readonly lasting: readonly LastingRecord[];
  /** The number of records, if every answer of both reads gives the same; null if it changed. */
  readonly total: number | null;
}

export interface LastingRecord {
  readonly id: string;
  readonly before: Json;
  readonly after: Json;
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
