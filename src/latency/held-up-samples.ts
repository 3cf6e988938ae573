import { blockOf, mergeBlocks } from './block-groups.ts';
import { bucketsOf, createHistogram, type Histogram, recordLatency } from './histogram.ts';

/** Samples for which the client itself may be the cause of a part of the latency. */
export interface HeldUpSamples {
  /** Between `lowestUs`, without the part of the client, and `latencyUs`. */
  add(lowestUs: number, latencyUs: number): void;
  /**
   * All samples, with those of the client where they probably are: spread like the others between their bounds, or at
   * their lower bound if no other is there. If they are not the smaller part, the others do not represent them, and all
   * samples count as they were seen.
   * @param whole all samples, as they were seen
   */
  placedIn(whole: Histogram): Histogram;
}

/** Bounds are kept in steps of 0.2 %, rounded outwards, so that their number hardly grows with that of the samples. */
const STEP = Math.log(1.002);
const STEPS = 2 ** 16;

/** Multiples of it, without their whole parts, spread evenly over any number of places. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

export function createHeldUpSamples(): HeldUpSamples {
  const seen = createHistogram();
  const countOf = new Map<number, number>();
  return {
    add: (lowestUs, latencyUs) => {
      recordLatency(seen, latencyUs);
      const key = STEPS * Math.floor(stepOf(lowestUs)) + Math.ceil(stepOf(latencyUs));
      countOf.set(key, (countOf.get(key) ?? 0) + 1);
    },
    placedIn: (whole) => {
      if (seen.totalCount === 0 || seen.totalCount > whole.totalCount / 2) return whole;
      const placed = mergeBlocks([blockOf(whole)]);
      placed.subtract(seen);
      const find = finderBetween(placed);
      let number = 0;
      for (const [key, count] of countOf) {
        const lowestUs = Math.exp(STEP * Math.floor(key / STEPS));
        const at = find(lowestUs, Math.exp(STEP * (key % STEPS)));
        for (let sample = 0; sample < count; sample += 1) {
          number += 1;
          placed.recordValue(Math.round(at((number * GOLDEN_RATIO) % 1) ?? lowestUs));
        }
      }
      return placed;
    },
  };
}

function stepOf(us: number): number {
  return Math.log(Math.max(1, us)) / STEP;
}

/** Finds the sample at a share of those between two bounds; null if there is none. */
function finderBetween(
  histogram: Histogram,
): (lowUs: number, highUs: number) => (share: number) => number | null {
  const buckets = [...bucketsOf(histogram)];
  const values = buckets.map(([highestUs]) => highestUs);
  const lowest = values.map((us) => histogram.lowestEquivalentValue(us));
  /** How many samples are in the buckets before each one. */
  const before = [0];
  for (const [, count] of buckets) before.push((before.at(-1) ?? 0) + count);
  return (lowUs, highUs) => {
    const from = before[firstAtLeast(values, lowUs)] ?? 0;
    const to = before[firstAtLeast(lowest, highUs)] ?? 0;
    return (share) =>
      to > from ? (values[firstAtLeast(before, from + share * (to - from)) - 1] ?? null) : null;
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
