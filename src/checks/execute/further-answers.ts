import { isJsonObject } from '../../model/json.ts';
import { inapplicable } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { executionTimePlausible } from './execution-time-plausible.ts';
import { outputsDeclared } from './outputs-declared.ts';
import { requestIdEchoed } from './request-id-echoed.ts';
import { resultMatchesReturns } from './result-matches-returns.ts';

const CHECKS = [outputsDeclared, resultMatchesReturns, requestIdEchoed, executionTimePlausible];

const OK = 200;

/**
 * For the answers after the first one of each function. It judges successful ones only: what else may come, such as a
 * refusal or no answer, other assertions judge. What cannot be judged the first answer has shown already.
 */
export const furtherAnswers = defineCheck(
  'exchange',
  'further-answers',
  'a successful answer to a repeated, varied or concurrent call passes another check, as the first answer does',
  ({ exchange, ...context }) => {
    if (exchange.kind === 'unanswered' || exchange.response.status !== OK)
      return inapplicable('the call was not successful');
    const { value } = jsonBody(exchange);
    const check = CHECKS.find(({ name }) => name === context.options.by);
    if (!isJsonObject(value) || check === undefined) return inapplicable('there is no answer to judge');
    const found = [check.judge({ ...context, exchange, value })].flat();
    const judged = found.filter((finding) => finding.outcome === 'failed' || finding.outcome === 'passed');
    return judged.length > 0 ? judged : inapplicable('the answer has nothing to judge');
  },
  {
    options: {
      by: { doc: `The check: ${CHECKS.map(({ name }) => name).join(', ')}.`, required: true },
    },
    isIncidental: () => true,
  },
);
