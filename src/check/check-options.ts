import type { JsonObject } from '../json/json.ts';
import { compileSelector } from '../json/selector.ts';
import {
  abortSignal,
  allOf,
  anyFunction,
  anyList,
  flag,
  json,
  jsonObject,
  type Kinds,
  leaf,
  listOf,
  mapOf,
  milliseconds,
  notNegative,
  objectWith,
  oneOf,
  positive,
  record,
  required,
  text,
  textNotEmpty,
  textThatIs,
  wholeFrom,
} from '../model/arguments.ts';
import type {
  ConfiguredSample,
  Producer,
  ProducersOfFunction,
  SequenceCall,
  ValueOfCall,
} from '../model/call.ts';
import type { AnsweredExchange } from '../model/exchange.ts';
import { ExpectedError } from '../model/expected-error.ts';
import type { FormChoice } from '../model/judgement.ts';
import { isMinCoverage, MIN_COVERAGE_WORDS, type MinCoverage } from '../model/judgement.ts';
import type { Secret } from '../model/probe.ts';
import { type ExploringSettings, MUTATING_POLICIES, type MutatingPolicy } from '../model/report.ts';
import type { SourceMap, SourceRule } from '../model/source-map.ts';
import { type Step, type Suite, TARGET_KINDS } from '../model/suite.ts';
import type { Transport } from '../model/target.ts';
import type { Progress } from '../run/request-scheduler.ts';
import type { McpOptions } from './mcp-options.ts';

/** The options of a check; each has a default. */
export interface CheckOptions {
  /** Wire form; `auto` detects it for each operation. */
  readonly form?: FormChoice;
  /** Makes generated values repeatable; random by default. */
  readonly seed?: number;
  /** Requirement ids and globs to decide; all when empty. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Sends only GET requests. */
  readonly readOnly?: boolean;
  /** Connects only to public addresses: for services that check addresses from other people. */
  readonly publicOnly?: boolean;
  /** Level from which a failed requirement fails the run. */
  readonly failOn?: 'must' | 'should';
  /** How many functions must be exercised for a pass; by default half of those that may be called. */
  readonly minCoverage?: MinCoverage;
  /** Maximum number of functions to call, spread evenly. */
  readonly maxFunctions?: number;
  /** Maximum number of requests in flight. */
  readonly concurrency?: number;
  /** Maximum number of requests started within any second. */
  readonly requestsPerSecond?: number;
  /** Certificate authorities to trust instead of the default ones, as PEM. */
  readonly ca?: string;
  /** The transports in the target's listing; WebSocket is tried only if it is listed. */
  readonly transports?: readonly Transport[];
  /** The response time of the target that the directory shows. */
  readonly claimedResponseTimeMs?: number;
  /**
   * `withListing` decides the requirements of a listing afterwards: `only` and `skip` may name them, and the requests
   * that they depend on are sent.
   */
  readonly listingGiven?: boolean;
  /** How to call functions that change something, or look as if they do. */
  readonly mutating?: MutatingOptions;
  /** What is timed, and its limits. */
  readonly latency?: LatencyOptions;
  /** How much functions are explored with generated inputs; the default is 17 calls of each. */
  readonly exploring?: Partial<ExploringSettings>;
  readonly deadlineMs?: number;
  readonly requestTimeoutMs?: number;
  /** Memory limit of the check, in megabytes; a check that needs more is stopped. */
  readonly maxHeapMb?: number;
  /** Sample inputs by function name. */
  readonly samples?: Readonly<
    Record<string, readonly { readonly input: ConfiguredSample['input']; readonly fails?: boolean }[]>
  >;
  /** For parameters of functions, by function name: the function whose result has the value, and its JSONPath. */
  readonly producers?: Readonly<Record<string, ProducersOfFunction>>;
  /** Where the user's code is, for the formats that point to it. */
  readonly sources?: SourceMap;
  /** The name of the target, for its reports and for the commands that repeat a finding. */
  readonly targetName?: string;
  /** The target is a server of the Model Context Protocol: an endpoint, or a command. */
  readonly mcp?: McpOptions;
  /** The target is the platform API of a directory: its base address, which ends in /v1. */
  readonly directory?: {
    /** Id of the entry to read, test and call; chosen by default. */
    readonly entry?: string;
    /** Sends a limited burst of searches, to test whether the directory answers 429. */
    readonly tryRateLimit?: boolean;
  };
  /** Sent with every request. Their values are secrets and are never stored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer …`; a secret too. */
  readonly bearerToken?: string;
  /** Name of the environment variable of the token, for the commands that repeat a finding. */
  readonly bearerEnv?: string;
  /** Suites to run; the product's own when left out. */
  readonly suites?: readonly Suite[];
  /** Ends the run early; what was collected is still judged. */
  readonly signal?: AbortSignal;
  /** An error that it throws, or rejects with, ends the check, which rejects with the same error. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Called with the first answer to GET /health or GET /capabilities that no server with the three endpoints gives. The
   * run goes on when the promise resolves; an error ends it, which rejects with the same error.
   */
  readonly onUnlikeAnswer?: OnUnlikeAnswer;
}

function isCommandOption(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string'))
  );
}

export type OnUnlikeAnswer = (exchange: AnsweredExchange) => Promise<void>;

export interface MutatingOptions extends Partial<Readonly<Record<MutatingPolicy, readonly string[]>>> {
  /** For functions that look as if they change something: `once` (the default), `allow` or `never`. */
  readonly default?: MutatingPolicy;
}

export interface LatencyOptions {
  /** Turns timing off; latency requirements are not decided. */
  readonly off?: boolean;
  /** Timed calls of /health and of /capabilities each, and of the functions in proportion. */
  readonly samples?: number;
  /** In the syntax of the command line, such as `health.p95=300ms`; a later one replaces an earlier one. */
  readonly budgets?: readonly string[];
}

export const SUITE = allOf(
  objectWith<Suite>('a suite from loadSuites', {
    target: required(oneOf(...TARGET_KINDS)),
    id: required(text),
    title: required(text),
    file: required(text),
    digest: required(text),
    steps: required(
      listOf(
        objectWith<Step>('a step', {
          id: required(text),
          needs: required(anyList),
          expect: required(anyList),
        }),
      ),
    ),
  }),
  json,
);

const jsonPath = textThatIs(
  'a JSONPath, such as $.id (RFC 9535)',
  (at) => !('problem' in compileSelector(at)),
);

const sourceRules = listOf(
  record<SourceRule>({ glob: required(text), file: required(textNotEmpty), line: required(wholeFrom(1)) }),
);

const sequenceCall = record<SequenceCall>({
  functionName: required(text),
  input: required(jsonObject),
  from: required(
    mapOf(
      record<ValueOfCall>({
        call: required(wholeFrom(0)),
        place: required(oneOf('input', 'answer')),
        pointer: required(text),
      }),
    ),
  ),
});

export const CHECK_OPTIONS = {
  form: oneOf('auto', 'A', 'B'),
  seed: wholeFrom(0),
  only: listOf(text),
  skip: listOf(text),
  readOnly: flag,
  publicOnly: flag,
  failOn: oneOf('must', 'should'),
  minCoverage: leaf(MIN_COVERAGE_WORDS, isMinCoverage),
  maxFunctions: wholeFrom(1),
  concurrency: wholeFrom(1),
  requestsPerSecond: positive,
  ca: text,
  transports: listOf(oneOf('http', 'websocket')),
  claimedResponseTimeMs: notNegative,
  listingGiven: flag,
  targetName: textNotEmpty,
  mcp: record<McpOptions>({
    command: leaf('a text, or a list of texts', isCommandOption),
    env: mapOf(text),
    cwd: text,
    era: oneOf('session', 'stateless'),
    startTimeoutMs: milliseconds,
    from: text,
    secrets: listOf(record<Secret>({ value: required(text), variable: required(text) })),
  }),
  mutating: record<MutatingOptions>({
    default: oneOf(...MUTATING_POLICIES),
    allow: listOf(text),
    once: listOf(text),
    never: listOf(text),
  }),
  latency: record<LatencyOptions>({ off: flag, samples: wholeFrom(1), budgets: listOf(text) }),
  exploring: record<Partial<ExploringSettings>>({
    valid: wholeFrom(0),
    invalid: wholeFrom(0),
    again: wholeFrom(0),
    pairs: wholeFrom(0),
    sequences: wholeFrom(0),
    smaller: wholeFrom(0),
    durationMs: milliseconds,
    widely: flag,
    first: mapOf(listOf(jsonObject)),
    firstSequences: listOf(listOf(sequenceCall)),
    functions: listOf(text),
  }),
  deadlineMs: milliseconds,
  requestTimeoutMs: milliseconds,
  maxHeapMb: positive,
  samples: mapOf(
    listOf(record<{ input: JsonObject; fails: boolean }>({ input: required(jsonObject), fails: flag })),
  ),
  producers: mapOf(mapOf(record<Producer>({ from: required(textNotEmpty), at: required(jsonPath) }))),
  sources: record<SourceMap>({ functions: required(sourceRules), requirements: required(sourceRules) }),
  directory: record<NonNullable<CheckOptions['directory']>>({ entry: text, tryRateLimit: flag }),
  headers: mapOf(text),
  bearerToken: textNotEmpty,
  bearerEnv: text,
  suites: listOf(SUITE),
  signal: abortSignal,
  onProgress: anyFunction,
  onUnlikeAnswer: anyFunction,
} satisfies Kinds<CheckOptions>;

export const TARGET_URL = required(
  textThatIs('the base address of the server, such as http://127.0.0.1:3000'),
);

/** The options of every function that checks a server or plans a check. */
export const CHECK_ARGUMENTS = { url: TARGET_URL, options: record(CHECK_OPTIONS) };

/** An address that cannot be checked, with the remedy. */
export class TargetError extends ExpectedError {
  override readonly name = 'TargetError';
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(`${problem}. ${remedy}`);
    this.remedy = remedy;
  }
}
