import type { LatencySummary, PercentileMs } from '../model/load.ts';
import { PERCENTILES, type Percentile } from '../model/percentile.ts';
import { halfWidthBetweenGroupsUs, joinBlocks } from './block-groups.ts';
import {
  type BucketCounts,
  createBucketCounts,
  possibleRangeUs,
  type SparseCounts,
} from './bucket-counts.ts';
import { encodeHistogram } from './encoded-histogram.ts';
import { intervalRanks, MIN_SAMPLES, QUANTILE } from './percentiles.ts';

/** Ten minutes of blocks of a second. From there on blocks last longer and longer, so that memory hardly grows. */
const EQUAL_BLOCKS = 600;
const BLOCKS_PER_DOUBLING = 100;

export interface SampleRecorder {
  /** `atMs` is of a clock that never goes back. Throws where the latency is negative or not finite. */
  record(latencyUs: number, atMs: number): void;
  /** Of all samples since the start or the last reset; null where there are none. */
  summary(): LatencySummary | null;
  /** Of the finished blocks, in order. A block has at least as many samples as a median takes. */
  blockMediansUs(): readonly number[];
  reset(): void;
}

export function createSampleRecorder({ blockMs = 1000 }: { readonly blockMs?: number } = {}): SampleRecorder {
  const total = createBucketCounts();
  const open = createBucketCounts();
  let blocks: SparseCounts[] = [];
  let mediansUs: number[] = [];
  let openUntilMs = Number.NEGATIVE_INFINITY;

  const closeBlock = (): void => {
    mediansUs.push(open.valueAtPercentileUs(50));
    const block = open.drain();
    total.addSparse(block);
    blocks.push(block);
  };

  const turnTo = (atMs: number): void => {
    // Where answers are slow, a block lasts longer: the median of one or two samples would say nothing.
    if (open.count > 0 && open.count < MIN_SAMPLES.p50) return;
    if (open.count > 0) closeBlock();
    const beyond = Math.max(0, blocks.length - EQUAL_BLOCKS + 1);
    openUntilMs = atMs + blockMs * 2 ** Math.ceil(beyond / BLOCKS_PER_DOUBLING);
  };

  return {
    record(latencyUs, atMs) {
      if (atMs >= openUntilMs) turnTo(atMs);
      open.record(latencyUs);
    },
    summary() {
      const rest = createBucketCounts();
      rest.add(open);
      const whole = createBucketCounts();
      whole.add(total);
      whole.add(open);
      // A block that has only begun has few samples, and alone would show a spread that is not the server's.
      const last = blocks.at(-1);
      return summarise(whole, last === undefined ? [] : blocks.with(-1, joinBlocks(last, rest.drain())));
    },
    blockMediansUs: () => [...mediansUs],
    reset() {
      total.reset();
      open.reset();
      blocks = [];
      mediansUs = [];
      openUntilMs = Number.NEGATIVE_INFINITY;
    },
  };
}

function summarise(whole: BucketCounts, blocks: readonly SparseCounts[]): LatencySummary | null {
  const { count, minUs, meanUs, maxUs } = whole;
  if (minUs === null || meanUs === null || maxUs === null) return null;
  return {
    count,
    minMs: toMs(minUs),
    meanMs: toMs(meanUs),
    maxMs: toMs(maxUs),
    percentiles: inOrder(
      PERCENTILES.filter((percentile) => count >= MIN_SAMPLES[percentile]).map((percentile) =>
        estimate(percentile, whole, { minUs, maxUs }, blocks),
      ),
    ),
    histogram: encodeHistogram(whole),
  };
}

/**
 * The wider, on each side, of two intervals: what chance leaves open with that many samples, and what the level's own
 * movement from group to group does. The first alone is far too narrow where a server is now faster, now slower.
 */
function estimate(
  percentile: Percentile,
  whole: BucketCounts,
  { minUs, maxUs }: { readonly minUs: number; readonly maxUs: number },
  blocks: readonly SparseCounts[],
): PercentileMs {
  const quantile = QUANTILE[percentile];
  const percent = 100 * quantile;
  // The upper end of the last bucket may lie above the greatest sample.
  const valueUs = Math.min(whole.valueAtPercentileUs(percent), Math.round(maxUs));
  const [lowRank, highRank] = intervalRanks(whole.count, quantile);
  const [lowestUs] = possibleRangeUs(whole.valueAtRankUs(lowRank));
  const [, highestUs] = possibleRangeUs(whole.valueAtRankUs(highRank));
  const halfWidthUs = halfWidthBetweenGroupsUs(blocks, percent, MIN_SAMPLES[percentile]);
  const lowUs = Math.min(Math.max(lowestUs, minUs), valueUs - halfWidthUs);
  const highUs = Math.max(Math.min(highestUs, maxUs), valueUs + halfWidthUs);
  return {
    percentile,
    valueMs: toMs(valueUs),
    // Outwards, so that rounding takes nothing away from the interval.
    intervalMs: [Math.floor(Math.max(minUs, lowUs)) / 1000, Math.ceil(highUs) / 1000],
  };
}

/** What is surely above a lower percentile is surely above it for the higher ones as well. */
function inOrder(percentiles: readonly PercentileMs[]): readonly PercentileMs[] {
  let surelyAboveMs = 0;
  return percentiles.map((one) => {
    surelyAboveMs = Math.max(surelyAboveMs, one.intervalMs[0]);
    return { ...one, intervalMs: [surelyAboveMs, one.intervalMs[1]] };
  });
}

function toMs(us: number): number {
  return Math.round(us) / 1000;
}
