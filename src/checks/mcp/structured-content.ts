import { isJsonObject, showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { firstOfEachTool, resultsIn } from './relayed.ts';

export const structuredContent = defineCheck(
  'json',
  'structured-content',
  'a tool with an outputSchema returns structuredContent that is valid against it',
  ({ value, schemas }) => {
    const results = resultsIn(value).filter(
      ({ result, outputSchema }) =>
        result.isError !== true && (outputSchema !== undefined || result.structuredContent !== undefined),
    );
    if (results.length === 0) return inapplicable('no call returned what a tool declares');
    const wrong = results.flatMap(({ tool, result, pointer, outputSchema }) => {
      const given = result.structuredContent;
      const at = given === undefined ? pointer : `${pointer}/structuredContent`;
      if (!isJsonObject(given))
        return [{ tool, expected: 'structuredContent, an object', received: showJson(given), pointer: at }];
      const read = outputSchema === undefined ? undefined : schemas.foreign(outputSchema);
      const verdict = read?.kind === 'usable' ? read.apply(given) : undefined;
      if (verdict?.kind !== 'invalid') return [];
      const { pointer: below, ...evidence } = verdict.problem;
      return [{ tool, ...evidence, pointer: at + below }];
    });
    return judgeEach(firstOfEachTool(wrong), ({ tool, ...evidence }) =>
      failed({ message: `a result of the tool "${tool}" does not match its outputSchema`, ...evidence }),
    );
  },
);
