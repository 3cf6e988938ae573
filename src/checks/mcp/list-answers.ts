import { isJsonObject, ownItems, ownProperty, showJson } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { resultOf } from '../../wires/mcp/lists.ts';
import { defineCheck } from '../define-check.ts';
import { describeAnswer } from '../json/answers.ts';
import { methodOf } from './received.ts';
import { unjudgedAnswer } from './unjudged-answer.ts';

export const listAnswered = defineCheck(
  'exchange',
  'list-answered',
  'a request for a list is answered with a result that has the list',
  ({ exchange, options }) => {
    const member = String(options.member);
    const expected = `a result with ${member}, a list`;
    const method = methodOf(exchange) ?? '';
    const message = `the server does not answer ${method} with a list`;
    if (exchange.kind === 'unanswered' && exchange.reason.fault === 'server')
      return failed({ message, expected, received: exchange.reason.message });
    const unjudged = unjudgedAnswer(exchange, expected);
    if (unjudged !== null || !isAnswer(exchange)) return unjudged ?? passed;
    const result = resultOf(exchange);
    if (Array.isArray(ownProperty(result, member))) return passed;
    const received = isJsonObject(result) ? showJson(ownProperty(result, member)) : describeAnswer(exchange);
    return failed({ message, expected, received, pointer: result === undefined ? undefined : '/result' });
  },
  { options: { member: { doc: 'The member of the result that is the list.', required: true } } },
);

export const refusedWithCode = defineCheck(
  'exchange',
  'refused-with-code',
  'what does not exist, or is incomplete, is refused with the error of a code; nothing is decided if the server has contents for a made-up address',
  ({ exchange, options }) => {
    const expected = `the error ${String(options.code)}`;
    const unjudged = unjudgedAnswer(exchange, expected);
    if (unjudged !== null || !isAnswer(exchange)) return unjudged ?? passed;
    const message = answeringMessage(exchange)?.message;
    if (message?.kind === 'error' && message.code === options.code) return passed;
    // A template may fit every address.
    const hasContents = ownItems(resultOf(exchange), 'contents').length > 0;
    if (hasContents) return inapplicable('the server has contents for the address that was made up');
    return failed({
      message: `${String(options.what)} is not refused with the error ${String(options.code)}`,
      expected,
      received: describeAnswer(exchange),
    });
  },
  {
    options: {
      what: { doc: 'What is refused, for the finding.', required: true },
      code: { doc: 'The code of the error.', required: true },
    },
  },
);

/** The protocol allows no more in one answer. */
const MAX_VALUES = 100;

export const completionValues = defineCheck(
  'exchange',
  'completion-values',
  'a completion has at most 100 values',
  ({ exchange }) => {
    if (!isAnswer(exchange)) return inapplicable('the completion was not answered');
    const result = resultOf(exchange);
    if (result === undefined) return inapplicable('the completion was answered with an error');
    const count = ownItems(ownProperty(result, 'completion'), 'values').length;
    if (count <= MAX_VALUES) return passed;
    return failed({
      message: `completion/complete returns more than ${MAX_VALUES} values`,
      expected: `up to ${MAX_VALUES} values`,
      received: `${count} values`,
      pointer: '/result/completion/values',
    });
  },
);
