import { createHash } from 'node:crypto';
import type { SearchQuery } from './search-query.ts';
import { createSearchTerms } from './search-terms.ts';
import {
  compareTexts,
  emptySet,
  exclude,
  has,
  include,
  keepOnly,
  keepWhere,
  type SlotSet,
  sizeOf,
  withAdded,
} from './slot-sets.ts';

/** A listed entry, as searches see it. */
export interface IndexedEntry {
  readonly id: string;
  /** `IndexedTexts` as JSON text. */
  readonly texts: string;
  readonly audited: boolean;
  readonly openSource: boolean;
  readonly speaksHttp: boolean;
  readonly speaksWebsocket: boolean;
  readonly uptime: number;
  readonly responseTimeMs: number;
  /** Milliseconds since 1970; null: it never changed since changes are noted. */
  readonly changedAtMs: number | null;
}

/** What of an entry seldom changes. */
type IndexedTexts = readonly [
  sortName: string,
  category: string,
  tags: readonly string[],
  words: readonly string[],
  nameWords: readonly string[],
];

export interface FoundIds {
  /** Of the page, in order. */
  readonly ids: readonly string[];
  readonly total: number;
}

/** All listed entries, in memory. */
export interface SearchIndex {
  /** Adds an entry or replaces it. */
  put(entry: IndexedEntry): void;
  remove(id: string): void;
  find(query: SearchQuery): FoundIds;
}

const FIRST_CAPACITY = 1024;
/** Slots of removed entries are freed together, because that reads all terms: this share of all, and at least so many. */
const FREED_SHARE = 1 / 20;
const MIN_FREED = 1000;

const FLAGS = ['audited', 'openSource', 'speaksHttp', 'speaksWebsocket'] as const;

export function createSearchIndex(): SearchIndex {
  const slotOf = new Map<string, number>();
  const ids: string[] = [];
  const sortNames: string[] = [];
  /** Of the texts of each slot. */
  const digests: string[] = [];
  const categories = createSearchTerms();
  const tags = createSearchTerms();
  const words = createSearchTerms();
  const nameWords = createSearchTerms();
  let capacity = FIRST_CAPACITY;
  let listed = emptySet(capacity);
  const flags = {
    audited: emptySet(capacity),
    openSource: emptySet(capacity),
    speaksHttp: emptySet(capacity),
    speaksWebsocket: emptySet(capacity),
  };
  let uptimes = new Float64Array(capacity);
  let responseTimesMs = new Float64Array(capacity);
  let changedAtMs = new Float64Array(capacity);
  /** Slots in the order of results, except the `unordered` ones. May contain `removed` ones. */
  let ordered: readonly number[] = [];
  let unordered: number[] = [];
  let removed: number[] = [];
  let free: number[] = [];

  const bySortName = (one: number, other: number): number =>
    compareTexts(sortNames[one] ?? '', sortNames[other] ?? '') ||
    compareTexts(ids[one] ?? '', ids[other] ?? '');

  const freeRemoved = (): void => {
    const isListed = (slot: number): boolean => has(listed, slot);
    for (const terms of [categories, tags, words, nameWords]) terms.keepWhere(isListed);
    ordered = ordered.filter(isListed);
    unordered = unordered.filter(isListed);
    free = free.concat(removed);
    removed = [];
  };
  const newSlot = (): number => {
    const slot = free.pop() ?? ids.length;
    if (slot < capacity) return slot;
    capacity *= 2;
    listed = grown(listed, emptySet(capacity));
    for (const flag of FLAGS) flags[flag] = grown(flags[flag], emptySet(capacity));
    uptimes = grown(uptimes, new Float64Array(capacity));
    responseTimesMs = grown(responseTimesMs, new Float64Array(capacity));
    changedAtMs = grown(changedAtMs, new Float64Array(capacity));
    return slot;
  };
  const remove = (id: string): void => {
    const slot = slotOf.get(id);
    if (slot === undefined) return;
    slotOf.delete(id);
    exclude(listed, slot);
    removed.push(slot);
    if (removed.length >= Math.max(MIN_FREED, FREED_SHARE * slotOf.size)) freeRemoved();
  };
  const add = (id: string, texts: string, digest: string): number => {
    const [sortName, category, ofTags, ofWords, ofName] = JSON.parse(texts) as IndexedTexts;
    const slot = newSlot();
    slotOf.set(id, slot);
    ids[slot] = id;
    sortNames[slot] = sortName;
    digests[slot] = digest;
    categories.add(category, slot);
    for (const tag of ofTags) tags.add(tag, slot);
    for (const word of ofWords) words.add(word, slot);
    for (const word of ofName) nameWords.add(word, slot);
    include(listed, slot);
    unordered.push(slot);
    return slot;
  };
  const putSlot = (id: string, texts: string): number => {
    const digest = createHash('sha256').update(texts).digest('base64');
    const known = slotOf.get(id);
    if (known !== undefined && digests[known] === digest) return known;
    remove(id);
    return add(id, texts, digest);
  };
  const withAll = (values: readonly string[], find: (value: string, into: SlotSet) => void): SlotSet => {
    const found = listed.slice();
    for (const value of values) {
      const one = emptySet(capacity);
      find(value, one);
      keepOnly(found, one);
    }
    return found;
  };
  const matching = (query: SearchQuery): SlotSet => {
    const { category, transport, minUptime, maxResponseTimeMs, updatedSince } = query;
    const found = withAll(query.tags, tags.find);
    if (category !== null) keepOnly(found, withAll([category], categories.find));
    if (query.words !== null) keepOnly(found, withAll(query.words, words.findPrefix));
    if (transport !== null) keepOnly(found, transport === 'http' ? flags.speaksHttp : flags.speaksWebsocket);
    if (query.audited !== null) keepOnly(found, flags.audited, query.audited);
    if (query.openSource !== null) keepOnly(found, flags.openSource, query.openSource);
    if (minUptime !== null) keepWhere(found, (slot) => (uptimes[slot] ?? 0) >= minUptime);
    if (maxResponseTimeMs !== null)
      keepWhere(found, (slot) => (responseTimesMs[slot] ?? 0) <= maxResponseTimeMs);
    if (updatedSince !== null) {
      const sinceMs = updatedSince.getTime();
      keepWhere(found, (slot) => (changedAtMs[slot] ?? 0) >= sinceMs);
    }
    return found;
  };
  const pageOf = (found: SlotSet, offset: number, limit: number): readonly string[] => {
    const page: string[] = [];
    let skipped = 0;
    for (const slot of ordered) {
      if (page.length >= limit) break;
      if (!has(found, slot)) continue;
      if (skipped < offset) skipped += 1;
      else page.push(ids[slot] ?? '');
    }
    return page;
  };

  return {
    put: (entry) => {
      const slot = putSlot(entry.id, entry.texts);
      for (const flag of FLAGS)
        if (entry[flag]) include(flags[flag], slot);
        else exclude(flags[flag], slot);
      uptimes[slot] = entry.uptime;
      responseTimesMs[slot] = entry.responseTimeMs;
      changedAtMs[slot] = entry.changedAtMs ?? Number.NEGATIVE_INFINITY;
    },
    remove,
    find: (query) => {
      const { limit, offset } = query;
      // A text without words finds nothing.
      if (query.words?.length === 0) return { ids: [], total: 0 };
      if (unordered.length > 0) {
        ordered = withAdded(
          ordered,
          unordered.filter((slot) => has(listed, slot)),
          bySortName,
        );
        unordered = [];
      }
      const found = matching(query);
      const total = sizeOf(found);
      if (offset >= total) return { ids: [], total };
      if (query.words === null) return { ids: pageOf(found, offset, limit), total };
      const inNames = withAll(query.words, nameWords.findPrefix);
      keepOnly(inNames, found);
      keepOnly(found, inNames, false);
      const first = sizeOf(inNames);
      const page = offset < first ? pageOf(inNames, offset, limit) : [];
      const rest = pageOf(found, Math.max(0, offset - first), limit - page.length);
      return { ids: [...page, ...rest], total };
    },
  };
}

function grown<Values extends SlotSet | Float64Array>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}
