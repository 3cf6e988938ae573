import { isJsonObject, showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { firstOfEachTool, toolResultsIn } from './received.ts';

export const structuredContent = defineCheck(
  'step',
  'structured-content',
  'a tool with an outputSchema returns structuredContent that is valid against it',
  ({ asked, schemas, opened }) => {
    const results = toolResultsIn(asked).filter(
      ({ result, outputSchema }) =>
        result.isError !== true && (outputSchema !== undefined || result.structuredContent !== undefined),
    );
    if (results.length === 0) return inapplicable('no call returned what a tool declares');
    const anyValue = opened?.era === 'stateless';
    const wrong = results.flatMap(({ tool, result, exchangeKey, outputSchema }) => {
      const given = result.structuredContent;
      const at = given === undefined ? '/result' : '/result/structuredContent';
      if (given === undefined || (!anyValue && !isJsonObject(given))) {
        const expected = anyValue ? 'structuredContent' : 'structuredContent, an object';
        return [{ tool, exchangeKey, expected, received: showJson(given), pointer: at }];
      }
      const read = outputSchema === undefined ? undefined : schemas.foreign(outputSchema);
      const verdict = read?.kind === 'usable' ? read.apply(given) : undefined;
      if (verdict?.kind !== 'invalid') return [];
      const { pointer: below, ...evidence } = verdict.problem;
      return [{ tool, exchangeKey, ...evidence, pointer: at + below }];
    });
    return judgeEach(firstOfEachTool(wrong), ({ tool, ...evidence }) =>
      failed({ message: `a result of the tool "${tool}" does not match its outputSchema`, ...evidence }),
    );
  },
);
