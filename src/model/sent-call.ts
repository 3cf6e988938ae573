import { bufferFrom } from './bytes.ts';
import { parseExactly } from './exact-json.ts';
import type { Exchange } from './exchange.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty } from './json.ts';

export interface SentCall {
  readonly functionName: string;
  /** Null without an input. */
  readonly input: JsonObject | null;
}

/** The call in a request, in every wire; null if it is none, or was shortened. */
export function sentCall(request: Exchange['request']): SentCall | null {
  const sent = sentText(request);
  const params = ownProperty(sent, 'method') === 'tools/call' ? ownProperty(sent, 'params') : undefined;
  const functionName = params === undefined ? ownProperty(sent, 'function') : ownProperty(params, 'name');
  const input =
    (params === undefined
      ? (ownProperty(sent, 'parameters') ?? ownProperty(sent, 'input'))
      : ownProperty(params, 'arguments')) ?? null;
  if (typeof functionName !== 'string' || (input !== null && !isJsonObject(input))) return null;
  return { functionName, input };
}

function sentText(request: Exchange['request']): Json | undefined {
  const body = 'line' in request ? request.line : request.body;
  return body === null || 'parts' in body || !('text' in body)
    ? undefined
    : parsed(bufferFrom(body).toString());
}

function parsed(text: string): Json | undefined {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
