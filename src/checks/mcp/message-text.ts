import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { receivedIn, shownBytes } from './received.ts';

export const messageText = defineCheck(
  'step',
  'message-text',
  'every message is UTF-8 without a byte order mark, and no object in it has a key twice',
  ({ asked, conversations }) => {
    const messages = receivedIn(asked, conversations).filter(({ read }) => read.message.kind !== 'noise');
    if (messages.length === 0) return inapplicable('the server sent no message');
    const wrong = messages.find(({ read }) => read.problem?.serversFault === true);
    if (wrong === undefined) return passed;
    const { read, exchange } = wrong;
    return failed({
      message: `the text of a message is wrong: ${read.problem?.message}`,
      expected: 'JSON in UTF-8, each key once',
      received: `${read.problem?.received}: ${shownBytes(read)}`,
      ...(read.problem?.pointer === undefined ? {} : { pointer: read.problem.pointer }),
      ...(exchange === null ? {} : { exchangeKey: exchange.request.key }),
    });
  },
);
