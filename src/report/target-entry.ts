import type { Verdict } from '../model/judgement.ts';
import { callName, isMeasurement, type Summary, shownTarget, type TestResult } from '../model/report.ts';

/** One of several results in a file or an index. */
export interface NamedResult {
  /** Unique among them. */
  readonly name: string;
  readonly result: TestResult;
}

/** What an index of several targets says of one of them. A result has megabytes, and this has none of its texts. */
export type TargetEntry = CheckedTarget | UncheckedTarget;

export interface CheckedTarget {
  readonly kind: 'checked';
  readonly name: string;
  readonly url: string;
  /** The id of the result. */
  readonly id: string;
  readonly harnessVersion: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly verdict: Verdict;
  readonly reachable: boolean;
  readonly summary: Summary;
  /** The timed function with the highest 95th percentile; null if no function was timed. */
  readonly slowest: { readonly name: string; readonly p95Ms: number; readonly reliable: boolean } | null;
  /** Path of its report, relative to the index; null if there is none. */
  readonly report: string | null;
}

/** Nothing was decided, because the check could not start. */
export interface UncheckedTarget {
  readonly kind: 'not-checked';
  readonly name: string;
  readonly url: string;
  readonly reason: string;
  readonly exitCode: number;
}

/** Pure. */
export function targetEntry(result: TestResult, name: string, report: string | null): CheckedTarget {
  const { id, harness, startedAt, durationMs, verdict, reachable, summary } = result;
  return {
    kind: 'checked',
    name,
    url: shownTarget(result).url,
    id,
    harnessVersion: harness.version,
    startedAt,
    durationMs,
    verdict,
    reachable,
    summary,
    slowest: slowestFunction(result),
    report,
  };
}

function slowestFunction({ responseTimes }: TestResult): CheckedTarget['slowest'] {
  let slowest: CheckedTarget['slowest'] = null;
  for (const times of responseTimes) {
    const { p95Ms } = times;
    if (!isMeasurement(times) || times.function === undefined || p95Ms === undefined) continue;
    if (slowest !== null && slowest.p95Ms >= p95Ms) continue;
    slowest = { name: callName(times), p95Ms, reliable: times.unreliable.length === 0 };
  }
  return slowest;
}
