import { showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { firstOfEachTool, toolResultsIn } from './received.ts';

export const errorFlag = defineCheck(
  'step',
  'error-flag',
  'isError of every result is true, false or missing',
  ({ asked }) => {
    const results = toolResultsIn(asked);
    if (results.length === 0) return inapplicable('no call was answered with a result');
    const wrong = results.filter(
      ({ result: { isError } }) => isError !== undefined && typeof isError !== 'boolean',
    );
    return judgeEach(firstOfEachTool(wrong), ({ tool, result, exchangeKey }) =>
      failed({
        message: `isError in a result of the tool "${tool}" is not a boolean`,
        expected: 'true, false or no isError',
        received: showJson(result.isError),
        pointer: '/result/isError',
        exchangeKey,
      }),
    );
  },
);
