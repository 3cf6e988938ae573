import { failed, passed } from '../../model/judgement.ts';
import { answersIn } from '../answers.ts';
import { defineCheck } from '../define-check.ts';

export const connectionReused = defineCheck(
  'step',
  'connection-reused',
  'the connection stays open for the next request',
  ({ asked }) => {
    const [, second] = answersIn(asked);
    if (second === undefined || second.connection.reused) return passed;
    return failed({
      message: 'each request needs a new connection',
      expected: 'the second request on the connection of the first',
      received: 'a new connection',
      exchangeKey: second.request.key,
    });
  },
);
