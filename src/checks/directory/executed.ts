import { isJsonObject, ownProperty, showJson } from '../../model/json.ts';
import { type Finding, failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';

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
    if (status < 200 || status >= 300) return refusal(status, showJson(name), expected, item);
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
