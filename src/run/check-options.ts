import type { BudgetProblem } from '../model/budget.ts';
import { ExpectedError } from '../model/expected-error.ts';
import type { FormChoice } from '../model/judgement.ts';
import type { ConfiguredSample, MutatingPolicy, Transport } from '../model/report.ts';
import type { Suite } from '../model/suite.ts';
import type { Progress } from './asker.ts';

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

/** A budget that cannot be understood, with what to do about it. */
export class BudgetError extends ExpectedError {
  constructor({ problem, remedy }: BudgetProblem) {
    super(`${problem[0]?.toUpperCase()}${problem.slice(1)}. ${remedy}`);
    this.name = 'BudgetError';
  }
}

/** A header that cannot be sent, with what to do about it. Never holds its value. */
export class HeaderError extends ExpectedError {
  constructor(problem: string, remedy: string) {
    super(`${problem[0]?.toUpperCase()}${problem.slice(1)}. ${remedy}`);
    this.name = 'HeaderError';
  }
}

/** Authorities that cannot be read, with what to do about it. */
export class AuthorityError extends ExpectedError {
  constructor(problem: string) {
    super(`${problem}. Give certificates as PEM: text that begins with -----BEGIN CERTIFICATE-----.`);
    this.name = 'AuthorityError';
  }
}

/** The address of a target that cannot be checked, with what to do about it. */
export class TargetError extends ExpectedError {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(`${problem}. ${remedy}`);
    this.name = 'TargetError';
    this.remedy = remedy;
  }
}
