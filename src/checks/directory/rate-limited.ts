import { headerValue } from '../../model/exchange.ts';
import { failed, inconclusive, passed } from '../../model/judgement.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { answersIn } from '../answers.ts';
import { defineCheck } from '../define-check.ts';

export const rateLimited = defineCheck(
  'step',
  'rate-limited',
  'who asks too often is answered with 429 and told by Retry-After when to come back',
  ({ asked }) => {
    const answers = answersIn(asked);
    const refused = answers.find(({ response }) => response.status === TOO_MANY_REQUESTS);
    if (refused === undefined)
      return inconclusive({
        message: 'the directory answered all of the requests: its limit is higher than what is tried',
        expected: 'status 429 once the limit is exceeded',
        received: `${answers.length} answers with other statuses`,
        advice: 'Lower the limit for the key of the check, and try again.',
      });
    const retryAfter = headerValue(refused.response.headers, 'retry-after');
    const exchangeKey = refused.request.key;
    const expected = 'Retry-After with seconds or a date';
    if (retryAfter === undefined)
      return failed({
        message: 'the answer with 429 does not say when to come back',
        expected,
        received: 'no such header',
        exchangeKey,
      });
    const isDate = !Number.isNaN(Date.parse(retryAfter));
    if (/^\s*\d+\s*$/.test(retryAfter) || isDate) return passed;
    return failed({
      message: 'Retry-After is neither seconds nor a date',
      expected,
      received: JSON.stringify(retryAfter),
      exchangeKey,
    });
  },
);
