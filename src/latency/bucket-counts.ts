/**
 * HdrHistogram's bucketing at three significant digits: single microseconds up to 2047, then 1024 buckets per doubling.
 */
const BUCKETS_PER_DOUBLING = 1024;
const SINGLE_UNIT_BUCKETS = 2048;
export const HIGHEST_US = 3_600_000_000;
/** One more than the index of the highest value, filled up to whole doublings as HdrHistogram does. */
export const BUCKET_COUNT = 23 * BUCKETS_PER_DOUBLING;

/** The buckets that hold something, in ascending order: a small copy that is quick to add. */
export interface SparseCounts {
  readonly count: number;
  readonly minUs: number;
  readonly maxUs: number;
  readonly sumUs: number;
  readonly indices: Uint16Array;
  readonly counts: Uint32Array;
}

export interface BucketCounts {
  readonly count: number;
  /** Exact, not those of a bucket; null where nothing was recorded. */
  readonly minUs: number | null;
  readonly maxUs: number | null;
  readonly meanUs: number | null;
  /** Throws where the value is negative or not finite: there is no latency of that kind. */
  record(us: number): void;
  /** Adds to a bucket; the bounds of the bucket stand in for the exact values, which are not known. */
  addToBucket(index: number, count: number): void;
  add(other: BucketCounts): void;
  addSparse(other: SparseCounts): void;
  reset(): void;
  /** Empties this histogram; of fewer than 2 ** 32 samples, as a block of some time has. */
  drain(): SparseCounts;
  /** The highest value of the bucket that holds the sample of this rank (from 1). */
  valueAtRankUs(rank: number): number;
  /** As HdrHistogram gives it; the percentile is from 0 to 100. */
  valueAtPercentileUs(percentile: number): number;
  /** Every bucket that holds something, in ascending order. */
  forEachBucket(visit: (index: number, count: number) => void): void;
}

/** Expects an integer from 0 to `HIGHEST_US`. */
export function bucketIndexOf(us: number): number {
  const doublings = 21 - Math.clz32(us | (SINGLE_UNIT_BUCKETS - 1));
  return doublings * BUCKETS_PER_DOUBLING + (us >>> doublings);
}

export function lowestOfBucketUs(index: number): number {
  if (index < SINGLE_UNIT_BUCKETS) return index;
  const doublings = Math.floor(index / BUCKETS_PER_DOUBLING) - 1;
  return ((index % BUCKETS_PER_DOUBLING) + BUCKETS_PER_DOUBLING) * 2 ** doublings;
}

export function highestOfBucketUs(index: number): number {
  return lowestOfBucketUs(index + 1) - 1;
}

/** The values that a sample in the bucket of this value can have had before it was rounded to whole microseconds. */
export function possibleRangeUs(us: number): readonly [low: number, high: number] {
  const index = bucketIndexOf(Math.min(us, HIGHEST_US));
  return [Math.max(0, lowestOfBucketUs(index) - 0.5), highestOfBucketUs(index) + 0.5];
}

const scratchIndices = new Uint16Array(BUCKET_COUNT);
const scratchCounts = new Uint32Array(BUCKET_COUNT);

// Doubles that change with every sample are in a typed array: a captured variable would be a new object each time.
const COUNT = 0;
const MIN = 1;
const MAX = 2;
const SUM = 3;

export function createBucketCounts(): BucketCounts {
  let counts = new Float64Array(SINGLE_UNIT_BUCKETS);
  const totals = new Float64Array(4);
  let lowest = BUCKET_COUNT;
  let highest = -1;

  const total = (which: number): number => totals[which] as number;
  const unlessEmpty = (value: number): number | null => (total(COUNT) === 0 ? null : value);

  const reach = (index: number): void => {
    if (index < lowest) lowest = index;
    if (index <= highest) return;
    highest = index;
    if (index < counts.length) return;
    const length = Math.ceil((index + 1) / BUCKETS_PER_DOUBLING) * BUCKETS_PER_DOUBLING;
    const longer = new Float64Array(length);
    longer.set(counts);
    counts = longer;
  };

  const addTotals = (count: number, minUs: number, maxUs: number, sumUs: number): void => {
    totals[COUNT] = total(COUNT) + count;
    totals[SUM] = total(SUM) + sumUs;
    if (minUs < total(MIN)) totals[MIN] = minUs;
    if (maxUs > total(MAX)) totals[MAX] = maxUs;
  };

  const forgetTotals = (): void => {
    totals.set([0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]);
    lowest = BUCKET_COUNT;
    highest = -1;
  };

  const addCount = (index: number, count: number): void => {
    reach(index);
    counts[index] = (counts[index] as number) + count;
  };

  const addToBucket = (index: number, count: number): void => {
    if (count === 0) return;
    addCount(index, count);
    const low = lowestOfBucketUs(index);
    const high = highestOfBucketUs(index);
    addTotals(count, low, high, ((low + high) / 2) * count);
  };

  const forEachBucket = (visit: (index: number, count: number) => void): void => {
    for (let index = lowest; index <= highest; index += 1) {
      const count = counts[index] as number;
      if (count !== 0) visit(index, count);
    }
  };

  const valueAtRankUs = (rank: number): number => {
    let seen = 0;
    for (let index = lowest; index <= highest; index += 1) {
      seen += counts[index] as number;
      if (seen >= rank) return highestOfBucketUs(index);
    }
    return highest < 0 ? 0 : highestOfBucketUs(highest);
  };

  forgetTotals();
  return {
    get count() {
      return total(COUNT);
    },
    get minUs() {
      return unlessEmpty(total(MIN));
    },
    get maxUs() {
      return unlessEmpty(total(MAX));
    },
    get meanUs() {
      return unlessEmpty(total(SUM) / total(COUNT));
    },
    record(us) {
      if (!(us >= 0 && us <= Number.MAX_VALUE))
        throw new RangeError(`A latency is at least 0 µs and finite, not ${us}.`);
      const index = bucketIndexOf(us < HIGHEST_US ? (us + 0.5) >>> 0 : HIGHEST_US);
      if (index < lowest || index > highest) reach(index);
      counts[index] = (counts[index] as number) + 1;
      totals[COUNT] = total(COUNT) + 1;
      totals[SUM] = total(SUM) + us;
      if (us < total(MIN)) totals[MIN] = us;
      if (us > total(MAX)) totals[MAX] = us;
    },
    addToBucket,
    add(other) {
      if (other.minUs === null || other.maxUs === null || other.meanUs === null) return;
      // Read before anything is added, for a histogram may be added to itself.
      const { count, minUs, maxUs, meanUs } = other;
      other.forEachBucket(addCount);
      addTotals(count, minUs, maxUs, meanUs * count);
    },
    addSparse(other) {
      const { indices, counts: added } = other;
      if (indices.length === 0) return;
      reach(indices[0] as number);
      reach(indices[indices.length - 1] as number);
      const into = counts;
      for (let at = 0; at < indices.length; at += 1) {
        const index = indices[at] as number;
        into[index] = (into[index] as number) + (added[at] as number);
      }
      addTotals(other.count, other.minUs, other.maxUs, other.sumUs);
    },
    reset() {
      if (highest >= 0) counts.fill(0, lowest, highest + 1);
      forgetTotals();
    },
    drain() {
      const from = counts;
      const end = highest + 1;
      let held = 0;
      for (let index = lowest; index < end; index += 1) {
        const count = from[index] as number;
        // Written even where empty, and then written over: whether a bucket is empty is as good as random here.
        scratchIndices[held] = index;
        scratchCounts[held] = count;
        held += count === 0 ? 0 : 1;
      }
      from.fill(0, Math.min(lowest, end), end);
      const indices = scratchIndices.slice(0, held);
      const sparse = scratchCounts.slice(0, held);
      const drained = { count: total(COUNT), minUs: total(MIN), maxUs: total(MAX), sumUs: total(SUM) };
      forgetTotals();
      return { ...drained, indices, counts: sparse };
    },
    valueAtRankUs,
    valueAtPercentileUs(percentile) {
      if (highest < 0) return 0;
      if (percentile === 0) return lowestOfBucketUs(lowest);
      const exact = (Math.min(percentile, 100) / 100) * total(COUNT);
      // The product can be one unit in the last place above the whole number that it stands for.
      const lastPlace = 2 ** (Math.floor(Math.log2(exact)) - 52);
      return valueAtRankUs(Math.max(1, Math.ceil(exact - lastPlace)));
    },
    forEachBucket,
  };
}
