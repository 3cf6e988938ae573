import { ownProperty } from '../../model/json.ts';
import { blocked, failed, inapplicable, inconclusive, passed } from '../../model/judgement.ts';
import { descriptorForm } from '../capabilities/descriptor.ts';
import { defineCheck } from '../define-check.ts';

export const resultMatchesReturns = defineCheck(
  'json',
  'result-matches-returns',
  'form B: result is valid against the descriptor’s returns schema',
  ({ value, item, schemas }) => {
    const returns = ownProperty(item, 'returns');
    const result = ownProperty(value, 'result');
    if (returns === undefined) {
      const form = descriptorForm(item ?? null);
      if (form === 'A') return inapplicable('the function is described in form A');
      return blocked(form === 'B' ? 'capabilities/returns-schema' : 'capabilities/descriptor-form');
    }
    if (result === undefined) return inapplicable('there is no result: see execute/result-object');
    const schema = schemas.foreign(returns);
    if (schema.kind === 'invalid') return blocked('capabilities/schema-valid');
    if (schema.kind === 'unusable') {
      return inconclusive({
        message: `the returns schema cannot be applied: ${schema.reason}`,
        expected: 'a schema that can be applied',
        received: schema.reason,
      });
    }
    const verdict = schema.apply(result);
    if (verdict.kind === 'valid') return passed;
    if (verdict.kind === 'undecided') {
      return inconclusive({
        message: `the returns schema cannot be applied to the result: ${verdict.reason}`,
        expected: 'a schema that can be applied',
        received: verdict.reason,
      });
    }
    const { problem } = verdict;
    return failed({
      message: 'result is not what returns declares',
      expected: problem.expected,
      received: problem.received,
      pointer: `/result${problem.pointer}`,
    });
  },
);
