import { isJsonObject } from '../../model/json.ts';
import { blocked, inapplicable } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { judgeRequestId } from './echoed-request-id.ts';
import { isErrorAnswer, UNANSWERED_OPTION, unansweredFinding } from './error-answer.ts';

export const errorRequestId = defineCheck(
  'exchange',
  'error-request-id',
  'form B: an error answer has the requestId that was sent, whatever caused it',
  ({ exchange, call, options }) => {
    if (exchange.kind === 'unanswered') return unansweredFinding(options);
    if (call === null || call.requestId === null) return inapplicable('the call carried no requestId');
    if (!isErrorAnswer(exchange, options)) return inapplicable('the answer is not an error');
    const { value } = jsonBody(exchange);
    // A body in which nothing can be found is one mistake, and is said where the body is judged.
    return isJsonObject(value) ? judgeRequestId(value, call.requestId) : blocked('errors/error-body');
  },
  UNANSWERED_OPTION,
);
