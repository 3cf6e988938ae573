import type { Fault } from './exchange.ts';
import type { Form, Level, Severity } from './requirement.ts';

/** Whose behaviour a requirement shows when a bridge serves the target: that of the server behind it, or its own. */
export type Origin = 'server' | 'bridge';

export const OUTCOMES = ['passed', 'failed', 'inapplicable', 'blocked', 'undecided'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type Verdict = 'pass' | 'fail' | 'incomplete';

/** What one judgement found, before it is tied to a suite, a step and a request. */
export type Finding =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'inapplicable'; readonly message: string }
  | { readonly outcome: 'blocked'; readonly blockedBy: string }
  | Shortcoming;

type Shortcoming = { readonly outcome: 'failed' | 'undecided' } & Evidence;

/** What a reader needs to act on a failed or undecided judgement. */
export interface Evidence {
  readonly message: string;
  readonly expected: string;
  readonly received: string;
  /** RFC 6901 pointer into the answer's body, when the finding is about a part of it. */
  readonly pointer?: string;
  /** The exchange that it is about, if there are several. */
  readonly exchangeKey?: string;
  readonly fault: Fault;
  /** Replaces the requirement's fix if the case needs another one. */
  readonly advice?: string;
}

export const passed = { outcome: 'passed' } as const satisfies Finding;

export function failed(evidence: Omit<Evidence, 'fault'> & { fault?: Fault }): Shortcoming {
  return { outcome: 'failed', fault: 'server', ...evidence };
}

export function undecided(evidence: Omit<Evidence, 'fault'> & { fault?: Fault }): Shortcoming {
  return { outcome: 'undecided', fault: 'harness', ...evidence };
}

export function inapplicable(message: string): Finding {
  return { outcome: 'inapplicable', message };
}

/** One assertion, decided on one answer (or on one item, or on a whole step). */
export interface Judgement {
  readonly requirement: string;
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
  /** The text of the requirement in the registry. */
  readonly text?: string;
  /** Behind a bridge: whose behaviour the requirement shows. Absent without a bridge. */
  readonly origin?: Origin;
  readonly blockedBy?: string;
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
  readonly message: string;
  readonly expected: string;
  readonly received: string;
  readonly where: JudgedPlace & { readonly pointer?: string };
  readonly request: { readonly method: string; readonly url: string } | null;
  readonly curl: string | null;
  readonly check: string;
  readonly why: string;
  readonly fix: string;
  readonly spec: string;
  readonly fault: Fault;
  /** The same defect has the same fingerprint in another run: varying parts are excluded. */
  readonly fingerprint: string;
  /** Set if the baseline accepts it. */
  readonly accepted?: Acceptance;
}

export interface Acceptance {
  readonly reason: string;
  /** The last day on which it is accepted, `2026-12-31` (UTC). */
  readonly until: string;
}

export type FormChoice = 'auto' | Form;
