import { passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { answered } from '../transport/answered.ts';

/** Closing the connection on a request that is too large is allowed: the server does not hang. */
const CLOSED_CODES = new Set(['connection-reset', 'closed-early']);

export const answeredOrClosed = defineCheck(
  'exchange',
  'answered-or-closed',
  'the request gets an answer, or the connection is closed',
  (context) => {
    const { exchange } = context;
    if (exchange.kind === 'unanswered' && CLOSED_CODES.has(exchange.reason.code)) return passed;
    return answered.judge(context);
  },
);
