import { include, type SlotSet } from './slot-sets.ts';
import { withAdded } from './sorted.ts';

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

export function createSearchTerms(): SearchTerms {
  const terms = new Map<string, Term>();
  /** All terms, except the `unsorted` ones. */
  let sorted: readonly Term[] = [];
  let unsorted: Term[] = [];
  return {
    add: (text, slot) => {
      const term = terms.get(text);
      if (term !== undefined) term.slots.push(slot);
      else {
        const fresh = { text, slots: [slot] };
        terms.set(text, fresh);
        unsorted.push(fresh);
      }
    },
    find: (text, into) => includeAll(terms.get(text), into),
    findPrefix: (prefix, into) => {
      if (unsorted.length > 0) {
        sorted = withAdded(sorted, unsorted, byText);
        unsorted = [];
      }
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
      const isUsed = ({ slots }: Term): boolean => slots.length > 0;
      sorted = sorted.filter(isUsed);
      unsorted = unsorted.filter(isUsed);
    },
  };
}

function byText(one: Term, other: Term): number {
  return one.text < other.text ? -1 : 1;
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
