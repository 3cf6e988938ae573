import type { AnsweredExchange } from '../model/exchange.ts';
import type { Asked } from './define-check.ts';

/** The exchanges of a step that were answered. */
export function answersIn(asked: readonly Asked[]): readonly AnsweredExchange[] {
  return asked.flatMap(({ exchange }) => (exchange.kind === 'answered' ? [exchange] : []));
}

/** For checks that judge all answers. */
export const NO_ANSWER = { reasons: { 'no-answer': 'no request was answered' } } as const;
