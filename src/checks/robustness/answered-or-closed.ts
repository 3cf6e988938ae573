import { passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { answered } from '../transport/answered.ts';

/** To hang up on a request that is too large is rude, but no hang. */
const HUNG_UP = new Set(['connection-reset', 'closed-early']);

export const answeredOrClosed = defineCheck(
  'exchange',
  'answered-or-closed',
  'the request gets an answer, or the connection is closed',
  (context) => {
    const { exchange } = context;
    if (exchange.kind === 'unanswered' && HUNG_UP.has(exchange.reason.code)) return passed;
    return answered.judge(context);
  },
);
