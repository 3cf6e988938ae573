import { isJsonObject, type Json, ownProperty, showJson } from '../../json/json.ts';
import { isSuccess } from '../../model/exchange.ts';
import { type Finding, failed, passed, undecided } from '../../model/judgement.ts';
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
    if (!isSuccess(status))
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

function holdsNumber(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNumber);
}

const NOT_FOUND = 404;
const ACCESS_DENIED: ReadonlySet<number> = new Set([401, 403]);

/** The specification does not define the body of an execution: any object that is not empty passes. */
export const executed = defineCheck(
  'answer',
  'executed',
  'a listed function is executed, and its output comes back in a JSON object',
  ({ exchange, item }) => {
    const { status } = exchange.response;
    const name = ownProperty(item, 'function');
    const expected = 'a 2xx status and a JSON object that holds the output';
    if (!isSuccess(status)) return refusal(status, showJson(name), expected, item);
    const { value, problem } = jsonBody(exchange);
    if (isJsonObject(value) && Object.keys(value).length > 0) return passed;
    return (problem?.serversFault === false ? undecided : failed)({
      message: 'the output does not come back in a JSON object',
      expected,
      received: value === undefined ? (problem?.received ?? 'nothing') : showJson(value),
    });
  },
);

function refusal(status: number, name: string, expected: string, item: unknown): Finding {
  const received = `status ${status}`;
  const isGuess = ownProperty(item, 'source') === 'assembled';
  if (isGuess && status >= 400 && status !== NOT_FOUND && !ACCESS_DENIED.has(status))
    return undecided({
      message: `${name} was called with an input generated from its descriptor, and failed`,
      expected,
      received,
      advice:
        'Give a sample for the function under samples in the configuration, or name another entry with --entry.',
    });
  return failed({
    message:
      status === NOT_FOUND
        ? `the server lists ${name}, but a call of it is answered with 404`
        : `the call of ${name} is not answered with its output`,
    expected,
    received,
  });
}

const MIN_GATEWAY_FAULT = 500;

/** A directory that cannot reach the server cannot know its functions. */
export const unknownFunctionRefused = defineCheck(
  'answer',
  'unknown-function-refused',
  'a call of a function that the server does not list is answered with 404',
  ({ exchange, item }) => {
    const { status } = exchange.response;
    if (status === NOT_FOUND) return passed;
    const [message, received] = [`the status is ${status}`, `status ${status}`];
    const isReached = typeof item === 'object' && item !== null && Object.hasOwn(item, 'function');
    if (status < MIN_GATEWAY_FAULT || isReached) return failed({ message, expected: 'status 404', received });
    return undecided({
      message: `${message}, and the server behind the directory could not be reached either`,
      expected: 'status 404',
      received,
      fault: 'network',
      advice: 'Use --entry to name an entry whose server answers.',
    });
  },
);
