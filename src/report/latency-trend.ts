import type { TrendRun, TrendTimes } from './trend-run.ts';

/** A lasting change of the median of an operation. */
export interface LatencyChange {
  readonly outcome: 'slower' | 'faster';
  /** The first run after the change. */
  readonly startedAt: string;
  readonly id: string;
  /** Medians of the runs before and after, in milliseconds. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

export interface LatencyTrend {
  /** `health`, `execute:add`. */
  readonly name: string;
  /** p50 for each run, in the order of the runs; null where there is none. */
  readonly p50Ms: readonly (number | null)[];
  readonly intervalMs: readonly (readonly [low: number, high: number] | null)[];
  /** Runs with reliable figures. */
  readonly reliable: number;
  readonly outcome: 'changed' | 'no-change-shown' | 'cannot-tell';
  readonly changes: readonly LatencyChange[];
}

const MIN_RUNS_EACH = 3;
/** Enough runs to show a change. */
export const MIN_RELIABLE_RUNS = 2 * MIN_RUNS_EACH;
/** Two groups of three runs of an unchanged server are apart by chance in one of ten cases, but rarely that far. */
const MIN_RATIO = 1.3;
const MIN_DIFFERENCE_MS = 0.1;

/** Response times over runs, oldest to newest. Pure. */
export function latencyTrends(runs: readonly TrendRun[]): readonly LatencyTrend[] {
  const timed = runs.flatMap(({ times }) =>
    times.filter(({ p50Ms, load }) => p50Ms !== null && load !== null),
  );
  const names = new Set(timed.map(({ name }) => name));
  return [...names].map((name) => {
    const all = runs.map(({ times }) => times.find((one) => one.name === name) ?? null);
    const load = all.findLast((times) => times?.load != null)?.load ?? null;
    const points = all.flatMap((times, index): readonly Point[] => {
      const run = runs[index];
      return run === undefined || times === null || times.load !== load ? [] : pointOf(run, times);
    });
    const changes = changesIn(points);
    return {
      name,
      p50Ms: all.map((times) => times?.p50Ms ?? null),
      intervalMs: all.map((times) => times?.intervalMs ?? null),
      reliable: points.length,
      outcome:
        points.length < MIN_RELIABLE_RUNS
          ? 'cannot-tell'
          : changes.length > 0
            ? 'changed'
            : 'no-change-shown',
      changes,
    };
  });
}

interface Point {
  readonly run: TrendRun;
  readonly p50Ms: number;
  readonly lowMs: number;
  readonly highMs: number;
}

function pointOf(run: TrendRun, { p50Ms, intervalMs }: TrendTimes): readonly Point[] {
  if (p50Ms === null || intervalMs === null) return [];
  return [{ run, p50Ms, lowMs: intervalMs[0], highMs: intervalMs[1] }];
}

/** Compares all runs since the last change with the next three. */
function changesIn(points: readonly Point[]): readonly LatencyChange[] {
  const changes: LatencyChange[] = [];
  let start = 0;
  for (let index = MIN_RUNS_EACH; index + MIN_RUNS_EACH <= points.length; index++) {
    const first = points[index];
    const before = points.slice(start, index);
    const after = points.slice(index, index + MIN_RUNS_EACH);
    if (first === undefined || before.length < MIN_RUNS_EACH || !isApart(before, after)) continue;
    const [beforeMs, afterMs] = [medianMs(before), medianMs(after)];
    const { startedAt, id } = first.run;
    changes.push({ outcome: afterMs > beforeMs ? 'slower' : 'faster', startedAt, id, beforeMs, afterMs });
    start = index;
  }
  return changes;
}

function isApart(before: readonly Point[], after: readonly Point[]): boolean {
  const [beforeMs, afterMs] = [medianMs(before), medianMs(after)].toSorted((left, right) => left - right);
  if (beforeMs === undefined || afterMs === undefined) return false;
  if (afterMs < beforeMs * MIN_RATIO || afterMs - beforeMs < MIN_DIFFERENCE_MS) return false;
  return highestMs(before) < lowestMs(after) || highestMs(after) < lowestMs(before);
}

function lowestMs(points: readonly Point[]): number {
  return Math.min(...points.map(({ lowMs }) => lowMs));
}

function highestMs(points: readonly Point[]): number {
  return Math.max(...points.map(({ highMs }) => highMs));
}

function medianMs(points: readonly Point[]): number {
  const sorted = points.map(({ p50Ms }) => p50Ms).toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
