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

/** Bucket by bucket, as two sorted lists are merged. */
export function joinBlocks(first: SparseCounts, second: SparseCounts): SparseCounts {
  const most = first.indices.length + second.indices.length;
  const indices = new Uint16Array(most);
  const counts = new Uint32Array(most);
  let held = 0;
  let left = 0;
  let right = 0;
  while (left < first.indices.length || right < second.indices.length) {
    const leftIndex = first.indices[left] ?? Number.POSITIVE_INFINITY;
    const rightIndex = second.indices[right] ?? Number.POSITIVE_INFINITY;
    indices[held] = Math.min(leftIndex, rightIndex);
    if (leftIndex <= rightIndex) {
      counts[held] = first.counts[left] as number;
      left += 1;
    }
    if (rightIndex <= leftIndex) {
      counts[held] = (counts[held] as number) + (second.counts[right] as number);
      right += 1;
    }
    held += 1;
  }
  return {
    count: first.count + second.count,
    minUs: Math.min(first.minUs, second.minUs),
    maxUs: Math.max(first.maxUs, second.maxUs),
    sumUs: first.sumUs + second.sumUs,
    indices: indices.slice(0, held),
    counts: counts.slice(0, held),
  };
}

function percentileOfGroupUs(group: readonly SparseCounts[], percentile: number): number {
  const counts = createBucketCounts();
  for (const block of group) counts.addSparse(block);
  return counts.valueAtPercentileUs(percentile);
}
