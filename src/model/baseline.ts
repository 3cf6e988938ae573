import type { Acceptance } from './judgement.ts';

/** A finding, or a requirement that another one blocks, that was accepted beforehand. */
export interface AcceptedFinding extends Acceptance {
  readonly requirement: string;
  readonly function?: string;
  readonly outcome: 'failed' | 'inconclusive' | 'blocked';
  readonly fingerprint: string;
  /** What it was when it was accepted, for people. */
  readonly evidence?: string;
}

/** Why an accepted finding fails the run after all. */
export interface BaselineProblem {
  readonly kind: 'expired' | 'changed' | 'gone';
  readonly requirement: string;
  readonly function?: string;
  readonly message: string;
}

/** A baseline held against a result. */
export interface AppliedBaseline {
  readonly entries: readonly AcceptedFinding[];
  readonly problems: readonly BaselineProblem[];
}
