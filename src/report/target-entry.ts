import type { Verdict } from '../model/judgement.ts';
import { callName, isMeasurement, slowestFirst, slowOf } from '../model/measurement.ts';
import type { Summary, TestResult } from '../model/report.ts';

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
  readonly id: string;
  readonly harnessVersion: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly verdict: Verdict;
  readonly reachable: boolean;
  readonly summary: Summary;
  /** The timed function with the slowest answers; null if no function was timed. */
  readonly slowest: {
    readonly name: string;
    /** Null if there are too few calls for it; then functions are compared by their slowest call. */
    readonly p95Ms: number | null;
    readonly maxMs: number | null;
    readonly reliable: boolean;
  } | null;
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

export function targetEntry(result: TestResult, name: string, report: string | null): CheckedTarget {
  const { id, harness, startedAt, durationMs, verdict, reachable, summary } = result;
  return {
    kind: 'checked',
    name,
    url: result.target.url,
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
  const timed = responseTimes.filter(isMeasurement).filter((times) => times.function !== undefined);
  const [slowest] = slowestFirst(timed);
  if (slowest === undefined || slowOf(slowest) === null) return null;
  const { p95Ms = null, maxMs = null, unreliable } = slowest;
  return { name: callName(slowest), p95Ms, maxMs, reliable: unreliable.length === 0 };
}

export interface RenderedFile {
  /** The end of its name, such as `.junit.xml`. */
  readonly suffix: string;
  readonly text: string;
}
