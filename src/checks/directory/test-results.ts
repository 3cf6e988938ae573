import { isJsonObject, type Json, showJson } from '../../model/json.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';

const TIMES = /time|latency|duration|elapsed|ms$/i;
const FINDINGS = /error|sample|output|result|finding|failure|issue/i;

/** The specification does not define the shape of test results: their parts must be recognisable, at any depth. */
export const testResults = defineCheck(
  'answer',
  'test-results',
  'the answer holds response times, and errors or output samples',
  ({ exchange }) => {
    const { status } = exchange.response;
    const { value, problem } = jsonBody(exchange);
    const expected = 'a JSON object with response times, as numbers, and with errors or output samples';
    if (status === 400 || status === 422)
      return undecided({
        message: 'the directory refuses the parameters of the test',
        expected,
        received: `status ${status}`,
        fault: 'server',
        advice:
          'The specification does not say which fields a test needs besides an input: give a sample for the function under samples in the configuration.',
      });
    if (status < 200 || status >= 300)
      return failed({
        message: 'the test is not answered with results',
        expected,
        received: `status ${status}`,
      });
    if (!isJsonObject(value))
      return (problem?.serversFault === false ? undecided : failed)({
        message: 'the results of the test are not a JSON object',
        expected,
        received: value === undefined ? (problem?.received ?? 'nothing') : showJson(value),
      });
    const members = membersOf(value);
    const lacking = [
      members.some(([key, inner]) => TIMES.test(key) && holdsNumber(inner)) ? null : 'response times',
      members.some(([key]) => FINDINGS.test(key)) ? null : 'errors or output samples',
    ].filter((words) => words !== null);
    if (lacking.length === 0) return passed;
    return failed({
      message: `the results of the test have no ${lacking.join(' and no ')}`,
      expected,
      received: showJson(value),
    });
  },
);

function membersOf(value: Json): readonly (readonly [string, Json])[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(membersOf);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key, inner] as const, ...membersOf(inner)]);
}

function holdsNumber(value: Json): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'object' && value !== null && Object.values(value as object).some(holdsNumber);
}
