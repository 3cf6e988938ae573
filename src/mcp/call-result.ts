import { isJsonObject, type Json, type JsonObject, ownProperty } from '../model/json.ts';

export type CallOutcome =
  | { readonly kind: 'returned'; readonly result: JsonObject }
  | { readonly kind: 'failed'; readonly message: string; readonly content: Json }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Pure. The result of `tools/call` as the contract knows it. */
export function outcomeOf(called: JsonObject): CallOutcome {
  const { content, structuredContent, isError } = called;
  if (isError === true) return { kind: 'failed', message: textOf(content), content: content ?? [] };
  if (isJsonObject(structuredContent)) return { kind: 'returned', result: structuredContent };
  if (structuredContent !== undefined) return { kind: 'invalid', problem: 'structuredContent is no object' };
  if (!Array.isArray(content)) return { kind: 'invalid', problem: 'the result has no list called content' };
  return { kind: 'returned', result: { content } };
}

const NO_TEXT = 'The tool failed without saying why.';

function textOf(content: Json | undefined): string {
  const items = Array.isArray(content) ? (content as readonly Json[]) : [];
  const texts = items.flatMap((item) => {
    const text = ownProperty(item, 'text');
    return typeof text === 'string' ? [text] : [];
  });
  return texts.join('\n') || NO_TEXT;
}
