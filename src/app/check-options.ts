import {
  abortSignal,
  allOf,
  anyFunction,
  anyList,
  flag,
  json,
  jsonObject,
  type Kinds,
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
import type { ConfiguredSample } from '../model/call.ts';
import { ExpectedError } from '../model/expected-error.ts';
import type { JsonObject } from '../model/json.ts';
import type { FormChoice } from '../model/judgement.ts';
import { MUTATING_POLICIES, type MutatingPolicy } from '../model/report.ts';
import { type Step, type Suite, TARGET_KINDS } from '../model/suite.ts';
import type { Transport } from '../model/target.ts';
import type { Progress } from '../run/request-scheduler.ts';

/** What may be said about a check; everything has a default. */
export interface CheckOptions {
  /** Wire form; `auto` detects it for each operation. */
  readonly form?: FormChoice;
  /** Makes generated values repeatable; drawn when left out. */
  readonly seed?: number;
  /** Requirement ids and globs to decide; all when empty. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Sends nothing but GET requests. */
  readonly readOnly?: boolean;
  /** Connects to nothing but addresses on the public internet: for hosts that check what strangers name. */
  readonly publicOnly?: boolean;
  /** Level from which a failed requirement fails the run. */
  readonly failOn?: 'must' | 'should';
  /** Most items of a loop, chosen evenly: how many functions are called. */
  readonly maxFunctions?: number;
  /** Most requests under way at the same time. */
  readonly concurrency?: number;
  /** Most requests that are started within any second. */
  readonly requestsPerSecond?: number;
  /** Authorities whose certificates are trusted in place of the usual ones, as PEM. */
  readonly ca?: string;
  /** What the target's listing says that it speaks; WebSocket is tried only when it is named. */
  readonly transports?: readonly Transport[];
  /** What the directory shows as the target's response time. */
  readonly claimedResponseTimeMs?: number;
  /**
   * The requirements of a listing are decided afterwards, by `withListing`: they may be named in `only` and `skip`, and
   * what they rest on is asked.
   */
  readonly listingGiven?: boolean;
  /** How functions are called that change something, or look as if they did. */
  readonly mutating?: MutatingOptions;
  /** What is timed, and what it must keep to. */
  readonly latency?: LatencyOptions;
  readonly deadlineMs?: number;
  readonly requestTimeoutMs?: number;
  /** Memory for the data of the check, in megabytes; one that needs more is stopped. */
  readonly maxHeapMb?: number;
  /** Sample inputs by function name. */
  readonly samples?: Readonly<
    Record<string, readonly { readonly input: ConfiguredSample['input']; readonly fails?: boolean }[]>
  >;
  /** The target is the platform API of a directory: its base address, which ends in /v1. */
  readonly directory?: {
    /** Id of the entry to read, test and call; one that is shown is chosen when left out. */
    readonly entry?: string;
    /** Sends a bounded burst of searches, to see whether the directory answers 429. */
    readonly tryRateLimit?: boolean;
  };
  /** Sent with every request. Their values are secrets and are kept nowhere. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer …`; a secret too. */
  readonly bearerToken?: string;
  /** Name of the environment variable that the token is from, for the commands that decide a finding again. */
  readonly bearerEnv?: string;
  /** Suites to run; the product's own when left out. */
  readonly suites?: readonly Suite[];
  /** Ends the run early; what was collected is still judged. */
  readonly signal?: AbortSignal;
  /** What it throws, or rejects with, ends the check, which then rejects with the same. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface MutatingOptions extends Partial<Readonly<Record<MutatingPolicy, readonly string[]>>> {
  /** For functions that look as if they change something: `once` (the default), `allow` or `never`. */
  readonly default?: MutatingPolicy;
}

export interface LatencyOptions {
  /** Times nothing, and decides nothing by it. */
  readonly off?: boolean;
  /** Timed calls of /health and of /capabilities, and in proportion of the functions. */
  readonly samples?: number;
  /** In the words of the command line, such as `health.p95=300ms`; of two for the same figure the later counts. */
  readonly budgets?: readonly string[];
}

export const SUITE = allOf(
  objectWith<Suite>('a suite, as loadSuites gives it', {
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

export const CHECK_OPTIONS = {
  form: oneOf('auto', 'A', 'B'),
  seed: wholeFrom(0),
  only: listOf(text),
  skip: listOf(text),
  readOnly: flag,
  publicOnly: flag,
  failOn: oneOf('must', 'should'),
  maxFunctions: wholeFrom(1),
  concurrency: wholeFrom(1),
  requestsPerSecond: positive,
  ca: text,
  transports: listOf(oneOf('http', 'websocket')),
  claimedResponseTimeMs: notNegative,
  listingGiven: flag,
  mutating: record<MutatingOptions>({
    default: oneOf(...MUTATING_POLICIES),
    allow: listOf(text),
    once: listOf(text),
    never: listOf(text),
  }),
  latency: record<LatencyOptions>({ off: flag, samples: wholeFrom(1), budgets: listOf(text) }),
  deadlineMs: milliseconds,
  requestTimeoutMs: milliseconds,
  maxHeapMb: positive,
  samples: mapOf(
    listOf(record<{ input: JsonObject; fails: boolean }>({ input: required(jsonObject), fails: flag })),
  ),
  directory: record<NonNullable<CheckOptions['directory']>>({ entry: text, tryRateLimit: flag }),
  headers: mapOf(text),
  bearerToken: textNotEmpty,
  bearerEnv: text,
  suites: listOf(SUITE),
  signal: abortSignal,
  onProgress: anyFunction,
} satisfies Kinds<CheckOptions>;

export const TARGET_URL = required(
  textThatIs('the base address of the server, such as http://127.0.0.1:3000'),
);

/** Of every function that checks a server, or plans to. */
export const CHECK_ARGUMENTS = { url: TARGET_URL, options: record(CHECK_OPTIONS) };

/** The address of a target that cannot be checked, with what to do about it. */
export class TargetError extends ExpectedError {
  override readonly name = 'TargetError';
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(`${problem}. ${remedy}`);
    this.remedy = remedy;
  }
}
