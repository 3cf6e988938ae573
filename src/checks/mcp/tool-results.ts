import { isJsonObject, type Json, jsonOrNull, ownProperty, sameJson, showJson } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import type { Evidence } from '../../model/judgement.ts';
import { isMessage, textsIn, toolOutcome } from '../../wires/mcp/answer.ts';
import { defineCheck, notApplied } from '../define-check.ts';
import { describeAnswer } from '../json/answers.ts';
import { judgeTools, methodOf, toolResultsIn, toolsIn } from './received.ts';

export const contentValid = defineCheck(
  'step',
  'content-valid',
  'every result of tools/call has content: a list whose items have what their type needs',
  ({ asked }) =>
    judgeTools(toolResultsIn(asked), NO_RESULT, ({ tool, result }) => {
      const problem = contentProblem(result.content);
      return problem && { message: `a result of the tool "${tool}" has invalid content`, ...problem };
    }),
  { breaksAlone: true },
);

const NO_RESULT = 'no call was answered with a result';

type Problem = Pick<Evidence, 'expected' | 'received' | 'pointer'>;

/** The members that an item of each type needs, all of them texts. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};

/** What is wrong with the content of a result; null if it is valid. */
function contentProblem(content: Json | undefined): Problem | null {
  if (!Array.isArray(content))
    return {
      expected: 'content, a list',
      received: showJson(content),
      pointer: content === undefined ? '/result' : '/result/content',
    };
  for (const [index, item] of (content as readonly Json[]).entries()) {
    const expected = expectationOf(item);
    if (expected !== null) return { expected, received: showJson(item), pointer: `/result/content/${index}` };
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

export const errorFlag = defineCheck(
  'step',
  'error-flag',
  'isError of every result is true, false or missing',
  ({ asked }) =>
    judgeTools(toolResultsIn(asked), NO_RESULT, ({ tool, result: { isError } }) =>
      isError === undefined || typeof isError === 'boolean'
        ? null
        : {
            message: `isError in a result of the tool "${tool}" is not a boolean`,
            expected: 'true, false or no isError',
            received: showJson(isError),
            pointer: '/result/isError',
          },
    ),
  { breaksAlone: true },
);

export const structuredContent = defineCheck(
  'step',
  'structured-content',
  'a tool with an outputSchema returns structuredContent that is valid against it',
  ({ asked, schemas, opened }) => {
    const results = toolResultsIn(asked).filter(
      ({ result, outputSchema }) =>
        result.isError !== true && (outputSchema !== undefined || result.structuredContent !== undefined),
    );
    const anyValue = opened?.era === 'stateless';
    return judgeTools(results, 'no call returned what a tool declares', ({ tool, result, outputSchema }) => {
      const message = `a result of the tool "${tool}" does not match its outputSchema`;
      const given = result.structuredContent;
      const at = given === undefined ? '/result' : '/result/structuredContent';
      if (given === undefined || (!anyValue && !isJsonObject(given))) {
        const expected = anyValue ? 'structuredContent' : 'structuredContent, an object';
        return { message, expected, received: showJson(given), pointer: at };
      }
      const read = outputSchema === undefined ? undefined : schemas.foreign(outputSchema);
      const verdict = read?.kind === 'usable' ? read.apply(given) : undefined;
      if (verdict?.kind === 'undecided')
        return notApplied(
          `the outputSchema of the tool "${tool}" cannot be applied to a result`,
          verdict.reason,
          at,
        );
      if (verdict?.kind !== 'invalid') return null;
      return { message, ...verdict.problem, pointer: at + verdict.problem.pointer };
    });
  },
  { breaksAlone: true },
);

export const textAgrees = defineCheck(
  'step',
  'text-agrees',
  'a result with structuredContent also has it as JSON in a text, for older clients',
  ({ asked }) => {
    const structured = toolResultsIn(asked).filter(
      ({ result }) => isJsonObject(result.structuredContent) && contentProblem(result.content) === null,
    );
    const whenNone = 'no result has structuredContent beside valid content';
    return judgeTools(structured, whenNone, ({ tool, result }) => {
      const wanted = result.structuredContent ?? null;
      if (textsIn(result).some((text) => sameJson(jsonOrNull(text), wanted))) return null;
      return {
        message: `a result of the tool "${tool}" has no text that is the JSON of its structuredContent`,
        expected: `a text with the JSON of structuredContent: ${showJson(wanted)}`,
        received: showJson(textsIn(result)),
        pointer: '/result/content',
      };
    });
  },
);

/** Errors about the call itself, which no tool ran: invalid params, and headers that contradict the body. */
const OF_THE_CALL: ReadonlySet<unknown> = new Set([-32_602, -32_020]);

export const errorsInResults = defineCheck(
  'step',
  'errors-in-results',
  'a tool that fails reports it in its result, with isError, and not as an error of the protocol',
  ({ asked }) => {
    // Of a tool that the server does not have, an error of the protocol is right.
    const names = new Set(toolsIn(asked).map(({ tool }) => ownProperty(tool, 'name')));
    const calls = asked.flatMap(({ exchange, call }) =>
      call !== null && names.has(call.functionName) && isAnswer(exchange) && isMessage(exchange)
        ? [{ tool: call.functionName, exchange, exchangeKey: exchange.request.key }]
        : [],
    );
    const listed = calls.filter(({ exchange }) => methodOf(exchange) === 'tools/call');
    return judgeTools(listed, 'no tool was called', ({ tool, exchange }) => {
      const outcome = toolOutcome(exchange);
      if (outcome.kind !== 'refused' || outcome.by !== 'protocol' || OF_THE_CALL.has(outcome.code))
        return null;
      return {
        message: `the tool "${tool}" fails with an error of the protocol`,
        expected: 'a result with isError: true and a text that says what went wrong',
        received: describeAnswer(exchange),
        pointer: '/error',
      };
    });
  },
  { replacedSecret: 'irrelevant' },
);
