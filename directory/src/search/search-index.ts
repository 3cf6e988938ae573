import { createHash } from 'node:crypto';
import type { SearchedWord } from '../entries/words.ts';
import { type Facets, facetsOf } from './search-facets.ts';
import type { SearchQuery } from './search-query.ts';
import { SearchTerms } from './search-terms.ts';
import { type Facts, SlotFacts } from './slot-facts.ts';
import {
  compareTexts,
  emptySet,
  exclude,
  grown,
  has,
  include,
  keepOnly,
  type SlotSet,
  sizeOf,
  takeOut,
  union,
} from './slot-sets.ts';

/** A listed entry, as searches see it. */
export interface IndexedEntry extends Facts {
  readonly id: string;
  /** `IndexedTexts` as JSON text. */
  readonly texts: string;
}

/** What of an entry seldom changes. */
type IndexedTexts = readonly [
  sortName: string,
  category: string,
  tags: readonly string[],
  words: readonly string[],
  nameWords: readonly string[],
  /** As they are written. */
  writtenCategory: string,
  writtenTags: readonly string[],
];

export interface FoundIds {
  /** Of the page, in order. */
  readonly ids: readonly string[];
  readonly total: number;
  /** Null when the query does not ask for them. */
  readonly facets: Facets | null;
}

const FIRST_CAPACITY = 1024;
/** Slots of removed entries are freed together, because that reads all terms: this share of all, and at least so many. */
const FREED_SHARE = 1 / 20;
const MIN_FREED = 1000;

/** All listed entries, in memory. Each has a slot, and for each term and fact there is a set of slots. */
export class SearchIndex {
  readonly #slotOf = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #sortNames: string[] = [];
  /** Of the texts of each slot. */
  readonly #digests: string[] = [];
  /** How a category or a tag is written, where its key is written otherwise; the first entry with it decides. */
  readonly #written = new Map<string, string>();
  readonly #categories = new SearchTerms();
  readonly #tags = new SearchTerms();
  readonly #words = new SearchTerms();
  readonly #nameWords = new SearchTerms();
  #capacity = FIRST_CAPACITY;
  #listed = emptySet(FIRST_CAPACITY);
  readonly #facts = new SlotFacts(FIRST_CAPACITY, (one, other) => this.#byName(one, other));
  #removed: number[] = [];
  #free: number[] = [];

  put(entry: IndexedEntry): void {
    const digest = createHash('sha256').update(entry.texts).digest('base64');
    const known = this.#slotOf.get(entry.id);
    const isNew = known === undefined || this.#digests[known] !== digest;
    const slot = isNew ? this.#putTexts(entry, digest) : known;
    this.#facts.put(slot, entry, isNew);
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
    const found = this.#matching(query);
    const total = sizeOf(found);
    const facets = query.facets
      ? facetsOf(query, found, (changed) => this.#matching(changed), {
          categories: this.#categories,
          tags: this.#tags,
          facts: this.#facts,
          written: this.#written,
        })
      : null;
    return { ids: query.offset < total ? this.#page(found, query) : [], total, facets };
  }

  #putTexts({ id, texts }: IndexedEntry, digest: string): number {
    this.remove(id);
    const [sortName, category, tags, words, nameWords, writtenCategory, writtenTags] = JSON.parse(
      texts,
    ) as IndexedTexts;
    const slot = this.#newSlot();
    this.#slotOf.set(id, slot);
    this.#ids[slot] = id;
    this.#sortNames[slot] = sortName;
    this.#digests[slot] = digest;
    this.#noteWritten(category, writtenCategory);
    // Tags that differ only in case have one key.
    if (tags.length === writtenTags.length)
      for (const [index, tag] of tags.entries()) this.#noteWritten(tag, writtenTags[index] ?? tag);
    this.#categories.add(category, slot);
    for (const tag of tags) this.#tags.add(tag, slot);
    for (const word of words) this.#words.add(word, slot);
    for (const word of nameWords) this.#nameWords.add(word, slot);
    include(this.#listed, slot);
    return slot;
  }

  #noteWritten(key: string, written: string): void {
    if (written !== key && !this.#written.has(key)) this.#written.set(key, written);
  }

  #newSlot(): number {
    const slot = this.#free.pop() ?? this.#ids.length;
    if (slot < this.#capacity) return slot;
    this.#capacity *= 2;
    this.#listed = grown(this.#listed, emptySet(this.#capacity));
    this.#facts.grow(this.#capacity);
    return slot;
  }

  #freeRemoved(): void {
    const isListed = (slot: number): boolean => has(this.#listed, slot);
    for (const terms of [this.#categories, this.#tags, this.#words, this.#nameWords])
      terms.keepWhere(isListed);
    this.#facts.keepOrdered(this.#listed);
    this.#free = this.#free.concat(this.#removed);
    this.#removed = [];
  }

  #byName(one: number, other: number): number {
    const [names, ids] = [this.#sortNames, this.#ids];
    return (
      compareTexts(names[one] ?? '', names[other] ?? '') || compareTexts(ids[one] ?? '', ids[other] ?? '')
    );
  }

  #matching(query: SearchQuery): SlotSet {
    const { words, category, tags } = query;
    const found = this.#listed.slice();
    // A text without words finds nothing.
    if (words?.length === 0) return emptySet(this.#capacity);
    for (const tag of tags) keepOnly(found, this.#having(tag, this.#tags));
    if (category !== null) keepOnly(found, this.#having(category, this.#categories));
    for (const word of words ?? []) keepOnly(found, this.#withWord(word, this.#words));
    this.#facts.keepMatching(found, query);
    return found;
  }

  /** Destroys `found`. */
  #page(found: SlotSet, { words, sort, offset, limit }: SearchQuery): readonly string[] {
    const ordered = this.#facts.ordered(sort ?? 'name', this.#listed);
    const page: string[] = [];
    let left = offset;
    for (const group of sort === null && words !== null ? this.#byRelevance(found, words) : [found]) {
      const size = sizeOf(group);
      if (left < size)
        for (const slot of ordered) {
          if (page.length >= limit) return page;
          if (!has(group, slot)) continue;
          if (left > 0) left -= 1;
          else page.push(this.#ids[slot] ?? '');
        }
      else left -= size;
    }
    return page;
  }

  /**
   * What a search with a text found, the best first: entries with words such as c++ as they are written, before those
   * that only have their parts; and each time those whose names have all of the words.
   */
  #byRelevance(found: SlotSet, words: readonly SearchedWord[]): readonly SlotSet[] {
    const withAll = (terms: SearchTerms, asWritten: boolean): SlotSet => {
      const slots = found.slice();
      for (const word of words)
        keepOnly(slots, asWritten ? this.#beginning(word.text, terms) : this.#withWord(word, terms));
      return slots;
    };
    const best = words.some(({ parts }) => parts.length > 0)
      ? [takeOut(found, withAll(this.#nameWords, true)), takeOut(found, withAll(this.#words, true))]
      : [];
    return [...best, takeOut(found, withAll(this.#nameWords, false)), found];
  }

  #withWord({ text, parts }: SearchedWord, terms: SearchTerms): SlotSet {
    const written = this.#beginning(text, terms);
    const [first, ...others] = parts.map((part) =>
      // Nearly everything has a word that begins with a certain letter.
      part.length === 1 ? this.#having(part, terms) : this.#beginning(part, terms),
    );
    if (first === undefined) return written;
    for (const other of others) keepOnly(first, other);
    return union([written, first]);
  }

  #having(text: string, terms: SearchTerms): SlotSet {
    const slots = emptySet(this.#capacity);
    terms.find(text, slots);
    return slots;
  }

  #beginning(text: string, terms: SearchTerms): SlotSet {
    const slots = emptySet(this.#capacity);
    terms.findPrefix(text, slots);
    return slots;
  }
}
