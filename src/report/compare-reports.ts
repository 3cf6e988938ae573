import { compareSummaries } from '../latency/compare-latency.ts';
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

/** Compares the response times of a result with those of a saved one, which the notes refer to as `called`. Pure. */
export function compareWithBaseline(
  saved: TestResult,
  measurements: readonly Measurement[],
  called = 'the baseline',
): Baseline {
  const notes: string[] = [];
  const rows = measurements.flatMap((after): readonly BaselineRow[] => {
    const { operation, function: name } = after;
    const before = saved.responseTimes.find(
      (times) => times.operation === operation && times.function === name,
    );
    const obstacle = obstacleOf(before, after, called);
    if (before === undefined || obstacle !== null) {
      notes.push(`${callName(after)}: ${obstacle}`);
      return [];
    }
    return compareSummaries(summaryOf(before), summaryOf(after)).map((row) => ({
      operation,
      ...(name === undefined ? {} : { function: name }),
      ...row,
    }));
  });
  return { id: saved.id, startedAt: saved.startedAt, rows, notes };
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
