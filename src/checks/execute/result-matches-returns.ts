import { type Json, ownProperty } from '../../model/json.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import type { ForeignSchema } from '../../model/schema-evaluator.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { declaredResult } from './declared-result.ts';
import { NO_DECLARATION, withoutDeclaration } from './no-declaration.ts';

export const resultMatchesReturns = defineCheck(
  'json',
  'result-matches-returns',
  'form B: result is valid against the descriptor’s returns schema',
  ({ exchange, item, schemas, form }) => {
    const returns = ownProperty(item, 'returns');
    const { result, pointer } = declaredResult(exchange);
    if (returns === undefined) return withoutDeclaration(item, 'B', form);
    if (result === undefined) return inapplicable('there is no result');
    const schema = schemas.foreign(returns);
    if (schema.kind === 'invalid') return cannotJudge('returns-invalid');
    if (schema.kind === 'unusable') {
      return undecided({
        message: `the returns schema cannot be applied: ${schema.reason}`,
        expected: 'a schema that can be applied',
        received: schema.reason,
      });
    }
    return resultAgainst(schema, result, pointer);
  },
  { reasons: { ...NO_DECLARATION, 'returns-invalid': 'returns in the descriptor is not a JSON Schema' } },
);

export function resultAgainst(
  returns: Extract<ForeignSchema, { kind: 'usable' }>,
  result: Json,
  place = '/result',
): Finding {
  const verdict = returns.apply(result);
  if (verdict.kind === 'valid') return passed;
  if (verdict.kind === 'undecided') {
    return undecided({
      message: `the returns schema cannot be applied to the result: ${verdict.reason}`,
      expected: 'a schema that can be applied',
      received: verdict.reason,
    });
  }
  const { pointer, ...evidence } = verdict.problem;
  return failed({
    message: 'result is not what returns declares',
    ...evidence,
    pointer: place + pointer,
  });
}
