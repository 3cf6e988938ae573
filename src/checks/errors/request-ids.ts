import { isJsonObject, type Json, ownProperty, showJson } from '../../json/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { isErrorAnswer, MAY_BE_REFUSED, NO_ERROR_ANSWER, unansweredFinding } from './error-answer.ts';

export const requestIdEchoed = defineCheck(
  'json',
  'request-id-echoed',
  'form B: requestId is returned exactly as it was sent',
  ({ value, call }) =>
    call === null || call.requestId === null
      ? inapplicable('the call carried no requestId')
      : judgeRequestId(value, call.requestId),
);

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

/** Whether an answer holds the requestId that was sent, exactly. */
function judgeRequestId(answer: Json, sent: string): Finding {
  const received = ownProperty(answer, 'requestId');
  if (received === sent) return passed;
  return failed({
    message:
      typeof received === 'string'
        ? `the requestId differs from the one that was sent, ${firstDifference(sent, received)}`
        : received === undefined
          ? 'the answer has no requestId'
          : 'the requestId is not the one that was sent',
    expected: showJson(sent),
    received: showJson(received),
    pointer: '/requestId',
  });
}

/** Where two texts differ: long or similar texts cannot be compared by eye. */
function firstDifference(sent: string, received: string): string {
  const [before, after] = [[...sent], [...received]];
  const index = before.findIndex((character, at) => character !== after[at]);
  const at = index === -1 ? before.length : index;
  return `from character ${at + 1} on: ${codePoint(before[at])} was sent, ${codePoint(after[at])} was received`;
}

function codePoint(character: string | undefined): string {
  if (character === undefined) return 'nothing more';
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
