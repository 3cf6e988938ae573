import { type Json, ownProperty, sameJson } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { sentJson } from '../../model/sent.ts';
import { messagesOf } from '../../wires/mcp/answer.ts';
import { defineCheck } from '../define-check.ts';
import { describeAnswer } from '../json/answers.ts';

export const batchAnswered = defineCheck(
  'exchange',
  'batch-answered',
  'each request of a list of messages is answered',
  ({ exchange }) => {
    if (!isAnswer(exchange)) return inapplicable('the list was not answered');
    const sent = sentJson(exchange.request) ?? null;
    const ids = [sent].flat().flatMap((one) => ownProperty(one, 'id') ?? []);
    const answered = messagesOf(exchange).flatMap(({ message }): readonly Json[] =>
      message.kind === 'result' || message.kind === 'error' ? [message.id ?? null] : [],
    );
    const open = ids.filter((id) => !answered.some((one) => sameJson(one, id)));
    if (open.length === 0) return passed;
    return failed({
      message: 'a list of messages is not answered',
      expected: `an answer for each of the ids ${ids.map((id) => JSON.stringify(id)).join(', ')}`,
      received: answered.length === 0 ? describeAnswer(exchange) : `none for ${JSON.stringify(open)}`,
    });
  },
);
