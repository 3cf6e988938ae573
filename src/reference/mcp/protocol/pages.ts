import type { JsonObject } from '../../validate-input.ts';
import { ProtocolError } from './messages.ts';

type Page<Entry> = { readonly entries: readonly Entry[]; readonly nextCursor: string | undefined };

/** A page of a list. A cursor is the key of its first entry: it stays valid when entries are added. */
export const pageOf = <Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  pageSize: number,
  { cursor }: JsonObject,
): Page<Entry> => {
  const first = cursor === undefined ? 0 : entries.findIndex((entry) => keyOf(entry) === cursor);
  if (first === -1) throw new ProtocolError('invalidParams', 'The cursor is unknown.');
  const next = entries[first + pageSize];
  return {
    entries: entries.slice(first, first + pageSize),
    nextCursor: next === undefined ? undefined : keyOf(next),
  };
};
