import { compareFastest, doubtOf, fastestCalls, partOf } from '../../latency/fastest-calls.ts';
import type { Baseline, BaselineRow, BenchFigures, ComparedCall, PreparedCall } from '../../model/bench.ts';
import { PERCENTILES } from '../../model/load.ts';
import { callName, isMeasurement, type Measurement, type ResponseTimes } from '../../model/measurement.ts';
import { TEST_RESULT_SCHEMA_ID, type TestResult } from '../../model/report.ts';
import type { ReportInput } from '../build-report.ts';

/** Compares the response times of a load with those of a saved one, by their fastest calls. Pure. */
export function compareWithBaseline(saved: TestResult, measurements: readonly Measurement[]): Baseline {
  const { compared, notes } = compareCalls(saved, measurements, 'the baseline');
  const rows = compared.map(({ before, after, call }) => ({
    ...call,
    percentiles: percentilesOf(before, after),
  }));
  return { id: saved.id, startedAt: saved.startedAt, rows, notes };
}

/** A call whose fastest answers take longer, or shorter, than in an earlier check. */
export interface MovedTime extends ComparedCall {
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
  const { compared, notes } = compareCalls(before, measured, 'the older result');
  const missing = before.responseTimes
    .filter(isMeasurement)
    .filter((times) => !measured.some((other) => isSameCall(times, other)))
    .map((times) => `${callName(times)}: the newer result has no figures for it`);
  const moved = compared.flatMap(({ call: { outcome, ...figures } }): readonly MovedTime[] =>
    outcome === 'no-difference-shown' ? [] : [{ ...figures, outcome }],
  );
  return { moved, compared: compared.length, notes: [...notes, ...missing] };
}

/** `called` is what the notes, which say what cannot be compared, call the saved result. */
function compareCalls(saved: TestResult, measurements: readonly Measurement[], called: string) {
  const notes: string[] = [];
  const few: string[] = [];
  const compared = measurements.flatMap((after) => {
    const before = saved.responseTimes.find((times) => isSameCall(times, after));
    const obstacle = obstacleOf(before, after, called);
    if (obstacle !== null || before === undefined || !isMeasurement(before)) {
      notes.push(`${callName(after)}: ${obstacle}`);
      return [];
    }
    const fastest = partOf(Math.min(before.samples, after.samples));
    const [from, to] = [fastestCalls(before, fastest), fastestCalls(after, fastest)];
    if (from === null || to === null) {
      few.push(`${callName(after)}: there are too few samples`);
      return [];
    }
    const { operation, function: name } = after;
    const place = { operation, ...(name === undefined ? {} : { function: name }) };
    const outcome = compareFastest(from.intervalMs, [to.intervalMs]);
    const call: ComparedCall = { ...place, fastest, beforeMs: from.withinMs, afterMs: to.withinMs, outcome };
    return [{ before, after, call }];
  });
  return { compared, notes: [...notes, ...few] };
}

function percentilesOf(before: Measurement, after: Measurement): BaselineRow['percentiles'] {
  return PERCENTILES.flatMap((percentile) => {
    const [beforeMs, afterMs] = [before[`${percentile}Ms`], after[`${percentile}Ms`]];
    return beforeMs === undefined || afterMs === undefined ? [] : [{ percentile, beforeMs, afterMs }];
  });
}

function isSameCall(one: ResponseTimes, other: ResponseTimes): boolean {
  return one.operation === other.operation && one.function === other.function;
}

function obstacleOf(before: ResponseTimes | undefined, after: Measurement, called: string): string | null {
  if (before === undefined) return `${called} has no figures for it`;
  if (!isMeasurement(before)) return `${called} has only times of single calls for it`;
  const fastest = partOf(Math.min(before.samples, after.samples));
  const [doubt, doubtBefore] = [doubtOf(after, fastest), doubtOf(before, fastest)];
  if (doubt !== null) return `the figures of this run cannot be relied on: ${doubt}`;
  if (doubtBefore !== null) return `the figures of ${called} cannot be relied on: ${doubtBefore}`;
  if (before.load.model.kind !== after.load.model.kind)
    return 'one of the two was measured in a closed loop and the other in an open one, which cannot be compared';
  return null;
}

export interface BenchResultInput
  extends Omit<ReportInput, 'suites' | 'requirements' | 'record' | 'judgements'> {
  readonly calls: readonly PreparedCall[];
  readonly measurements: readonly Measurement[];
  readonly figures: BenchFigures;
}

/** The test result of a load. It decides no requirement, so its verdict is never a pass. Pure. */
export function benchResult(input: BenchResultInput): TestResult {
  const { settings, calls, measurements } = input;
  return {
    schema: TEST_RESULT_SCHEMA_ID,
    id: input.id,
    harness: { name: 'probity', version: input.harnessVersion },
    suites: [],
    seed: settings.seed,
    settings,
    target: { url: input.targetUrl, form: { capabilities: null, execute: null } },
    startedAt: new Date(input.startedAtMs).toISOString(),
    finishedAt: new Date(input.finishedAtMs).toISOString(),
    durationMs: input.finishedAtMs - input.startedAtMs,
    verdict: 'incomplete',
    reachable: true,
    summary: { passed: 0, failed: 0, warnings: 0, inapplicable: 0, undecided: 0 },
    results: [],
    findings: [],
    responseTimes: measurements,
    errors: measurements.flatMap(({ operation, errorKinds }) =>
      errorKinds.map((error) => ({ operation, ...error })),
    ),
    samples: [],
    facts: [],
    exchanges: calls.map(({ exchange }) => exchange),
    bench: input.figures,
  };
}
