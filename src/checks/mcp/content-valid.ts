import { isJsonObject, type Json, ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { firstOfEachTool, toolResultsIn } from './received.ts';

export const contentValid = defineCheck(
  'step',
  'content-valid',
  'every result of tools/call has content: a list whose items have what their type needs',
  ({ asked }) => {
    const results = toolResultsIn(asked);
    if (results.length === 0) return inapplicable('no call was answered with a result');
    const wrong = results.flatMap(({ tool, result, exchangeKey }) => {
      const problem = contentProblem(result.content);
      return problem === null ? [] : [{ tool, exchangeKey, ...problem }];
    });
    return judgeEach(firstOfEachTool(wrong), ({ tool, at, ...evidence }) =>
      failed({
        message: `a result of the tool "${tool}" has invalid content`,
        ...evidence,
        pointer: `/result${at}`,
      }),
    );
  },
);

interface Problem {
  readonly expected: string;
  readonly received: string;
  readonly at: string;
}

/** The members that an item of each type needs, all of them texts. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};

/** What is wrong with the content of a result; null if it is valid. */
export function contentProblem(content: Json | undefined): Problem | null {
  if (!Array.isArray(content))
    return {
      expected: 'content, a list',
      received: showJson(content),
      at: content === undefined ? '' : '/content',
    };
  for (const [index, item] of (content as readonly Json[]).entries()) {
    const expected = expectationOf(item);
    if (expected !== null) return { expected, received: showJson(item), at: `/content/${index}` };
  }
  return null;
}

/** What the item should be; null if it is valid. Types of later versions of the protocol are accepted. */
function expectationOf(item: Json): string | null {
  const type = ownProperty(item, 'type');
  if (typeof type !== 'string') return 'an object with a type';
  if (type === 'resource') {
    const resource = ownProperty(item, 'resource');
    const isValid =
      isJsonObject(resource) &&
      typeof resource.uri === 'string' &&
      (typeof resource.text === 'string' || typeof resource.blob === 'string');
    return isValid ? null : 'a resource with a uri, and a text or a blob';
  }
  const missing = (MEMBERS[type] ?? []).find((member) => typeof ownProperty(item, member) !== 'string');
  return missing === undefined ? null : `${type} content with the string ${missing}`;
}
