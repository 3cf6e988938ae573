import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { isRateLimited } from '../../model/rate-limit.ts';
import { defineCheck } from '../define-check.ts';

const OK = 200;
/** They refuse the client, which other assertions report. */
const TURNED_AWAY: ReadonlySet<number> = new Set([401, 403]);

/** A server whose health fails now and then is seen here, before any invalid request can be blamed for it. */
export const furtherReadsAnswered = defineCheck(
  'exchange',
  'further-reads-answered',
  'a read that is made for another purpose is answered with status 200 too',
  ({ exchange }) => {
    if (exchange.kind !== 'answered') return inapplicable('there is no answer');
    const { status } = exchange.response;
    if (isRateLimited(exchange) || TURNED_AWAY.has(status)) return inapplicable('the client is refused');
    if (status === OK) return passed;
    return failed({
      message: `one of several reads is answered with status ${status}`,
      expected: 'status 200 for each read',
      received: `status ${status}`,
    });
  },
  { isIncidental: () => true },
);
