import type { Acceptance } from './judgement.ts';

export interface AcceptedFinding extends Acceptance {
  readonly requirement: string;
  readonly function?: string;
  readonly outcome: 'failed' | 'undecided' | 'blocked';
  readonly fingerprint: string;
  /** The evidence when it was accepted, for people. */
  readonly evidence?: string;
}

export interface BaselineProblem {
  readonly kind: 'expired' | 'changed' | 'gone';
  readonly requirement: string;
  readonly function?: string;
  readonly message: string;
}

/** What a run may leave open. */
export interface Baseline {
  readonly entries: readonly AcceptedFinding[];
  /** How many functions were exercised when it was written: a run that exercises fewer is incomplete. */
  readonly exercised?: number;
}

/** A baseline applied to a result. */
export interface AppliedBaseline extends Baseline {
  readonly problems: readonly BaselineProblem[];
}
