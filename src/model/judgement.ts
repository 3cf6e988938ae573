import type { Fault } from './exchange.ts';
import type { Form, Level, Severity } from './requirement.ts';

export const OUTCOMES = ['passed', 'failed', 'inapplicable', 'undecided'] as const;
/** Of a requirement. */
export type Outcome = (typeof OUTCOMES)[number];

/**
 * Why something is undecided; none of it is a failure of the server. `not-exercised`: a function, and only this one, gave
 * no result to judge. `turned-away`: the target refused the client, with 401, 403 or 429. `cut-short`: the deadline, an
 * interruption, or trouble of the harness.
 */
export const UNDECIDED_CAUSES = ['not-exercised', 'turned-away', 'cut-short'] as const;
export type UndecidedCause = (typeof UNDECIDED_CAUSES)[number];

export type Verdict = 'pass' | 'fail' | 'incomplete';

/** What one judgement found, before it is tied to a suite, a step and a request. */
export type Finding =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'inapplicable'; readonly message: string }
  | { readonly outcome: 'blocked'; readonly blockedBy: string }
  | Shortcoming;

export type Shortcoming =
  | ({ readonly outcome: 'failed' } & Evidence)
  | ({ readonly outcome: 'undecided'; readonly because: UndecidedCause } & Evidence);

/** What a finding is made from; what is undefined is left out. */
type Found = Pick<Evidence, 'message' | 'expected' | 'received'> & {
  readonly [Key in 'pointer' | 'exchangeKey' | 'function' | 'advice']?: string | undefined;
} & { readonly fault?: Fault; readonly sentBefore?: readonly string[]; readonly isUnasked?: boolean };

/** What a reader needs to act on a failed or undecided judgement. */
export interface Evidence {
  readonly message: string;
  readonly expected: string;
  readonly received: string;
  /** RFC 6901 pointer into the answer's body, when the finding is about a part of it. */
  readonly pointer?: string;
  /** The exchange that it is about, if there are several. */
  readonly exchangeKey?: string;
  /** The listed function that it is about, if a check judges the answers to one request about several. */
  readonly function?: string;
  /** The keys of what must be sent before it to see the same. */
  readonly sentBefore?: readonly string[];
  /** It is about something other than the answer, so that a command must not end with the answer. */
  readonly isUnasked?: boolean;
  readonly fault: Fault;
  /** Replaces the requirement's fix if the case needs another one. */
  readonly advice?: string;
}

export const passed = { outcome: 'passed' } as const satisfies Finding;

export function failed(found: Found): Shortcoming {
  return { outcome: 'failed', ...evidenceOf({ fault: 'server', ...found }) };
}

/** Without another cause, the harness is in trouble. */
export function undecided({
  because = 'cut-short',
  ...found
}: Found & { readonly because?: UndecidedCause }): Shortcoming {
  return { outcome: 'undecided', because, ...evidenceOf({ fault: 'harness', ...found }) };
}

function evidenceOf(found: Found): Evidence {
  return Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== undefined),
  ) as unknown as Evidence;
}

export function inapplicable(message: string): Finding {
  return { outcome: 'inapplicable', message };
}

/** One assertion, decided on one answer (or on one item, or on a whole step). */
export interface Judgement {
  readonly requirement: string;
  /** The listed function that it is about; null: the server. */
  readonly subject: string | null;
  readonly level: Level;
  readonly spec: string;
  readonly why: string;
  readonly fix: string;
  readonly finding: Finding;
  readonly where: JudgedPlace;
  /** A command that repeats the request; null without one, and for what is neither failed nor undecided. */
  readonly curl: string | null;
  readonly request: { readonly method: string; readonly url: string } | null;
}

export interface JudgedPlace {
  readonly suite: string;
  readonly line: number;
  readonly column: number;
  readonly step: string;
  readonly function?: string;
  readonly case?: string;
  readonly exchange?: string;
}

/** A requirement of this run, with the combined outcome of its judgements. */
export interface Row {
  readonly id: string;
  readonly level: Level;
  readonly outcome: Outcome;
  readonly spec: string;
  readonly text?: string;
  /** Why it is undecided; absent if it needs another requirement that failed. */
  readonly because?: UndecidedCause;
  /** It is undecided because this requirement is not met or undecided. */
  readonly blockedBy?: string;
  /** Of the listed functions that it is about, how many showed the outcome; absent if it is about none. */
  readonly decidedOn?: { readonly functions: number; readonly of: number };
  readonly reason?: string;
  /** How long the exchanges took together from which it is decided; absent if it is not decided from single ones. */
  readonly durationMs?: number;
  /** The key of the first of these exchanges, and their number; absent also in reports of versions without it. */
  readonly decidedBy?: { readonly exchange: string; readonly count: number };
  /** It failed or is undecided, and the baseline accepts all its findings. */
  readonly accepted?: true;
}

export interface ReportedFinding {
  readonly id: string;
  readonly level: Level;
  readonly severity: Severity;
  readonly outcome: 'failed' | 'undecided';
  readonly because?: UndecidedCause;
  /** The listed function that it is about; null: the server. */
  readonly subject: string | null;
  readonly message: string;
  readonly expected: string;
  readonly received: string;
  readonly where: JudgedPlace & { readonly pointer?: string };
  readonly request: { readonly method: string; readonly url: string } | null;
  readonly curl: string | null;
  /** Null if no command decides the requirement: that of a listing which only a directory has. */
  readonly check: string | null;
  readonly why: string;
  readonly fix: string;
  readonly spec: string;
  readonly fault: Fault;
  /** The same defect has the same fingerprint in another run: varying parts are excluded. */
  readonly fingerprint: string;
  readonly accepted?: Acceptance;
}

export interface Acceptance {
  readonly reason: string;
  /** The last day on which it is accepted, `2026-12-31` (UTC). */
  readonly until: string;
}

export type FormChoice = 'auto' | Form;

export interface AcceptedFinding extends Acceptance {
  readonly requirement: string;
  readonly function?: string;
  readonly outcome: 'failed' | 'undecided' | 'blocked';
  readonly fingerprint: string;
  /** Identifies the generated input that showed it; absent for another finding, and in baselines without it. */
  readonly input?: string;
  /** The evidence when it was accepted, for people. */
  readonly evidence?: string;
}

export interface BaselineProblem {
  /** `grown`: not an entry, but what the definitions of the functions cost. */
  readonly kind: 'expired' | 'changed' | 'gone' | 'grown';
  readonly requirement: string;
  readonly function?: string;
  readonly message: string;
}

/** What a run may leave open. */
export interface Baseline {
  readonly entries: readonly AcceptedFinding[];
  /** How many functions were exercised when it was written: a run that exercises fewer is incomplete. */
  readonly exercised?: number;
  /** What the definitions of all functions cost when it was written, in estimated tokens. */
  readonly definitionTokens?: number;
}

/** A baseline applied to a result. */
export interface AppliedBaseline extends Baseline {
  readonly problems: readonly BaselineProblem[];
}

/** How many of the listed functions gave at least one result that could be judged. */
export interface Coverage {
  readonly listed: number;
  /** Functions that the user did not want called. */
  readonly excluded: number;
  readonly exercised: number;
  /** With fewer, the run is incomplete. */
  readonly needed: number;
  /** Without the excluded ones. */
  readonly notExercised: readonly NotExercised[];
}

export interface NotExercised {
  readonly function: string;
  readonly why: string;
  /** What to give or change, so that it is exercised. */
  readonly remedy: string;
  /** The entry of `samples` in the configuration that the remedy is about, with the input that was tried. */
  readonly sample?: string;
}

/** How many functions must be exercised: a number, a share of them in percent, or all. */
export type MinCoverage = number | `${number}%` | 'all';

export const MIN_COVERAGE_WORDS = 'a number of functions, a percentage such as 80%, or all';
/** `80%` or `all`. */
export const SHARE_OF_FUNCTIONS = /^(?:all|(?:100|[1-9]?\d)%)$/;

export function isMinCoverage(value: unknown): value is MinCoverage {
  return typeof value === 'string'
    ? SHARE_OF_FUNCTIONS.test(value)
    : Number.isSafeInteger(value) && (value as number) >= 1;
}

/** How many of `wanted` functions must be exercised. A baseline has the number that was reached before. Pure. */
export function neededOf(wanted: number, minCoverage: MinCoverage | undefined, reached?: number): number {
  const share = (percent: number): number => Math.ceil((wanted * percent) / 100);
  const usual = reached === undefined ? share(50) : Math.min(reached, wanted);
  if (minCoverage === undefined) return Math.max(1, usual);
  if (typeof minCoverage === 'number') return minCoverage;
  return Math.max(1, share(minCoverage === 'all' ? 100 : Number.parseFloat(minCoverage)));
}
