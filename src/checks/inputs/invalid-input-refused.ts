import { type Json, type JsonObject, ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { isServed, statusOf } from '../answers.ts';
import { defineCheck } from '../define-check.ts';
import { describesError } from '../errors/error-answer.ts';
import { jsonBody } from '../json/json-body.ts';
import { noAnswerFinding } from '../transport-advice.ts';
import { refusesTheCaller } from './explored-calls.ts';
import { receivedOf } from './valid-input-answered.ts';

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
    const { value } = jsonBody(exchange);
    const received = receivedOf(exchange);
    const rule = brokenRule(item, call.input ?? {}, schemas);
    const of = `"${call.functionName}"`;
    if (isServed(exchange))
      return failed({
        message: `${of} accepts an input that its parameters do not allow: ${rule}`,
        expected: EXPECTED,
        received,
      });
    const status = statusOf(exchange) ?? 0;
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
