import { expect, it } from 'vitest';
import { SearchTerms } from '../../src/search/search-terms.ts';
import { emptySet, has, include } from '../../src/search/slot-sets.ts';
import { diceOf } from '../seeded.ts';

const SLOTS = 500;
const TERMS = 60;

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'finds the most frequent of many terms with equal counts (seed %i)',
  (seed) => {
    const dice = diceOf(seed);
    const terms = new SearchTerms();
    const slotsOf = new Map<string, Set<number>>();
    for (let slot = 0; slot < SLOTS; slot += 1)
      for (let number = 0; number < TERMS; number += 1) {
        if (!dice.chance(0.3 * (number / TERMS) ** 2)) continue;
        terms.add(`term${number % 7}${number}`, slot);
        slotsOf.set(
          `term${number % 7}${number}`,
          (slotsOf.get(`term${number % 7}${number}`) ?? new Set()).add(slot),
        );
      }
    for (const share of [0, 0.02, 0.3, 1]) {
      const within = emptySet(SLOTS);
      for (let slot = 0; slot < SLOTS; slot += 1) if (dice.chance(share)) include(within, slot);
      const counted = [...slotsOf]
        .map(([value, slots]) => ({ value, count: [...slots].filter((slot) => has(within, slot)).length }))
        .filter(({ count }) => count > 0)
        .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
      for (const max of [1, 5, TERMS]) expect(terms.mostFrequent(within, max)).toEqual(counted.slice(0, max));
    }
  },
);
