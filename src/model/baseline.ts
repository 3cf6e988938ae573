import type { Acceptance } from './judgement.ts';

/** An accepted finding, or an accepted blocked requirement. */
export interface AcceptedFinding extends Acceptance {
  readonly requirement: string;
  readonly function?: string;
  readonly outcome: 'failed' | 'undecided' | 'blocked';
  readonly fingerprint: string;
  /** The evidence when it was accepted, for people. */
  readonly evidence?: string;
}

/** Why a baseline entry fails the run. */
export interface BaselineProblem {
  readonly kind: 'expired' | 'changed' | 'gone';
  readonly requirement: string;
  readonly function?: string;
  readonly message: string;
}

/** A baseline applied to a result. */
export interface AppliedBaseline {
  readonly entries: readonly AcceptedFinding[];
  readonly problems: readonly BaselineProblem[];
}
