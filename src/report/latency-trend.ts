import { compareFastest, type FastestCalls } from '../latency/fastest-calls.ts';
import type { TrendRun, TrendTimes } from './trend-run.ts';

/** A lasting change of the time of an operation. */
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
  /** Runs whose fastest calls can be compared. */
  readonly comparable: number;
  readonly outcome: 'changed' | 'no-change-shown' | 'cannot-tell';
  readonly changes: readonly LatencyChange[];
}

const MIN_RUNS_EACH = 3;
/** Enough runs to show a change. */
export const MIN_COMPARABLE_RUNS = 2 * MIN_RUNS_EACH;

/** Response times over runs, oldest to newest. Pure. */
export function latencyTrends(runs: readonly TrendRun[]): readonly LatencyTrend[] {
  const timed = runs.flatMap(({ times }) =>
    times.filter(({ p50Ms, load }) => p50Ms !== null && load !== null),
  );
  const names = new Set(timed.map(({ name }) => name));
  return [...names].map((name) => {
    const all = runs.map(({ times }) => times.find((one) => one.name === name) ?? null);
    const newest = all.findLast((times) => times?.load != null && times.fastest !== null);
    const points = all.flatMap((times, index): readonly Point[] => {
      const run = runs[index];
      const isAlike = times?.load === newest?.load && times?.fastest?.of === newest?.fastest?.of;
      return run === undefined || times === null || !isAlike ? [] : pointOf(run, times);
    });
    const changes = changesIn(points);
    return {
      name,
      p50Ms: all.map((times) => times?.p50Ms ?? null),
      intervalMs: all.map((times) => times?.intervalMs ?? null),
      comparable: points.length,
      outcome:
        points.length < MIN_COMPARABLE_RUNS
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
  readonly fastest: FastestCalls;
}

function pointOf(run: TrendRun, { p50Ms, fastest }: TrendTimes): readonly Point[] {
  return p50Ms === null || fastest === null ? [] : [{ run, p50Ms, fastest }];
}

/** Compares all runs since the last change with the next three. */
function changesIn(points: readonly Point[]): readonly LatencyChange[] {
  const changes: LatencyChange[] = [];
  let start = 0;
  for (let index = MIN_RUNS_EACH; index + MIN_RUNS_EACH <= points.length; index++) {
    const first = points[index];
    const before = points.slice(start, index);
    const after = points.slice(index, index + MIN_RUNS_EACH);
    if (first === undefined || before.length < MIN_RUNS_EACH) continue;
    const usualMs = [
      medianOf(before.map(({ fastest }) => fastest.intervalMs[0])),
      medianOf(before.map(({ fastest }) => fastest.intervalMs[1])),
    ] as const;
    const outcome = compareFastest(
      usualMs,
      after.map(({ fastest }) => fastest.intervalMs),
    );
    if (outcome === 'no-difference-shown') continue;
    const { startedAt, id } = first.run;
    changes.push({
      outcome: outcome === 'worse' ? 'slower' : 'faster',
      startedAt,
      id,
      beforeMs: medianOf(before.map(({ p50Ms }) => p50Ms)),
      afterMs: medianOf(after.map(({ p50Ms }) => p50Ms)),
    });
    start = index;
  }
  return changes;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
