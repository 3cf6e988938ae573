import { isExplored, isGuess, isUnchosen } from '../../model/call.ts';
import { ownProperty } from '../../model/json.ts';
import { type Finding, inapplicable, passed } from '../../model/judgement.ts';
import { statusOf } from '../answers.ts';
import { type Asked, defineCheck } from '../define-check.ts';
import { isDescribedError } from '../errors/error-answer.ts';
import { judgeAnswerToValid } from './valid-input-answered.ts';

/** With 502 to 504 it says that something behind it is away, which a guess may have caused. */
const CRASH = 500;

/**
 * Of other inputs, and of an answer that describes no error, other rows report the status. A function for which
 * exploring found a crash has that finding, with the smallest input.
 */
export const guessesAnswered = defineCheck(
  'step',
  'guesses-answered',
  'a call with a guessed valid input, or without input, that ends in 500 has EXECUTION_ERROR',
  ({ asked, form }) => {
    const explored = new Set(asked.filter(isCrashWhileExploring).map(({ call }) => call?.functionName));
    const judged = asked
      .filter(
        ({ call, item }) =>
          call?.form === form &&
          ownProperty(item, 'name') === call.functionName &&
          !explored.has(call.functionName),
      )
      .flatMap(judgeGuess);
    if (judged.length === 0) return inapplicable('no such call ends in 500');
    const failures = judged.filter(({ outcome }) => outcome === 'failed');
    return failures.length > 0 ? failures : passed;
  },
  { isIncidental: () => true },
);

function isCrashWhileExploring({ exchange, call }: Asked): boolean {
  return (
    call !== null &&
    isExplored(call.inputSource) &&
    exchange.kind !== 'unanswered' &&
    judgeAnswerToValid(exchange, call).outcome === 'failed'
  );
}

function judgeGuess({ exchange, call }: Asked): readonly Finding[] {
  if (call === null || exchange.kind === 'unanswered' || statusOf(exchange) !== CRASH) return [];
  if (!isGuess(call.inputSource) && !isUnchosen(call.inputSource)) return [];
  if (!isDescribedError(exchange)) return [];
  const finding = judgeAnswerToValid(exchange, call);
  return [finding.outcome === 'failed' ? { ...finding, exchangeKey: exchange.request.key } : finding];
}
