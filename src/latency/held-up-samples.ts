import { blockOf, mergeBlocks } from './block-groups.ts';
import { bucketsOf, createHistogram, type Histogram, recordLatency } from './histogram.ts';

/** Samples for which the client itself may be the cause of a part of the latency. */
export interface HeldUpSamples {
  /** Between `lowestUs`, without the part of the client, and `latencyUs`. */
  add(lowestUs: number, latencyUs: number): void;
  /**
   * All samples, with those of the client where they probably are: in the middle of the others between their bounds, or
   * at their lower bound if no other is there. If they are not the smaller part, the others do not represent them, and
   * all samples count as they were seen.
   * @param whole all samples, as they were seen
   */
  placedIn(whole: Histogram): Histogram;
}

/** Bounds are kept in steps of 1 %, so that their number does not grow with that of the samples. */
const STEP = Math.log(1.01);
const STEPS = 2 ** 16;

export function createHeldUpSamples(): HeldUpSamples {
  const seen = createHistogram();
  const countOf = new Map<number, number>();
  return {
    add: (lowestUs, latencyUs) => {
      recordLatency(seen, latencyUs);
      const key = STEPS * Math.round(stepOf(lowestUs)) + Math.ceil(stepOf(latencyUs));
      countOf.set(key, (countOf.get(key) ?? 0) + 1);
    },
    placedIn: (whole) => {
      if (seen.totalCount === 0 || seen.totalCount > whole.totalCount / 2) return whole;
      const placed = mergeBlocks([blockOf(whole)]);
      placed.subtract(seen);
      const middle = middleFinder(placed);
      for (const [key, count] of countOf) {
        const lowestUs = Math.exp(STEP * Math.floor(key / STEPS));
        const us = middle(lowestUs, Math.exp(STEP * (key % STEPS)));
        placed.recordValueWithCount(Math.round(us ?? lowestUs), count);
      }
      return placed;
    },
  };
}

function stepOf(us: number): number {
  return Math.log(Math.max(1, us)) / STEP;
}

/** Finds the middle of the samples between two bounds; null if there is none. */
function middleFinder(histogram: Histogram): (lowUs: number, highUs: number) => number | null {
  const buckets = [...bucketsOf(histogram)];
  const values = buckets.map(([highestUs]) => highestUs);
  /** How many samples are in the buckets before each one. */
  const before = [0];
  for (const [, count] of buckets) before.push((before.at(-1) ?? 0) + count);
  return (lowUs, highUs) => {
    const from = before[firstAtLeast(values, lowUs)] ?? 0;
    const to = before[firstAtLeast(values, highUs + 1)] ?? 0;
    return to > from ? (values[firstAtLeast(before, (from + to) / 2) - 1] ?? null) : null;
  };
}

/** The index of the first number, in ascending order, that is at least this one. */
function firstAtLeast(ascending: readonly number[], least: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
