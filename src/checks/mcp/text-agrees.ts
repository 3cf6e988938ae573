import { isJsonObject, type Json, sameJson, showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { firstOfEachTool, resultsIn, textsIn } from './relayed.ts';

export const textAgrees = defineCheck(
  'json',
  'text-agrees',
  'a result with structuredContent also has it as JSON in a text, for older clients',
  ({ value }) => {
    const structured = resultsIn(value).filter(({ result }) => isJsonObject(result.structuredContent));
    if (structured.length === 0) return inapplicable('no result has structuredContent');
    const wrong = structured.filter(({ result }) => {
      const wanted = result.structuredContent ?? null;
      return !textsIn(result.content).some((text) => sameJson(jsonIn(text), wanted));
    });
    return judgeEach(firstOfEachTool(wrong), ({ tool, result, pointer }) =>
      failed({
        message: `a result of the tool "${tool}" has no text with its structuredContent`,
        expected: `a text with the JSON of structuredContent: ${showJson(result.structuredContent)}`,
        received: showJson(textsIn(result.content)),
        pointer: `${pointer}/content`,
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
