import { parseExactly } from './exact-json.ts';
import type { SentRequest } from './exchange.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty } from './json.ts';

export interface SentCall {
  readonly functionName: string;
  /** Null without an input. */
  readonly input: JsonObject | null;
}

/** The call in the body of a request, in both forms; null if it is none, or was shortened. */
export function sentCall({ body }: SentRequest): SentCall | null {
  const sent = body !== null && 'text' in body ? parsed(body.text) : undefined;
  const functionName = ownProperty(sent, 'function');
  const input = ownProperty(sent, 'parameters') ?? ownProperty(sent, 'input') ?? null;
  if (typeof functionName !== 'string' || (input !== null && !isJsonObject(input))) return null;
  return { functionName, input };
}

function parsed(text: string): Json | undefined {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
