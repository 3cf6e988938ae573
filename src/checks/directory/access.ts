import { headerValue } from '../../model/exchange.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { answersIn } from '../json/answers.ts';
import { jsonBody } from '../json/json-body.ts';

const MIN_ERROR = 400;
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json$/i;

export const errorBodiesJson = defineCheck(
  'step',
  'error-bodies-json',
  'every error answer of the directory has a JSON body and a JSON Content-Type',
  ({ asked, targetUrl }) => {
    const errors = answersIn(asked).filter(
      ({ request, response }) => response.status >= MIN_ERROR && request.url.startsWith(`${targetUrl}/`),
    );
    if (errors.length === 0)
      return undecided({
        message: 'no request was answered with an error',
        expected: 'an error answer',
        received: 'none',
        advice: 'The answers to requests that the directory must refuse decide this: fix those first.',
      });
    return judgeEach(errors, (exchange) => {
      const { status, headers } = exchange.response;
      const type = headerValue(headers, 'content-type');
      const { problem, value } = jsonBody(exchange);
      const isJson = JSON_TYPE.test(type?.split(';', 1)[0]?.trim() ?? '');
      if (isJson && (value !== undefined || problem?.serversFault === false)) return passed;
      return failed({
        message: `the error body of a status ${status} is not JSON`,
        expected: 'Content-Type: application/json, or application/problem+json, and a JSON body',
        received: isJson
          ? (problem?.received ?? 'a body that is not JSON')
          : `Content-Type: ${type ?? 'none'}`,
        exchangeKey: exchange.request.key,
      });
    });
  },
);

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
    const isGiven = retryAfter !== undefined;
    if (isGiven && (/^\s*\d+\s*$/.test(retryAfter) || !Number.isNaN(Date.parse(retryAfter)))) return passed;
    return failed({
      message: isGiven
        ? 'Retry-After is neither seconds nor a date'
        : 'the answer with 429 has no Retry-After',
      expected: 'Retry-After with seconds or a date',
      received: isGiven ? JSON.stringify(retryAfter) : 'no such header',
      exchangeKey: refused.request.key,
    });
  },
);
