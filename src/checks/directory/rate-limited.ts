import { headerValue } from '../../model/exchange.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { answersIn } from '../answers.ts';
import { defineCheck } from '../define-check.ts';

export const rateLimited = defineCheck(
  'step',
  'rate-limited',
  'a client that sends too many requests is answered with 429, and Retry-After says when to try again',
  ({ asked }) => {
    const answers = answersIn(asked);
    const refused = answers.find(({ response }) => response.status === TOO_MANY_REQUESTS);
    if (refused === undefined)
      return undecided({
        message: 'the directory answered all requests: its limit is above what the check sends',
        expected: 'status 429 once the limit is exceeded',
        received: `${answers.length} answers with other statuses`,
        advice: 'Lower the limit for the key of the check, and try again.',
      });
    const retryAfter = headerValue(refused.response.headers, 'retry-after');
    const exchangeKey = refused.request.key;
    const expected = 'Retry-After with seconds or a date';
    if (retryAfter === undefined)
      return failed({
        message: 'the answer with 429 has no Retry-After',
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
