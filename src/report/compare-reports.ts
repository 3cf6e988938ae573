import { compareSummaries } from '../latency/compare-latency.ts';
import {
  compareFastest,
  type FastestCalls,
  fastestCalls,
  MIN_SAMPLES_OF_TENTH,
} from '../latency/fastest-calls.ts';
import type { Baseline, BaselineRow } from '../model/bench.ts';
import type { LatencySummary } from '../model/load.ts';
import { PERCENTILES } from '../model/percentile.ts';
import {
  callName,
  isMeasurement,
  type Measurement,
  type ResponseTimes,
  type TestResult,
} from '../model/report.ts';

/** Compares the response times of a load with those of a saved one. Pure. */
export function compareWithBaseline(saved: TestResult, measurements: readonly Measurement[]): Baseline {
  const { pairs, notes } = pairsIn(saved, measurements, 'the baseline');
  const rows = pairs.flatMap(({ before, after }): readonly BaselineRow[] =>
    compareSummaries(summaryOf(before), summaryOf(after)).map((row) => ({ ...calledIn(after), ...row })),
  );
  return { id: saved.id, startedAt: saved.startedAt, rows, notes };
}

/** A call whose fastest answers take longer, or shorter, than in an earlier check. */
export interface MovedTime {
  readonly operation: string;
  readonly function?: string;
  /** The figures are of the fastest tenth of the calls or, with few samples, of the faster half. */
  readonly fastest: FastestCalls['of'];
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly outcome: 'worse' | 'better';
}

export interface TimesCompared {
  readonly moved: readonly MovedTime[];
  readonly compared: number;
  /** What could not be compared, with the reason. */
  readonly notes: readonly string[];
}

/** Compares the response times of two checks by their fastest calls. Pure. */
export function compareChecks(before: TestResult, after: TestResult): TimesCompared {
  const measured = after.responseTimes.filter(isMeasurement);
  const { pairs, notes } = pairsIn(before, measured, 'the older result');
  const few: string[] = [];
  const compared = pairs.flatMap((pair) => {
    const of = Math.min(pair.before.samples, pair.after.samples) < MIN_SAMPLES_OF_TENTH ? 'half' : 'tenth';
    const [from, to] = [fastestCalls(pair.before, of), fastestCalls(pair.after, of)];
    if (from === null || to === null) few.push(`${callName(pair.after)}: there are too few samples`);
    return from === null || to === null ? [] : [{ call: pair.after, from, to }];
  });
  const missing = before.responseTimes
    .filter(isMeasurement)
    .filter((times) => !measured.some((other) => isSameCall(times, other)))
    .map((times) => `${callName(times)}: the newer result has no figures for it`);
  const moved = compared.flatMap(({ call, from, to }): readonly MovedTime[] => {
    const outcome = compareFastest(from.intervalMs, [to.intervalMs]);
    if (outcome === 'no-difference-shown') return [];
    const figures = { fastest: from.of, beforeMs: from.withinMs, afterMs: to.withinMs };
    return [{ ...calledIn(call), ...figures, outcome }];
  });
  return { moved, compared: compared.length, notes: [...notes, ...few, ...missing] };
}

interface Pair {
  readonly before: Measurement;
  readonly after: Measurement;
}

/** What both results measured; `called` is what the notes call the saved one. */
function pairsIn(
  saved: TestResult,
  measurements: readonly Measurement[],
  called: string,
): { readonly pairs: readonly Pair[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const pairs = measurements.flatMap((after): readonly Pair[] => {
    const before = saved.responseTimes.find((times) => isSameCall(times, after));
    const obstacle = obstacleOf(before, after, called);
    if (obstacle === null && before !== undefined && isMeasurement(before)) return [{ before, after }];
    notes.push(`${callName(after)}: ${obstacle}`);
    return [];
  });
  return { pairs, notes };
}

function isSameCall(one: ResponseTimes, other: ResponseTimes): boolean {
  return one.operation === other.operation && one.function === other.function;
}

function calledIn({ operation, function: name }: Measurement): Pick<BaselineRow, 'operation' | 'function'> {
  return { operation, ...(name === undefined ? {} : { function: name }) };
}

function obstacleOf(before: ResponseTimes | undefined, after: Measurement, called: string): string | null {
  if (before === undefined) return `${called} has no figures for it`;
  if (!isMeasurement(before)) return `${called} has only times of single calls for it`;
  const [unreliable] = [...after.unreliable, ...before.unreliable];
  if (unreliable !== undefined)
    return `the figures of ${after.unreliable.length > 0 ? 'this run' : called} cannot be relied on: ${unreliable}`;
  if (before.load.model.kind !== after.load.model.kind)
    return 'one of the two was measured in a closed loop and the other in an open one, which cannot be compared';
  return null;
}

function summaryOf(times: ResponseTimes): LatencySummary {
  return {
    count: times.count,
    minMs: times.minMs ?? 0,
    meanMs: times.meanMs ?? 0,
    maxMs: times.maxMs ?? 0,
    percentiles: PERCENTILES.flatMap((percentile) => {
      const valueMs = times[`${percentile}Ms`];
      const intervalMs = times.intervals[percentile];
      return valueMs === undefined || intervalMs === undefined ? [] : [{ percentile, valueMs, intervalMs }];
    }),
    histogram: '',
  };
}
