import type { Json, JsonObject } from '../json/json.ts';
import { isLoopback } from '../text/loopback.ts';
import { anyList, anyObject, objectWith, oneOf, required, text } from './arguments.ts';
import type { BenchFigures } from './bench.ts';
import type { Budget } from './budget.ts';
import type { ClientAnswers, ConfiguredSample, ProducersOfFunction, SequenceCall } from './call.ts';
import type { CHECK_SETTINGS, MutatingPolicy } from './check-options.ts';
import type { ClientView } from './client-view.ts';
import type { Contract } from './contract.ts';
import type { Exchange } from './exchange.ts';
import type { AppliedBaseline, Coverage, ReportedFinding, Row, Verdict } from './judgement.ts';
import type { ListingBasis, ListingDecision, ListingRow } from './listing.ts';
import type { Measurement, OperationError, ResponseTimes } from './measurement.ts';
import type { StoredOf } from './option.ts';
import type { Form, Level } from './requirement.ts';
import type { SourceMap } from './source-map.ts';
import type { TargetKind } from './suite.ts';
import type { Channel, Conversation, Era } from './wire.ts';

export const TEST_RESULT_SCHEMA_ID = 'https://probity.invalid/schemas/test-result/v2';

/** Everything besides the target that determines the requests of a run and their judgement. */
export interface RunSettings extends StoredOf<typeof CHECK_SETTINGS> {
  readonly seed: number;
  readonly samples: Readonly<Record<string, readonly ConfiguredSample[]>>;
  /** For parameters of functions, the function whose result has the value, by function name; absent without any. */
  readonly producers?: Readonly<Record<string, ProducersOfFunction>>;
  /** What the client answers when a server asks it; absent if the user configured nothing. */
  readonly answers?: ClientAnswers;
  /** Where the user's code is; absent if the configuration does not say it. */
  readonly sources?: SourceMap;
  /** What the target is compared with; absent if the user gave none. */
  readonly contract?: Contract;
  /** The target's response time according to the directory; null if unknown. */
  readonly claimedResponseTimeMs: number | null;
  readonly listingGiven?: true;
  readonly mutating: MutatingSettings;
  readonly latency: LatencySettings;
  /** Absent for the little that a check explores. */
  readonly exploring?: ExploringSettings;
  /** Present for a server of the Model Context Protocol. */
  readonly mcp?: McpServer;
  readonly directory?: DirectorySettings;
  readonly targetName?: string;
  /** As the command line names them: the configuration, suites, and the contract. */
  readonly files?: {
    readonly config?: string | undefined;
    readonly suites?: readonly string[] | undefined;
    readonly contract?: string | undefined;
  };
  /** Names only; the values are never stored. */
  readonly headerNames: readonly string[];
  /** The environment variable with the bearer token; absent if none was named. */
  readonly bearerEnv?: string;
}

/** What the user asked for that most users do not. */
export type Demands = Pick<RunSettings, 'portable' | 'maxDefinitionTokens' | 'contract'>;

/** Of a server, unless the user sets another one. */
export const START_TIMEOUT_MS = 60_000;

/** A server of the Model Context Protocol, and how it is opened. */
export interface McpServer {
  /** Its command or its address, without secrets. */
  readonly address: string;
  readonly channel: Channel;
  /** `auto`: whichever the server speaks. */
  readonly era: Era | 'auto';
  /** For the first answer. */
  readonly startTimeoutMs: number;
  /** Names of the environment variables that its command got; their values are never stored. */
  readonly env?: readonly string[];
  /** The environment variable with the bearer token for its address. */
  readonly bearerEnv?: string;
  /** The file that names it, if it was checked with others of a client's configuration. */
  readonly from?: string;
}

/** Whether the target is on this machine: a command, or an address of it. */
export function isOnThisMachine(targetUrl: string, { mcp }: Pick<RunSettings, 'mcp'>): boolean {
  return mcp?.channel === 'stdio' || isLoopback(new URL(targetUrl).hostname);
}

export interface DirectorySettings {
  /** The entry to read, test and call; null: chosen from the entries that the directory shows. */
  readonly entry: string | null;
  /** Send requests fast enough to reach the directory's rate limit. */
  readonly tryRateLimit: boolean;
}

export function targetKindOf({
  directory,
  mcp,
}: {
  readonly directory?: unknown;
  readonly mcp?: McpServer | undefined;
}): TargetKind {
  if (directory !== undefined) return 'directory';
  return mcp === undefined ? 'server' : 'mcp';
}

/** How much functions are explored with generated inputs; numbers of calls for each function. */
export interface ExploringSettings {
  readonly valid: number;
  readonly invalid: number;
  /** Valid inputs that are sent once more. */
  readonly again: number;
  /** Pairs of inputs that a wrong cache would confuse. */
  readonly pairs: number;
  /** Sequences that start with each function that changes something; absent in reports of versions without them. */
  readonly sequences?: number;
  /** Sequences that are tried first: those that showed a fault before. */
  readonly firstSequences?: readonly (readonly SequenceCall[])[];
  /** To find the smallest input for each fault. */
  readonly smaller: number;
  /** For all functions together; absent if only the deadline of the run ends it. */
  readonly durationMs?: number;
  /** Also functions that change nothing as far as was observed, not only those that are described as reading. */
  readonly widely: boolean;
  /** Inputs that are tried first, by function name: those that showed a fault before. */
  readonly first?: Readonly<Record<string, readonly JsonObject[]>>;
  /** Names and globs of the functions to explore; absent for all. */
  readonly functions?: readonly string[];
}

export interface LatencySettings {
  /** Nothing is timed, and requirements that need timing are not planned. */
  readonly off: boolean;
  /** Number of timed calls of /health and of /capabilities, and proportionally of the functions; null: the default. */
  readonly samples: number | null;
  /** Budgets of the user; defaults apply to all other figures. */
  readonly budgets: readonly Budget[];
  /** The user set the rate, which then also applies to a target on this machine. */
  readonly rateGiven: boolean;
}

/** How changing functions are called. */
export interface MutatingSettings {
  readonly default: MutatingPolicy;
  /** Names and globs of functions with a fixed policy; the strictest one counts. */
  readonly functions: Readonly<Record<MutatingPolicy, readonly string[]>>;
}

/** The lowest level at which a failed requirement fails the run. */
export function failingLevel({ failOn }: Pick<RunSettings, 'failOn'>): Level {
  return failOn === 'must' ? 'MUST' : 'SHOULD';
}

export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  readonly inapplicable: number;
  readonly undecided: number;
  /** Failed and undecided requirements that the baseline accepts; absent if there are none. */
  readonly accepted?: number;
}

export interface OutputSample {
  readonly function: string;
  readonly input: Json;
  readonly output: Json;
  readonly durationMs: number;
}

/** An observation that is not a requirement. */
export type Fact = { readonly name: string; readonly text: string };
/** The name of the fact about calls without an answer, which a reader must not miss. */
export const UNANSWERED = 'unanswered';
/** The name of the fact that answers are of an earlier check. */
export const REUSED = 'answered';
/** The name of the fact that --bail left requests out: what a run did not find then may still be there. */
const BAILED = 'bail';
export const BAILED_FACT: Fact = {
  name: BAILED,
  text: 'the check ended with its first failure: what it did not ask for is undecided, and a requirement may be met by the few answers that came. Nothing counts as fixed',
};

export function hasBailed({ facts }: Pick<TestResult, 'facts'>): boolean {
  return facts.some(({ name }) => name === BAILED);
}

export interface RunTarget {
  readonly url: string;
  readonly form: { readonly capabilities: Form | null; readonly execute: Form | null };
  readonly name?: string;
  readonly version?: string;
  readonly mcpVersion?: string;
  /** Of a server of the Model Context Protocol: how it was talked to; `mcpVersion` is the revision. */
  readonly conversation?: { readonly channel: Channel; readonly era: Era };
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
  /** Absent if the run calls no listed functions. */
  readonly coverage?: Coverage;
  /** What clients and models see; absent if the list of functions was not read. */
  readonly clientView?: ClientView;
  readonly results: readonly Row[];
  readonly findings: readonly ReportedFinding[];
  readonly responseTimes: readonly (ResponseTimes | Measurement)[];
  readonly errors: readonly OperationError[];
  readonly samples: readonly OutputSample[];
  readonly facts: readonly Fact[];
  readonly exchanges: readonly Exchange[];
  /** Of a server of the Model Context Protocol: what its processes and sessions showed outside of exchanges. */
  readonly conversations?: readonly Conversation[];
  /** The selected requirements of the listing, if one was given. */
  readonly listing?: readonly ListingRow[];
  /** The decision that follows from them for a directory. */
  readonly listingDecision?: ListingDecision;
  /** What they are decided from, besides the rest of the result. */
  readonly listingBasis?: ListingBasis;
  readonly baseline?: AppliedBaseline;
  /** What only `probity bench` measures. */
  readonly bench?: BenchFigures;
}

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
