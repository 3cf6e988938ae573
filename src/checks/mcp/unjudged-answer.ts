import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { type Finding, undecided } from '../../model/judgement.ts';
import { describeAnswer, statusOf } from '../json/answers.ts';
import { methodOf } from './received.ts';

/** A key may not be allowed to do everything, and a rate limiter looks at no method. */
const TURNED_AWAY: ReadonlySet<number | null> = new Set([401, 403, 429]);

/** Why an exchange says nothing about a rule of one method; null if it does. */
export function unjudgedAnswer(exchange: Exchange, expected: string): Finding | null {
  const evidence = { expected, exchangeKey: exchange.request.key };
  const method = methodOf(exchange) ?? 'the request';
  if (!isAnswer(exchange))
    return undecided({
      because: 'not-exercised',
      message: `${method} was not answered in time, or not at all`,
      received: exchange.reason.message,
      ...evidence,
      advice: 'Give requests more time with --timeout, and see what the server writes to standard error.',
    });
  return TURNED_AWAY.has(statusOf(exchange))
    ? undecided({
        because: 'turned-away',
        message: `the server does not let this client use ${method}`,
        received: describeAnswer(exchange),
        ...evidence,
        advice: `Give a key that may use ${method}, or leave the row out with --skip.`,
      })
    : null;
}
