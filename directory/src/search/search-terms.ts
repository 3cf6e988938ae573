import { compareTexts, countOf, include, type SlotSet, withAdded } from './slot-sets.ts';

interface Term {
  readonly text: string;
  slots: number[];
}

export interface TermCount {
  readonly value: string;
  readonly count: number;
}

/** The terms that begin with the same character. They are sorted when a search needs them, because sorting all takes seconds. */
interface Bucket {
  /** All terms, except the `unsorted` ones. */
  sorted: readonly Term[];
  unsorted: Term[];
}

/** Which slots of a search index have which term: a word, a tag or a category. */
export class SearchTerms {
  readonly #terms = new Map<string, Term>();
  readonly #buckets = new Map<string, Bucket>();

  add(text: string, slot: number): void {
    const known = this.#terms.get(text);
    if (known !== undefined) {
      known.slots.push(slot);
      return;
    }
    const term = { text, slots: [slot] };
    this.#terms.set(text, term);
    const bucket = this.#buckets.get(text.charAt(0));
    if (bucket === undefined) this.#buckets.set(text.charAt(0), { sorted: [], unsorted: [term] });
    else bucket.unsorted.push(term);
  }

  find(text: string, into: SlotSet): void {
    for (const slot of this.#terms.get(text)?.slots ?? []) include(into, slot);
  }

  /** Includes the slots with a term that begins with a text. */
  findPrefix(prefix: string, into: SlotSet): void {
    const bucket = this.#buckets.get(prefix.charAt(0));
    if (bucket === undefined) return;
    const sorted = sortedTerms(bucket);
    for (let at = placeOf(sorted, prefix); sorted[at]?.text.startsWith(prefix) === true; at += 1)
      for (const slot of sorted[at]?.slots ?? []) include(into, slot);
  }

  /** The terms that most slots of a set have, with their numbers: the most frequent first, then by text. */
  mostFrequent(within: SlotSet, max: number): readonly TermCount[] {
    const best: TermCount[] = [];
    for (const { text, slots } of this.#terms.values()) {
      const least = best.length < max ? 1 : (best.at(-1)?.count ?? 1);
      // Most terms are rare, and need no count.
      if (slots.length < least) continue;
      const found = { value: text, count: countOf(within, slots) };
      if (found.count < least) continue;
      const place = best.findIndex((one) => byFrequency(found, one) < 0);
      best.splice(place === -1 ? best.length : place, 0, found);
      if (best.length > max) best.pop();
    }
    return best;
  }

  /** Removes the slots without the property from all terms. */
  keepWhere(isKept: (slot: number) => boolean): void {
    for (const term of this.#terms.values()) {
      if (term.slots.every(isKept)) continue;
      term.slots = term.slots.filter(isKept);
      if (term.slots.length === 0) this.#terms.delete(term.text);
    }
    const isUsed = ({ slots }: Term): boolean => slots.length > 0;
    for (const [first, bucket] of this.#buckets) {
      bucket.sorted = bucket.sorted.filter(isUsed);
      bucket.unsorted = bucket.unsorted.filter(isUsed);
      if (bucket.sorted.length + bucket.unsorted.length === 0) this.#buckets.delete(first);
    }
  }
}

function byFrequency(one: TermCount, other: TermCount): number {
  return other.count - one.count || compareTexts(one.value, other.value);
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

/** The number of terms before a text. */
function placeOf(sorted: readonly Term[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle]?.text ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
