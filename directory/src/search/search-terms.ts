import { include, type SlotSet, withAdded } from './slot-sets.ts';

/** Which slots of a search index have which term: a word, a tag or a category. */
export interface SearchTerms {
  add(term: string, slot: number): void;
  /** Includes the slots with a term in a set. */
  find(term: string, into: SlotSet): void;
  /** Includes the slots with a term that begins with a text. */
  findPrefix(prefix: string, into: SlotSet): void;
  /** Removes the slots without the property from all terms. */
  keepWhere(isKept: (slot: number) => boolean): void;
}

interface Term {
  readonly text: string;
  slots: number[];
}

/** The terms that begin with the same character. They are sorted when a search needs them, because sorting all takes seconds. */
interface Bucket {
  /** All terms, except the `unsorted` ones. */
  sorted: readonly Term[];
  unsorted: Term[];
}

export function createSearchTerms(): SearchTerms {
  const terms = new Map<string, Term>();
  const buckets = new Map<string, Bucket>();
  return {
    add: (text, slot) => {
      const term = terms.get(text);
      if (term !== undefined) {
        term.slots.push(slot);
        return;
      }
      const fresh = { text, slots: [slot] };
      terms.set(text, fresh);
      const bucket = buckets.get(text.charAt(0));
      if (bucket === undefined) buckets.set(text.charAt(0), { sorted: [], unsorted: [fresh] });
      else bucket.unsorted.push(fresh);
    },
    find: (text, into) => includeAll(terms.get(text), into),
    findPrefix: (prefix, into) => {
      const bucket = buckets.get(prefix.charAt(0));
      if (bucket === undefined) return;
      const sorted = sortedTerms(bucket);
      const start = placeOf(sorted, (text) => text < prefix);
      const end = placeOf(sorted, (text) => text < prefix || text.startsWith(prefix));
      for (let at = start; at < end; at += 1) includeAll(sorted[at], into);
    },
    keepWhere: (isKept) => {
      for (const term of terms.values()) {
        if (term.slots.every(isKept)) continue;
        term.slots = term.slots.filter(isKept);
        if (term.slots.length === 0) terms.delete(term.text);
      }
      for (const [first, bucket] of buckets) {
        bucket.sorted = bucket.sorted.filter(isUsed);
        bucket.unsorted = bucket.unsorted.filter(isUsed);
        if (bucket.sorted.length + bucket.unsorted.length === 0) buckets.delete(first);
      }
    },
  };
}

function sortedTerms(bucket: Bucket): readonly Term[] {
  if (bucket.unsorted.length > 0) {
    bucket.sorted = withAdded(bucket.sorted, bucket.unsorted, (one, other) =>
      one.text < other.text ? -1 : 1,
    );
    bucket.unsorted = [];
  }
  return bucket.sorted;
}

function isUsed({ slots }: Term): boolean {
  return slots.length > 0;
}

function includeAll(term: Term | undefined, into: SlotSet): void {
  if (term !== undefined) for (const slot of term.slots) include(into, slot);
}

/** The number of terms at the beginning that have a property, which none after them has. */
function placeOf(sorted: readonly Term[], isBefore: (text: string) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const term = sorted[middle];
    if (term !== undefined && isBefore(term.text)) low = middle + 1;
    else high = middle;
  }
  return low;
}
