import type { LatencySummary, PercentileMs } from '../model/load.ts';
import { PERCENTILES, type Percentile } from '../model/load.ts';
import { type Block, blockOf, halfWidthBetweenGroupsUs, mergeBlocks } from './block-groups.ts';
import { encodeHistogram } from './encoded-histogram.ts';
import { bucketsOf, createHistogram, type Histogram, rangeOfQuantileUs, recordLatency } from './histogram.ts';
import { MIN_SAMPLES, QUANTILE } from './percentiles.ts';

/** Ten minutes with blocks of a second. Later blocks are longer, to limit the memory. */
const EQUAL_BLOCKS = 600;
const BLOCKS_PER_DOUBLING = 100;

/** The error that a percentile may have: a sample that the client held up for longer does not count as it was seen. */
const MAX_HELD_UP_US = 150;
const MAX_HELD_UP_SHARE = 0.03;

/** Exact values; the histogram rounds them. */
interface Totals {
  minUs: number;
  maxUs: number;
  sumUs: number;
}

export class SampleRecorder {
  readonly #blockMs: number;
  readonly #totals: Totals = { minUs: Infinity, maxUs: -Infinity, sumUs: 0 };
  readonly #open = createHistogram();
  readonly #heldUp = new HeldUpSamples();
  readonly #blocks: Block[] = [];
  readonly #mediansUs: number[] = [];
  #openUntilMs = -Infinity;

  constructor(blockMs = 1000) {
    this.#blockMs = blockMs;
  }

  /**
   * `atMs` must be monotonic; `heldUpUs` is for how much of the latency the client itself may be the cause. Throws if the
   * latency is negative or not finite.
   */
  record(latencyUs: number, atMs: number, heldUpUs = 0): void {
    if (atMs >= this.#openUntilMs) this.#beginBlock(atMs);
    recordLatency(this.#open, latencyUs);
    if (heldUpUs > Math.max(MAX_HELD_UP_US, MAX_HELD_UP_SHARE * latencyUs))
      this.#heldUp.add(latencyUs - heldUpUs, latencyUs);
    const totals = this.#totals;
    totals.minUs = Math.min(totals.minUs, latencyUs);
    totals.maxUs = Math.max(totals.maxUs, latencyUs);
    totals.sumUs += latencyUs;
  }

  /** Statistics of all samples; null without samples. */
  summary(): LatencySummary | null {
    const rest = blockOf(this.#open);
    const whole = mergeBlocks([...this.#blocks, rest]);
    if (whole.totalCount === 0) return null;
    const last = this.#blocks.at(-1);
    // The unfinished block is merged with the last one, because its few samples would show too much spread.
    const closed = last === undefined ? [] : this.#blocks.with(-1, blockOf(mergeBlocks([last, rest])));
    return summarise(whole, this.#heldUp, this.#totals, closed);
  }

  /** Medians of the finished blocks, in order. Each block has at least the minimum number of samples for a median. */
  blockMediansUs(): readonly number[] {
    return [...this.#mediansUs];
  }

  #beginBlock(atMs: number): void {
    // With slow answers, blocks are longer, because a median needs enough samples.
    if (this.#open.totalCount > 0 && this.#open.totalCount < MIN_SAMPLES.p50) return;
    if (this.#open.totalCount > 0) {
      this.#mediansUs.push(this.#open.getValueAtPercentile(50));
      this.#blocks.push(blockOf(this.#open));
      this.#open.reset();
    }
    const beyond = Math.max(0, this.#blocks.length - EQUAL_BLOCKS + 1);
    this.#openUntilMs = atMs + this.#blockMs * 2 ** Math.ceil(beyond / BLOCKS_PER_DOUBLING);
  }
}

function summarise(
  whole: Histogram,
  heldUp: HeldUpSamples,
  totals: Totals,
  blocks: readonly Block[],
): LatencySummary {
  const placed = heldUp.placedIn(whole);
  const count = whole.totalCount;
  return {
    count,
    minMs: toMs(totals.minUs),
    meanMs: toMs(totals.sumUs / count),
    maxMs: toMs(totals.maxUs),
    percentiles: inOrder(
      PERCENTILES.filter((percentile) => count >= MIN_SAMPLES[percentile]).map((percentile) =>
        estimate(percentile, { whole, placed }, totals, blocks),
      ),
    ),
    histogram: encodeHistogram(whole),
  };
}

/**
 * The value has samples that the client held up where they probably are; the upper bound has them as they were seen,
 * because a target that has its slow moments together with the client would otherwise seem faster than anybody saw it.
 * On each side, the interval is the wider of two: one from the number of samples, one from the variation between groups
 * of blocks. The first alone is far too narrow if the speed of a server changes over time.
 */
function estimate(
  percentile: Percentile,
  { whole, placed }: { readonly whole: Histogram; readonly placed: Histogram },
  { minUs, maxUs }: Totals,
  blocks: readonly Block[],
): PercentileMs {
  const percent = 100 * QUANTILE[percentile];
  // The upper end of the last bucket may exceed the largest sample.
  const valueIn = (histogram: Histogram): number =>
    Math.min(Math.max(histogram.getValueAtPercentile(percent), minUs), Math.round(maxUs));
  const valueUs = valueIn(placed);
  const [lowestUs] = rangeOfQuantileUs(placed, QUANTILE[percentile]);
  const [, highestUs] = rangeOfQuantileUs(whole, QUANTILE[percentile]);
  const halfWidthUs = halfWidthBetweenGroupsUs(blocks, percent, MIN_SAMPLES[percentile]);
  const lowUs = Math.min(Math.max(lowestUs, minUs), valueUs - halfWidthUs);
  const highUs = Math.max(valueUs, Math.min(highestUs, maxUs), valueIn(whole) + halfWidthUs);
  return {
    percentile,
    valueMs: toMs(valueUs),
    // Rounded outwards, so that the interval does not shrink.
    intervalMs: [Math.floor(Math.max(minUs, lowUs)) / 1000, Math.ceil(highUs) / 1000],
  };
}

/** A lower bound of one percentile is also one of all higher percentiles. */
function inOrder(percentiles: readonly PercentileMs[]): readonly PercentileMs[] {
  let lowerBoundMs = 0;
  return percentiles.map((one) => {
    lowerBoundMs = Math.max(lowerBoundMs, one.intervalMs[0]);
    return { ...one, intervalMs: [lowerBoundMs, one.intervalMs[1]] };
  });
}

function toMs(us: number): number {
  return Math.round(us) / 1000;
}

/** Bounds are kept in steps of 0.2 %, rounded outwards, so that their number hardly grows with that of the samples. */
const STEP = Math.log(1.002);
const STEPS = 2 ** 16;

/** Multiples of it, without their whole parts, spread evenly over any number of places. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/** Samples for which the client itself may be the cause of a part of the latency. */
class HeldUpSamples {
  readonly #seen = createHistogram();
  readonly #countOf = new Map<number, number>();

  /** Between `lowestUs`, without the part of the client, and `latencyUs`. */
  add(lowestUs: number, latencyUs: number): void {
    recordLatency(this.#seen, latencyUs);
    const key = STEPS * Math.floor(stepOf(lowestUs)) + Math.ceil(stepOf(latencyUs));
    this.#countOf.set(key, (this.#countOf.get(key) ?? 0) + 1);
  }

  /**
   * All samples, with those of the client where they probably are: spread like the others between their bounds, or at
   * their lower bound if no other is there. If they are not the smaller part, the others do not represent them, and all
   * samples count as they were seen, as in `whole`.
   */
  placedIn(whole: Histogram): Histogram {
    const seen = this.#seen;
    if (seen.totalCount === 0 || seen.totalCount > whole.totalCount / 2) return whole;
    const placed = mergeBlocks([blockOf(whole)]);
    placed.subtract(seen);
    const find = finderBetween(placed);
    let number = 0;
    for (const [key, count] of this.#countOf) {
      const lowestUs = Math.exp(STEP * Math.floor(key / STEPS));
      const at = find(lowestUs, Math.exp(STEP * (key % STEPS)));
      for (let sample = 0; sample < count; sample += 1) {
        number += 1;
        placed.recordValue(Math.round(at((number * GOLDEN_RATIO) % 1) ?? lowestUs));
      }
    }
    return placed;
  }
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
