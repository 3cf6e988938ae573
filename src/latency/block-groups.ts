import { createHistogram, type Histogram } from './histogram.ts';
import { tQuantile975, varianceOfMean } from './student-t.ts';

const MIN_GROUPS = 3;
/** More groups would narrow the interval by a few percent only; longer groups also show drift over several blocks. */
const MAX_GROUPS = 30;

/** The samples of a short time. Only non-empty buckets, because a histogram takes ten times the memory. */
export interface Block {
  readonly count: number;
  readonly indices: Uint16Array;
  readonly counts: Uint32Array;
}

export function blockOf(histogram: Histogram): Block {
  const indices: number[] = [];
  const counts: number[] = [];
  // Not a generator, for speed: this runs during a load and delays the handling of answers.
  for (let index = 0; index < histogram.countsArrayLength; index += 1) {
    const count = histogram.getCountAtIndex(index);
    if (count === 0) continue;
    indices.push(index);
    counts.push(count);
  }
  return {
    count: histogram.totalCount,
    indices: Uint16Array.from(indices),
    counts: Uint32Array.from(counts),
  };
}

export function mergeBlocks(blocks: readonly Block[]): Histogram {
  const merged = createHistogram();
  const highestIndex = Math.max(...blocks.map(({ indices }) => indices.at(-1) ?? 0));
  if (highestIndex >= merged.countsArrayLength) merged.resize(merged.valueFromIndex(highestIndex));
  for (const { indices, counts } of blocks) {
    for (let at = 0; at < indices.length; at += 1)
      merged.addToCountAtIndex(indices[at] as number, counts[at] as number);
  }
  merged.establishInternalTackingValues();
  return merged;
}

/**
 * Half the width of the 95 % interval of a percentile, from its values in successive groups of blocks. It includes
 * changes of the level over time. Samples of one block are similar, so their number alone overstates the precision;
 * groups are long enough to count as independent. 0 if there are too few groups.
 */
export function halfWidthBetweenGroupsUs(
  blocks: readonly Block[],
  percentile: number,
  minSamples: number,
): number {
  const values = groupBlocks(blocks, minSamples).map((group) =>
    mergeBlocks(group).getValueAtPercentile(percentile),
  );
  if (values.length < MIN_GROUPS) return 0;
  return tQuantile975(values.length - 1) * Math.sqrt(varianceOfMean(values));
}

/** Groups successive blocks so that each group has enough samples; the remainder joins the last group. */
export function groupBlocks(blocks: readonly Block[], minSamples: number): readonly (readonly Block[])[] {
  const total = blocks.reduce((sum, block) => sum + block.count, 0);
  const enough = Math.max(minSamples, total / MAX_GROUPS);
  const groups: Block[][] = [];
  let group: Block[] = [];
  let count = 0;
  for (const block of blocks) {
    group.push(block);
    count += block.count;
    if (count < enough) continue;
    groups.push(group);
    group = [];
    count = 0;
  }
  groups.at(-1)?.push(...group);
  return groups;
}
