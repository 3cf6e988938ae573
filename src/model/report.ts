import type { Exchange } from './exchange.ts';
import type { Json, JsonObject } from './json.ts';
import type { FormChoice, ReportedFinding, Row, Verdict } from './judgement.ts';
import type { Form } from './requirement.ts';
import type { Percentile } from './suite.ts';

export const TEST_RESULT_SCHEMA_ID = 'https://probity.invalid/schemas/test-result/v1';

/** A sample input for a function, from the configuration. */
export interface ConfiguredSample {
  readonly input: JsonObject;
  /** The function's handler is expected to fail on it (specification, section 7). */
  readonly fails: boolean;
}

/** Values of a record's `transport` (specification, section 2.1). */
export type Transport = 'http' | 'websocket';

/** Everything besides the target that decides what a run asks and how it is judged. */
export interface RunSettings {
  readonly form: FormChoice;
  readonly seed: number;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly readOnly: boolean;
  readonly publicOnly: boolean;
  readonly failOn: 'must' | 'should';
  readonly maxItems: number;
  readonly concurrency: number;
  /** Most requests that are started within any second. */
  readonly requestsPerSecond: number;
  readonly deadlineMs: number;
  readonly requestTimeoutMs: number;
  readonly samples: Readonly<Record<string, readonly ConfiguredSample[]>>;
  /** What the listing says that the target speaks. */
  readonly transports: readonly Transport[];
  /** Names only; what they carry is never kept. */
  readonly headerNames: readonly string[];
}

export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  readonly inapplicable: number;
  readonly blocked: number;
  readonly inconclusive: number;
}

/** How fast one operation answered, in milliseconds from the request's start to the answer's last byte. */
export interface ResponseTimes {
  readonly operation: 'health' | 'capabilities' | 'execute' | 'other';
  readonly function?: string;
  readonly count: number;
  readonly errors: number;
  readonly minMs?: number;
  readonly meanMs?: number;
  readonly p50Ms?: number;
  readonly p90Ms?: number;
  readonly p95Ms?: number;
  readonly p99Ms?: number;
  readonly 'p99.9Ms'?: number;
  readonly maxMs?: number;
  /** 95 % confidence intervals by order statistics, for each percentile that is given. */
  readonly intervals: Readonly<Partial<Record<Percentile, readonly [number, number]>>>;
}

export interface OperationError {
  readonly operation: string;
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly count: number;
}

export interface OutputSample {
  readonly function: string;
  readonly input: Json;
  readonly output: Json;
  readonly durationMs: number;
}

/** Something learned that is not a rule. */
export interface Fact {
  readonly name: string;
  readonly text: string;
}

export interface RunTarget {
  readonly url: string;
  readonly form: { readonly capabilities: Form | null; readonly execute: Form | null };
  readonly name?: string;
  readonly version?: string;
  readonly mcpVersion?: string;
}

/** The test result of the specification's section 2.3, as schemas/test-result.schema.json describes it. */
export interface TestResult {
  readonly schema: typeof TEST_RESULT_SCHEMA_ID;
  readonly id: string;
  readonly harness: { readonly name: string; readonly version: string };
  readonly suites: readonly { readonly id: string; readonly digest: string }[];
  readonly seed: number;
  readonly settings: RunSettings;
  readonly target: RunTarget;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly durationMs: number;
  readonly verdict: Verdict;
  readonly reachable: boolean;
  readonly summary: Summary;
  readonly results: readonly Row[];
  readonly findings: readonly ReportedFinding[];
  readonly responseTimes: readonly ResponseTimes[];
  readonly errors: readonly OperationError[];
  readonly samples: readonly OutputSample[];
  readonly facts: readonly Fact[];
  readonly exchanges: readonly Exchange[];
}
