import { bufferFrom } from '../../model/bytes.ts';
import { decodeJson } from '../../model/decode-json.ts';
import type { Exchange } from '../../model/exchange.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../model/json.ts';

/** The body of a request, if it was sent as JSON. */
export function sentJson({ request: { body } }: Exchange): Json | undefined {
  return body !== null && 'text' in body ? decodeJson(bufferFrom(body)).value : undefined;
}

/** What was sent to where a bridge passes messages on as they are; undefined for any other request. */
export function relayedRequest(exchange: Exchange): JsonObject | undefined {
  if (!exchange.request.url.endsWith('/messages')) return undefined;
  const sent = sentJson(exchange);
  const isForRelay =
    typeof ownProperty(sent, 'session') === 'string' || ownProperty(sent, 'recorded') === true;
  return isForRelay && isJsonObject(sent) ? sent : undefined;
}

/** A part of a relayed answer, with its JSON pointer. */
export interface Placed {
  readonly value: Json;
  readonly pointer: string;
}

/** What a relay received: the members of a list in its answer. */
export function listIn(value: Json, member: string): readonly Placed[] {
  const list = ownProperty(value, member);
  return Array.isArray(list)
    ? (list as readonly Json[]).map((one, index) => ({ value: one, pointer: `/${member}/${index}` }))
    : [];
}

/** The tools on all pages that a relay received. */
export function toolsIn(value: Json): readonly Placed[] {
  return listIn(value, 'answers').flatMap((answer) =>
    listIn(ownProperty(answer.value, 'result') ?? null, 'tools').map((tool) => ({
      value: tool.value,
      pointer: `${answer.pointer}/result${tool.pointer}`,
    })),
  );
}

export function nameOf(tool: Json): string {
  const name = ownProperty(tool, 'name');
  return typeof name === 'string' ? `"${name}"` : 'without a name';
}

/** A call of the bridge that the server answered with a result. */
export interface RecordedResult {
  readonly tool: string;
  readonly result: JsonObject;
  readonly pointer: string;
  /** What the tool declares that it returns, if anything. */
  readonly outputSchema: Json | undefined;
}

export function resultsIn(value: Json): readonly RecordedResult[] {
  const declared = new Map(
    listIn(value, 'toolLists')
      .flatMap((list) => (Array.isArray(list.value) ? (list.value as readonly Json[]) : []))
      .map((tool) => [ownProperty(tool, 'name'), ownProperty(tool, 'outputSchema')]),
  );
  return listIn(value, 'calls').flatMap(({ value: call, pointer }) => {
    const result = ownProperty(call, 'result');
    const tool = ownProperty(call, 'tool');
    if (!isJsonObject(result) || typeof tool !== 'string') return [];
    return [{ tool, result, pointer: `${pointer}/result`, outputSchema: declared.get(tool) }];
  });
}

/** The texts of a result's content. */
export function textsIn(content: Json | undefined): readonly string[] {
  const items = Array.isArray(content) ? (content as readonly Json[]) : [];
  return items.map((item) => ownProperty(item, 'text')).filter((text) => typeof text === 'string');
}

/** One finding for each tool is enough. */
export function firstOfEachTool<T extends { readonly tool: string }>(found: readonly T[]): readonly T[] {
  return [...new Map(found.toReversed().map((one) => [one.tool, one])).values()].toReversed();
}
