import type { Outcome, Row } from '../src/model/judgement.ts';

export type KindOfRow = Outcome | 'blocked';

/** The outcome; `blocked` if a row is undecided because of another one, and not by itself. */
export function kindOf({ outcome, blockedBy }: Row): KindOfRow {
  return blockedBy === undefined ? outcome : 'blocked';
}
