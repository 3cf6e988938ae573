import { isJsonObject } from '../../model/json.ts';
import { inapplicable } from '../../model/judgement.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { judgeRequestId } from './echoed-request-id.ts';
import { isErrorAnswer, MAY_BE_REFUSED, NO_ERROR_ANSWER, unansweredFinding } from './error-answer.ts';

export const errorRequestId = defineCheck(
  'exchange',
  'error-request-id',
  'form B: an error answer has the requestId that was sent, whatever caused it',
  ({ exchange, call, options }) => {
    if (exchange.kind !== 'answered') return unansweredFinding(options);
    if (call === null || call.requestId === null) return inapplicable('the call carried no requestId');
    if (!isErrorAnswer(exchange, options)) return inapplicable('the answer is not an error');
    const { value } = jsonBody(exchange);
    return isJsonObject(value) ? judgeRequestId(value, call.requestId) : cannotJudge('no-json-object');
  },
  {
    ...MAY_BE_REFUSED,
    reasons: { ...NO_ERROR_ANSWER, 'no-json-object': 'the body of the error answer is not a JSON object' },
  },
);
