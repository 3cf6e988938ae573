import { showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { firstOfEachTool, resultsIn } from './relayed.ts';

export const errorFlag = defineCheck(
  'json',
  'error-flag',
  'isError of every result is true, false or missing',
  ({ value }) => {
    const results = resultsIn(value);
    if (results.length === 0) return inapplicable('no call was answered with a result');
    const wrong = results.filter(
      ({ result: { isError } }) => isError !== undefined && typeof isError !== 'boolean',
    );
    return judgeEach(firstOfEachTool(wrong), ({ tool, result, pointer }) =>
      failed({
        message: `isError in a result of the tool "${tool}" is not a boolean`,
        expected: 'true, false or no isError',
        received: showJson(result.isError),
        pointer: `${pointer}/isError`,
      }),
    );
  },
);
