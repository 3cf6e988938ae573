import { createHash } from 'node:crypto';
import type { SearchQuery } from './search-query.ts';
import { SearchTerms } from './search-terms.ts';
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

const FIRST_CAPACITY = 1024;
/** Slots of removed entries are freed together, because that reads all terms: this share of all, and at least so many. */
const FREED_SHARE = 1 / 20;
const MIN_FREED = 1000;

const FLAGS = ['audited', 'openSource', 'speaksHttp', 'speaksWebsocket'] as const;

/** All listed entries, in memory. Each has a slot, and for each term and flag there is a set of slots. */
export class SearchIndex {
  readonly #slotOf = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #sortNames: string[] = [];
  /** Of the texts of each slot. */
  readonly #digests: string[] = [];
  readonly #categories = new SearchTerms();
  readonly #tags = new SearchTerms();
  readonly #words = new SearchTerms();
  readonly #nameWords = new SearchTerms();
  #capacity = FIRST_CAPACITY;
  #listed = emptySet(FIRST_CAPACITY);
  readonly #flags = {
    audited: emptySet(FIRST_CAPACITY),
    openSource: emptySet(FIRST_CAPACITY),
    speaksHttp: emptySet(FIRST_CAPACITY),
    speaksWebsocket: emptySet(FIRST_CAPACITY),
  };
  #uptimes = new Float64Array(FIRST_CAPACITY);
  #responseTimesMs = new Float64Array(FIRST_CAPACITY);
  #changedAtMs = new Float64Array(FIRST_CAPACITY);
  /** Slots in the order of results, except the `unordered` ones. May contain `removed` ones. */
  #ordered: readonly number[] = [];
  #unordered: number[] = [];
  #removed: number[] = [];
  #free: number[] = [];

  put(entry: IndexedEntry): void {
    const slot = this.#putTexts(entry.id, entry.texts);
    for (const flag of FLAGS)
      if (entry[flag]) include(this.#flags[flag], slot);
      else exclude(this.#flags[flag], slot);
    this.#uptimes[slot] = entry.uptime;
    this.#responseTimesMs[slot] = entry.responseTimeMs;
    this.#changedAtMs[slot] = entry.changedAtMs ?? Number.NEGATIVE_INFINITY;
  }

  remove(id: string): void {
    const slot = this.#slotOf.get(id);
    if (slot === undefined) return;
    this.#slotOf.delete(id);
    exclude(this.#listed, slot);
    this.#removed.push(slot);
    if (this.#removed.length >= Math.max(MIN_FREED, FREED_SHARE * this.#slotOf.size)) this.#freeRemoved();
  }

  find(query: SearchQuery): FoundIds {
    const { words, limit, offset } = query;
    // A text without words finds nothing.
    if (words?.length === 0) return { ids: [], total: 0 };
    this.#order();
    const found = this.#matching(query);
    const total = sizeOf(found);
    if (offset >= total) return { ids: [], total };
    if (words === null) return { ids: this.#page(found, offset, limit), total };
    const inNames = this.#withAll(words, this.#nameWords, 'findPrefix');
    keepOnly(inNames, found);
    keepOnly(found, inNames, false);
    const first = sizeOf(inNames);
    const page = offset < first ? this.#page(inNames, offset, limit) : [];
    const rest = this.#page(found, Math.max(0, offset - first), limit - page.length);
    return { ids: [...page, ...rest], total };
  }

  #putTexts(id: string, texts: string): number {
    const digest = createHash('sha256').update(texts).digest('base64');
    const known = this.#slotOf.get(id);
    if (known !== undefined && this.#digests[known] === digest) return known;
    this.remove(id);
    const [sortName, category, tags, words, nameWords] = JSON.parse(texts) as IndexedTexts;
    const slot = this.#newSlot();
    this.#slotOf.set(id, slot);
    this.#ids[slot] = id;
    this.#sortNames[slot] = sortName;
    this.#digests[slot] = digest;
    this.#categories.add(category, slot);
    for (const tag of tags) this.#tags.add(tag, slot);
    for (const word of words) this.#words.add(word, slot);
    for (const word of nameWords) this.#nameWords.add(word, slot);
    include(this.#listed, slot);
    this.#unordered.push(slot);
    return slot;
  }

  #newSlot(): number {
    const slot = this.#free.pop() ?? this.#ids.length;
    if (slot < this.#capacity) return slot;
    this.#capacity *= 2;
    const [capacity, flags] = [this.#capacity, this.#flags];
    this.#listed = grown(this.#listed, emptySet(capacity));
    for (const flag of FLAGS) flags[flag] = grown(flags[flag], emptySet(capacity));
    this.#uptimes = grown(this.#uptimes, new Float64Array(capacity));
    this.#responseTimesMs = grown(this.#responseTimesMs, new Float64Array(capacity));
    this.#changedAtMs = grown(this.#changedAtMs, new Float64Array(capacity));
    return slot;
  }

  #freeRemoved(): void {
    const isListed = (slot: number): boolean => has(this.#listed, slot);
    for (const terms of [this.#categories, this.#tags, this.#words, this.#nameWords])
      terms.keepWhere(isListed);
    this.#ordered = this.#ordered.filter(isListed);
    this.#unordered = this.#unordered.filter(isListed);
    this.#free = this.#free.concat(this.#removed);
    this.#removed = [];
  }

  #order(): void {
    if (this.#unordered.length === 0) return;
    const [names, ids] = [this.#sortNames, this.#ids];
    this.#ordered = withAdded(
      this.#ordered,
      this.#unordered.filter((slot) => has(this.#listed, slot)),
      (one, other) =>
        compareTexts(names[one] ?? '', names[other] ?? '') || compareTexts(ids[one] ?? '', ids[other] ?? ''),
    );
    this.#unordered = [];
  }

  #withAll(values: readonly string[], terms: SearchTerms, match: 'find' | 'findPrefix'): SlotSet {
    const found = this.#listed.slice();
    for (const value of values) {
      const one = emptySet(this.#capacity);
      terms[match](value, one);
      keepOnly(found, one);
    }
    return found;
  }

  #matching({ words, category, tags, transport, ...query }: SearchQuery): SlotSet {
    const { audited, openSource, minUptime, maxResponseTimeMs, updatedSince } = query;
    const flags = this.#flags;
    const found = this.#withAll(tags, this.#tags, 'find');
    if (category !== null) keepOnly(found, this.#withAll([category], this.#categories, 'find'));
    if (words !== null) keepOnly(found, this.#withAll(words, this.#words, 'findPrefix'));
    if (transport !== null) keepOnly(found, transport === 'http' ? flags.speaksHttp : flags.speaksWebsocket);
    if (audited !== null) keepOnly(found, flags.audited, audited);
    if (openSource !== null) keepOnly(found, flags.openSource, openSource);
    if (minUptime !== null) keepWhere(found, (slot) => (this.#uptimes[slot] ?? 0) >= minUptime);
    if (maxResponseTimeMs !== null)
      keepWhere(found, (slot) => (this.#responseTimesMs[slot] ?? 0) <= maxResponseTimeMs);
    if (updatedSince !== null) {
      const sinceMs = updatedSince.getTime();
      keepWhere(found, (slot) => (this.#changedAtMs[slot] ?? 0) >= sinceMs);
    }
    return found;
  }

  #page(found: SlotSet, offset: number, limit: number): readonly string[] {
    const page: string[] = [];
    let skipped = 0;
    for (const slot of this.#ordered) {
      if (page.length >= limit) break;
      if (!has(found, slot)) continue;
      if (skipped < offset) skipped += 1;
      else page.push(this.#ids[slot] ?? '');
    }
    return page;
  }
}

function grown<Values extends SlotSet | Float64Array>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}
