import { callName, isMeasurement, slowestFirst, slowOf } from '../model/measurement.ts';
import type { TestResult } from '../model/report.ts';

/** One of several results in a file or an index. */
export interface NamedResult {
  /** Unique among them. */
  readonly name: string;
  readonly result: TestResult;
}

/** What an index of several targets says of one of them. A result has megabytes, and this has none of its texts. */
export type TargetEntry = CheckedTarget | UncheckedTarget;

export type CheckedTarget = ReturnType<typeof targetEntry>;

/** Nothing was decided, because the check could not start. */
interface UncheckedTarget {
  readonly kind: 'not-checked';
  readonly name: string;
  readonly url: string;
  readonly reason: string;
  readonly exitCode: number;
}

/** `report` is the path of its report, relative to the index; null if there is none. */
export function targetEntry(result: TestResult, name: string, report: string | null) {
  const { id, harness, startedAt, durationMs, verdict, reachable, summary } = result;
  return {
    kind: 'checked' as const,
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

/** The timed function with the slowest answers; null if no function was timed. */
function slowestFunction({ responseTimes }: TestResult) {
  const timed = responseTimes.filter(isMeasurement).filter((times) => times.function !== undefined);
  const [slowest] = slowestFirst(timed);
  if (slowest === undefined || slowOf(slowest) === null) return null;
  // Without a p95, there are too few calls for it, and functions are compared by their slowest call.
  const { p95Ms = null, maxMs = null, unreliable } = slowest;
  return { name: callName(slowest), p95Ms, maxMs, reliable: unreliable.length === 0 };
}

export interface RenderedFile {
  /** The end of its name, such as `.junit.xml`. */
  readonly suffix: string;
  readonly text: string;
}
