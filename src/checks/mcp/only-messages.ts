import type { Answer } from '../../model/exchange.ts';
import { isEventStream, isSuccess } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { type Received, receivedIn, shownBytes } from './received.ts';

/** Only this revision had batches. */
const WITH_BATCHES = '2025-03-26';

export const onlyMessages = defineCheck(
  'step',
  'only-messages',
  'the server writes nothing but messages where messages belong, each on its own',
  ({ asked, conversations, opened }) => {
    const all = receivedIn(asked, conversations).filter(({ exchange }) => belongsToMessages(exchange));
    if (all.length === 0) return inapplicable('the server sent nothing');
    const wrong = all.find((one) => problemOf(one, opened?.version ?? null) !== null);
    if (wrong === undefined) return passed;
    const { read, exchange } = wrong;
    const isLine = exchange === null || exchange.kind === 'heard';
    return failed({
      message: `${isLine ? 'standard output has a line' : 'an answer has a body or an event'} that is not one message: ${problemOf(wrong, opened?.version ?? null)}`,
      expected: 'one message of JSON-RPC for each line, event or body',
      received: shownBytes(read),
      ...(exchange === null ? {} : { exchangeKey: exchange.request.key }),
    });
  },
);

/** Over HTTP, a request is answered with messages, and a refusal, or the answer to anything else, may be a text. */
function belongsToMessages(exchange: Answer | null): boolean {
  if (exchange === null || exchange.kind === 'heard') return true;
  const { request, response } = exchange;
  const isAnswered = (request.message?.awaited ?? null) !== null && isSuccess(response.status);
  return isAnswered || isEventStream(response.headers);
}

function problemOf({ read }: Received, version: string | null): string | null {
  const { message, pointer } = read;
  if (message.kind === 'noise') return message.problem;
  if (message.kind === 'not-json-rpc' && message.problem.endsWith('holds no object')) return message.problem;
  return pointer !== '' && version !== WITH_BATCHES ? 'it holds several messages in a list' : null;
}
