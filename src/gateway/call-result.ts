import { isJsonObject, type Json, type JsonObject, ownProperty } from '../json/json.ts';
import { textsIn } from '../wires/mcp/answer.ts';

export type CallOutcome =
  | { readonly kind: 'returned'; readonly result: JsonObject }
  | { readonly kind: 'failed'; readonly message: string; readonly content: Json }
  | { readonly kind: 'invalid'; readonly problem: string };

/**
 * The result of `tools/call` as the contract knows it. A tool with an output schema must return structured content
 * (Model Context Protocol, server features, tools). Pure.
 */
export function outcomeOf(called: JsonObject, hasOutputSchema: boolean): CallOutcome {
  const { content, structuredContent, isError } = called;
  if (isError !== undefined && typeof isError !== 'boolean')
    return { kind: 'invalid', problem: 'isError is neither true nor false' };
  if (isError === true)
    return { kind: 'failed', message: textsIn(called).join('\n') || NO_TEXT, content: content ?? [] };
  if (isJsonObject(structuredContent)) return { kind: 'returned', result: structuredContent };
  if (structuredContent !== undefined) return { kind: 'invalid', problem: 'structuredContent is no object' };
  if (hasOutputSchema)
    return {
      kind: 'invalid',
      problem: 'the tool has an outputSchema, and its result has no structuredContent',
    };
  if (!Array.isArray(content)) return { kind: 'invalid', problem: 'the result has no list called content' };
  const wrong = (content as readonly Json[]).findIndex(
    (item) => typeof ownProperty(item, 'type') !== 'string',
  );
  if (wrong !== -1) return { kind: 'invalid', problem: `item ${wrong} of content has no type` };
  return { kind: 'returned', result: { content } };
}

const NO_TEXT = 'The tool failed without saying why.';
