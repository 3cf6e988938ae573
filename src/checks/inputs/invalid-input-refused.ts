import { isSuccess } from '../../model/exchange.ts';
import { type Json, type JsonObject, ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { defineCheck } from '../define-check.ts';
import { describesError } from '../errors/error-answer.ts';
import { jsonBody } from '../json/json-body.ts';
import { noAnswerFinding } from '../transport-advice.ts';
import { refusesTheCaller } from './explored-calls.ts';

const SERVER_ERROR = 500;
const EXPECTED = 'an error with error.code and error.message';

export const invalidInputRefused = defineCheck(
  'exchange',
  'invalid-input-refused',
  'a generated input that the declared parameters do not allow is refused with a described error',
  ({ exchange, call, item, schemas }) => {
    if (call?.inputSource !== 'explored-invalid')
      return inapplicable('the input is not a generated invalid one');
    if (exchange.kind === 'unanswered')
      return noAnswerFinding(exchange.reason, { expected: EXPECTED, exchangeKey: exchange.request.key });
    if (refusesTheCaller(exchange)) return inapplicable('the answer says nothing about the input');
    const { status } = exchange.response;
    const { value } = jsonBody(exchange);
    const received = `${status} with ${value === undefined ? 'a body that is not JSON' : showJson(value)}`;
    const rule = brokenRule(item, call.input ?? {}, schemas);
    const of = `"${call.functionName}"`;
    if (isSuccess(status))
      return failed({
        message: `${of} accepts an input that its parameters do not allow: ${rule}`,
        expected: EXPECTED,
        received,
      });
    if (status >= SERVER_ERROR && !describesError(value))
      return failed({
        message: `${of} answers an invalid input with status ${status} and no described error: ${rule}`,
        expected: EXPECTED,
        received,
      });
    return passed;
  },
);

function brokenRule(
  item: Json | undefined,
  input: JsonObject,
  schemas: Pick<SchemaEvaluator, 'foreign'>,
): string {
  const schema = schemas.foreign(ownProperty(item, 'parameters') ?? {});
  const verdict = schema.kind === 'usable' ? schema.apply(input) : null;
  if (verdict?.kind !== 'invalid') return 'the input is invalid';
  const { pointer, expected, received } = verdict.problem;
  return `${pointer === '' ? 'input' : pointer}: expected ${expected}, received ${received}`;
}
