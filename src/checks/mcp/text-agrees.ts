import { isJsonObject, type Json, sameJson, showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { contentProblem } from './content-valid.ts';
import { firstOfEachTool, textsIn, toolResultsIn } from './received.ts';

export const textAgrees = defineCheck(
  'step',
  'text-agrees',
  'a result with structuredContent also has it as JSON in a text, for older clients',
  ({ asked }) => {
    const structured = toolResultsIn(asked).filter(
      ({ result }) => isJsonObject(result.structuredContent) && contentProblem(result.content) === null,
    );
    if (structured.length === 0) return inapplicable('no result has structuredContent beside valid content');
    const wrong = structured.filter(({ result }) => {
      const wanted = result.structuredContent ?? null;
      return !textsIn(result.content).some((text) => sameJson(jsonIn(text), wanted));
    });
    return judgeEach(firstOfEachTool(wrong), ({ tool, result, exchangeKey }) =>
      failed({
        message: `a result of the tool "${tool}" has no text with its structuredContent`,
        expected: `a text with the JSON of structuredContent: ${showJson(result.structuredContent)}`,
        received: showJson(textsIn(result.content)),
        pointer: '/result/content',
        exchangeKey,
      }),
    );
  },
);

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
