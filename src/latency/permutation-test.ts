import { createRandom } from './random.ts';

/** Enough for all splits of 16 values into two groups of eight. */
const MAX_EXACT_SPLITS = 20_000;
const RANDOM_SPLITS = 20_000;
/** Sums of the same values in another order may differ in their last digits. */
const SLACK = 1e-12;

/**
 * The share of splits of the same values into two groups whose means differ by at least as much, in either direction.
 * All splits are counted if they are few; otherwise random ones, with a fixed seed. Assumes nothing about the
 * distribution.
 */
export function permutationPValue(valuesA: readonly number[], valuesB: readonly number[]): number {
  const pooled = [...valuesA, ...valuesB];
  const total = pooled.reduce((sum, value) => sum + value, 0);
  // For fixed sizes, the difference of the means grows with the distance of one group's sum from its share of the
  // total.
  const share = (total * valuesA.length) / pooled.length;
  const distance = (sum: number): number => Math.abs(sum - share);
  const observed = distance(valuesA.reduce((sum, value) => sum + value, 0));
  const magnitude = pooled.reduce((sum, value) => sum + Math.abs(value), 0);
  const isAsFar = (sum: number): boolean => distance(sum) >= observed - SLACK * magnitude;
  return splitsOf(pooled.length, valuesA.length) <= MAX_EXACT_SPLITS
    ? exactShare(pooled, valuesA.length, isAsFar)
    : randomShare(pooled, valuesA.length, isAsFar);
}

function exactShare(pooled: readonly number[], size: number, isAsFar: (sum: number) => boolean): number {
  let splits = 0;
  let asFar = 0;
  const choose = (from: number, wanted: number, sum: number): void => {
    if (wanted === 0) {
      splits += 1;
      if (isAsFar(sum)) asFar += 1;
      return;
    }
    for (let at = from; at <= pooled.length - wanted; at += 1) {
      choose(at + 1, wanted - 1, sum + (pooled[at] as number));
    }
  };
  choose(0, size, 0);
  return asFar / splits;
}

function randomShare(pooled: readonly number[], size: number, isAsFar: (sum: number) => boolean): number {
  const dealt = Float64Array.from(pooled);
  const below = seededIntegers();
  // The observed split is one of the possible ones; without it, the result could be 0.
  let asFar = 1;
  for (let split = 0; split < RANDOM_SPLITS; split += 1) {
    let sum = 0;
    for (let at = 0; at < size; at += 1) {
      const from = at + below(dealt.length - at);
      const value = dealt[from] as number;
      dealt[from] = dealt[at] as number;
      dealt[at] = value;
      sum += value;
    }
    if (isAsFar(sum)) asFar += 1;
  }
  return asFar / (RANDOM_SPLITS + 1);
}

function splitsOf(count: number, size: number): number {
  let splits = 1;
  for (let taken = 1; taken <= size; taken += 1) splits = (splits * (count - size + taken)) / taken;
  return splits;
}

/** Integers from 0 to below a limit, with a fixed seed, so that the same figures always give the same result. */
function seededIntegers(): (limit: number) => number {
  const random = createRandom(0x5eed);
  return (limit) => Math.floor(random() * limit);
}
