import type { PlannedCall } from '../../model/call.ts';
import type { Answer } from '../../model/exchange.ts';
import { type Json, ownProperty } from '../../model/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { type CommonContext, defineCheck } from '../define-check.ts';
import { declaredResult } from '../execute/declared-result.ts';
import { judgeAnswerToValid } from './valid-input-answered.ts';

export const sequenceAnswered = defineCheck(
  'exchange',
  'sequence-answered',
  'in a sequence of calls, a valid input is answered with a JSON object whose result matches returns, and with no 5xx but 500 and EXECUTION_ERROR',
  ({ exchange, call, item, schemas }) => {
    if (call?.inputSource !== 'in-sequence') return inapplicable('the call is not part of a sequence');
    const answered = judgeAnswerToValid(exchange, call);
    if (answered.outcome === 'failed') return { ...answered, message: answered.message + afterWhat(call) };
    if (answered.outcome !== 'passed' || exchange.kind === 'unanswered') return answered;
    return judgeResult(exchange, item, call, schemas);
  },
);

function judgeResult(
  answer: Answer,
  item: Json | undefined,
  call: PlannedCall,
  schemas: CommonContext['schemas'],
): Finding {
  const returns = ownProperty(item, 'returns');
  const { result, pointer: place } = declaredResult(answer);
  if (returns === undefined || result === undefined) return passed;
  const schema = schemas.foreign(returns);
  const verdict = schema.kind === 'usable' ? schema.apply(result) : null;
  if (verdict?.kind !== 'invalid') return passed;
  const { pointer, ...evidence } = verdict.problem;
  return failed({
    message: `the result of "${call.functionName}" is not what returns declares${afterWhat(call)}`,
    ...evidence,
    pointer: place + pointer,
  });
}

function afterWhat({ after = [] }: PlannedCall): string {
  const names = after.map(({ functionName }) => `"${functionName}"`);
  if (names.length === 0) return '';
  return ` after ${[names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ')}`;
}
