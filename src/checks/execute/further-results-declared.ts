import { ownProperty } from '../../model/json.ts';
import { inapplicable } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { resultAgainst } from './result-matches-returns.ts';

const OK = 200;

/**
 * For the answers after the first one of each function. It judges results only: what else may come, such as a refusal
 * or no answer, other assertions judge.
 */
export const furtherResultsDeclared = defineCheck(
  'exchange',
  'further-results-declared',
  'form B: a result that a repeated, varied or concurrent call returns is valid against the descriptor’s returns schema',
  ({ exchange, item, schemas }) => {
    const returns = ownProperty(item, 'returns');
    if (exchange.kind === 'unanswered' || exchange.response.status !== OK || returns === undefined)
      return inapplicable('there is no result of a function with a returns schema');
    const result = ownProperty(jsonBody(exchange).value, 'result');
    if (result === undefined) return inapplicable('there is no result');
    const schema = schemas.foreign(returns);
    if (schema.kind !== 'usable') return inapplicable('the returns schema cannot be applied');
    const finding = resultAgainst(schema, result);
    return finding.outcome === 'undecided' ? inapplicable(finding.message) : finding;
  },
  { isIncidental: () => true },
);
