import { createBucketCounts, type SparseCounts } from './bucket-counts.ts';
import { tQuantile975, varianceOfMean } from './student-t.ts';

const MIN_GROUPS = 3;
/** More would narrow the interval by a few per cent only, and long groups also catch what drifts over several blocks. */
const MAX_GROUPS = 30;

/**
 * How far a percentile of the whole may be off because the level itself moves with time: half the width of the 95 %
 * interval that the percentiles of successive groups of blocks give. Samples of one block resemble each other, so their
 * number says less than it seems to; groups are far enough apart to count. 0 where there are too few groups.
 */
export function halfWidthBetweenGroupsUs(
  blocks: readonly SparseCounts[],
  percentile: number,
  minSamples: number,
): number {
  const values = groupBlocks(blocks, minSamples).map((group) => percentileOfGroupUs(group, percentile));
  if (values.length < MIN_GROUPS) return 0;
  return tQuantile975(values.length - 1) * Math.sqrt(varianceOfMean(values));
}

/** Neighbours together, each group with enough samples; what is left over at the end goes to the last group. */
export function groupBlocks(
  blocks: readonly SparseCounts[],
  minSamples: number,
): readonly (readonly SparseCounts[])[] {
  const total = blocks.reduce((sum, block) => sum + block.count, 0);
  const enough = Math.max(minSamples, total / MAX_GROUPS);
  const groups: SparseCounts[][] = [];
  let group: SparseCounts[] = [];
  let count = 0;
  for (const block of blocks) {
    group.push(block);
    count += block.count;
    if (count < enough) continue;
    groups.push(group);
    group = [];
    count = 0;
  }
  const last = groups.at(-1);
  if (last === undefined) return [];
  last.push(...group);
  return groups;
}

/** Makes one block of the two neighbours that are smallest together, so that a long run keeps no more than so many. */
export function joinSmallestNeighbours(blocks: readonly SparseCounts[]): readonly SparseCounts[] {
  const together = (at: number): number => (blocks[at]?.count ?? 0) + (blocks[at + 1]?.count ?? 0);
  let smallest = 0;
  for (let at = 1; at < blocks.length - 1; at += 1) if (together(at) < together(smallest)) smallest = at;
  return blocks.toSpliced(smallest, 2, joinBlocks(blocks.slice(smallest, smallest + 2)));
}

export function joinBlocks(blocks: readonly SparseCounts[]): SparseCounts {
  const joined = createBucketCounts();
  for (const block of blocks) joined.addSparse(block);
  return joined.drain();
}

function percentileOfGroupUs(group: readonly SparseCounts[], percentile: number): number {
  const counts = createBucketCounts();
  for (const block of group) counts.addSparse(block);
  return counts.valueAtPercentileUs(percentile);
}
