import type { SearchQuery } from './search-query.ts';
import type { SearchTerms } from './search-terms.ts';
import type { SlotFacts } from './slot-facts.ts';
import { type SlotSet, sizeOfBoth } from './slot-sets.ts';
import type { SlotValues } from './slot-values.ts';

/** A value by which a search can be narrowed, and how many entries it finds with it. */
export interface FacetValue {
  readonly value: string;
  /** The value as an entry writes it, for people; absent if that is the value. */
  readonly written?: string;
  readonly count: number;
}

/** By the parameter that narrows the search. */
export const FACETS = ['category', 'tags', 'transport', 'protocol', 'status', 'verdict'] as const;
export type Facets = Readonly<Record<(typeof FACETS)[number], readonly FacetValue[]>>;

/** Of categories and of tags, the most frequent are enough to narrow a search. */
export const MAX_FACET_VALUES = 30;

interface Parts {
  readonly categories: SearchTerms;
  readonly tags: SearchTerms;
  readonly facts: SlotFacts;
  readonly written: ReadonlyMap<string, string>;
}

/**
 * Of a condition that allows one value, or any of several, the counts are those of the search without this condition:
 * they say what another choice would find. Tags add up, so that theirs are of the search as it is.
 */
export function facetsOf(
  query: SearchQuery,
  found: SlotSet,
  matching: (query: SearchQuery) => SlotSet,
  { categories, tags, facts, written }: Parts,
): Facets {
  const without = (name: 'category' | 'transport' | 'protocol' | 'verdict'): SlotSet =>
    query[name] === null ? found : matching({ ...query, [name]: null });
  const frequent = (terms: SearchTerms, within: SlotSet): readonly FacetValue[] =>
    terms.mostFrequent(within, MAX_FACET_VALUES).map((one) => {
      const label = written.get(one.value);
      return label === undefined ? one : { ...one, written: label };
    });
  return {
    category: frequent(categories, without('category')),
    tags: frequent(tags, found),
    transport: countsOf(facts.transports, without('transport')),
    protocol: countsOf(facts.protocols, without('protocol')),
    status: countsOf(
      facts.statuses,
      query.statuses.length === 0 ? found : matching({ ...query, statuses: [] }),
    ),
    verdict: countsOf(facts.verdicts, without('verdict')),
  };
}

/** The values that entries have, in their usual order. */
function countsOf(values: SlotValues<string>, within: SlotSet): readonly FacetValue[] {
  return [...values]
    .map(([value, set]) => ({ value, count: sizeOfBoth(set, within) }))
    .filter(({ count }) => count > 0);
}
