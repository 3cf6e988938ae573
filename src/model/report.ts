import { anyList, anyObject, objectWith, oneOf, required, text } from './arguments.ts';
import type { AppliedBaseline } from './baseline.ts';
import type { BenchFigures } from './bench.ts';
import type { Budget } from './budget.ts';
import type { ConfiguredSample } from './call.ts';
import type { Exchange } from './exchange.ts';
import type { Json } from './json.ts';
import type { FormChoice, ReportedFinding, Row, Verdict } from './judgement.ts';
import type { ListingBasis, ListingDecision, ListingRow } from './listing.ts';
import type { ClientFigures, LoadError, LoadModel, LoadResult } from './load.ts';
import type { Percentile } from './percentile.ts';
import type { Form, Level } from './requirement.ts';
import type { TargetKind } from './suite.ts';
import type { Transport } from './target.ts';

export const TEST_RESULT_SCHEMA_ID = 'https://probity.invalid/schemas/test-result/v1';

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
  /** What the directory shows as the target's response time; null where it is not known. */
  readonly claimedResponseTimeMs: number | null;
  /** The requirements of a listing are decided too. */
  readonly listingGiven?: true;
  readonly mutating: MutatingSettings;
  readonly latency: LatencySettings;
  /** What only the check of a directory is told; left out in that of a server. */
  readonly directory?: DirectorySettings;
  /** Names only; what they carry is never kept. */
  readonly headerNames: readonly string[];
  /** The environment variable that held the bearer token; left out where none was named. */
  readonly bearerEnv?: string;
}

export interface DirectorySettings {
  /** The entry to read, test and call; null to choose among those that are shown. */
  readonly entry: string | null;
  /** Asks so often that the directory may say that it is too often. */
  readonly tryRateLimit: boolean;
}

/** What kind of target the run is about. */
export function targetKindOf({ directory }: Pick<RunSettings, 'directory'>): TargetKind {
  return directory === undefined ? 'server' : 'directory';
}

/** What is timed, and what it must keep to. */
export interface LatencySettings {
  /** Nothing is timed, and what would be decided by it is not planned. */
  readonly off: boolean;
  /** Timed calls of /health and of /capabilities, and in proportion of the functions; null for the usual number. */
  readonly samples: number | null;
  /** Those that were given; in the place of what they leave open stand the defaults. */
  readonly budgets: readonly Budget[];
  /** The user set the rate, which then holds for a target on this machine as well. */
  readonly rateGiven: boolean;
}

/** How often a function may be called: as often as any, a few times and never timed, or not at all. */
export const MUTATING_POLICIES = ['allow', 'once', 'never'] as const;
export type MutatingPolicy = (typeof MUTATING_POLICIES)[number];

/** How functions are called that change something, or look as if they did. */
export interface MutatingSettings {
  readonly default: MutatingPolicy;
  /** Names and globs of functions to which a policy applies whatever they look like; the strictest one counts. */
  readonly functions: Readonly<Record<MutatingPolicy, readonly string[]>>;
}

/** The least level at which a failed requirement fails the run. */
export function failingLevel({ failOn }: Pick<RunSettings, 'failOn'>): Level {
  return failOn === 'must' ? 'MUST' : 'SHOULD';
}

export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  readonly inapplicable: number;
  readonly blocked: number;
  readonly inconclusive: number;
  /** Failed and undecided ones that the baseline accepts; left out where there are none. */
  readonly accepted?: number;
}

/** How fast one operation answered, in milliseconds from the request's start to the answer's last byte. */
export interface ResponseTimes {
  readonly operation: 'health' | 'capabilities' | 'search' | 'details' | 'test' | 'execute' | 'other';
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

/** The response times of calls that were made to be timed, with what the figures rest on. */
export interface Measurement extends ResponseTimes {
  /** Names the step and the item that were measured. */
  readonly key: string;
  /** Calls whose time counts: those that were answered, and those that were waited for until the time-out. */
  readonly samples: number;
  readonly load: {
    readonly model: LoadModel;
    readonly transport: LoadResult['transport'];
    /** Calls that were planned. */
    readonly planned: number;
    /** How often it was measured until the figures could be relied on, or were given up. */
    readonly attempts: number;
    /** Why it ended before all planned calls were made. */
    readonly stoppedBy: string | null;
  };
  readonly throughputPerSecond: number;
  /** Null where nothing was measured. */
  readonly client: ClientFigures | null;
  /** HdrHistogram V2, compressed, as base64: integer microseconds. Null where no call was answered. */
  readonly histogram: string | null;
  /** Why the figures cannot be relied on; nothing is judged by them then. */
  readonly unreliable: readonly string[];
  readonly errorKinds: readonly LoadError[];
}

export function isMeasurement(times: ResponseTimes): times is Measurement {
  return 'load' in times;
}

/** What is called, as `--operation` takes it: `health`, `execute:add`. */
export function callName({
  operation,
  function: name,
}: {
  readonly operation: string;
  readonly function?: string;
}): string {
  return name === undefined ? operation : `${operation}:${name}`;
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
  readonly responseTimes: readonly (ResponseTimes | Measurement)[];
  readonly errors: readonly OperationError[];
  readonly samples: readonly OutputSample[];
  readonly facts: readonly Fact[];
  readonly exchanges: readonly Exchange[];
  /** The requirements of a listing, where one was given, as far as they were wanted. */
  readonly listing?: readonly ListingRow[];
  /** What a directory makes of them. */
  readonly listingDecision?: ListingDecision;
  /** What they rest on besides the rest of the result. */
  readonly listingBasis?: ListingBasis;
  /** What was accepted beforehand, and what is wrong with that. */
  readonly baseline?: AppliedBaseline;
  /** What only `probity bench` measures. */
  readonly bench?: BenchFigures;
}

/** Its validation as an argument of the library. */
export const RESULT = required(
  objectWith<TestResult>('a test result, as checkServer and readReport give it', {
    schema: required(oneOf(TEST_RESULT_SCHEMA_ID)),
    id: required(text),
    harness: required(anyObject),
    suites: required(anyList),
    settings: required(anyObject),
    target: required(objectWith<RunTarget>('a target', { url: required(text), form: required(anyObject) })),
    startedAt: required(text),
    finishedAt: required(text),
    summary: required(anyObject),
    results: required(anyList),
    findings: required(anyList),
    responseTimes: required(anyList),
    errors: required(anyList),
    samples: required(anyList),
    facts: required(anyList),
    exchanges: required(anyList),
  }),
);
