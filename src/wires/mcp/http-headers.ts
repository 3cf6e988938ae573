import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import type { Header } from '../../model/exchange.ts';
import { FIELD_NAME } from '../../model/sent.ts';
import type { Era } from '../../model/wire.ts';

/** The member of `params` that a header repeats, so that a proxy need not read the body (revision 2026-07-28). */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

export interface HttpSession {
  readonly era: Era;
  /** Null before one was negotiated. */
  readonly version: string | null;
  /** Of the header Mcp-Session-Id; null without one. */
  readonly sessionId: string | null;
}

/** The header with the id of a session. */
export const SESSION_ID = 'mcp-session-id';

/** The headers of a message over HTTP; `message` is null for bytes that are no message. */
export function httpHeaders({ era, version, sessionId }: HttpSession, message: JsonObject | null): Header[] {
  const headers: Header[] = [
    ['accept', 'application/json, text/event-stream'],
    ['content-type', 'application/json'],
  ];
  if (version !== null) headers.push(['mcp-protocol-version', version]);
  if (era === 'session') return sessionId === null ? headers : [...headers, [SESSION_ID, sessionId]];
  const method = ownProperty(message, 'method');
  if (typeof method !== 'string') return headers;
  headers.push(['mcp-method', headerText(method)]);
  const member = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = member === undefined ? undefined : ownProperty(ownProperty(message, 'params'), member);
  if (typeof name === 'string') headers.push(['mcp-name', headerText(name)]);
  return headers;
}

const PLAIN_VALUE = /^(?! )[\t\x20-\x7e]+(?<! )$/;
const ENCODED_VALUE = /^=\?base64\?.*\?=$/;

/** A text as the value of a header: what HTTP cannot carry as it is, is written in base64. */
export function headerText(text: string): string {
  if (PLAIN_VALUE.test(text) && text === text.trim() && !ENCODED_VALUE.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** A parameter of a tool whose value the header `mcp-param-NAME` of a call repeats (since revision 2026-07-28). */
export interface MirroredParameter {
  readonly name: string;
  /** The names of the properties that lead to its value. */
  readonly path: readonly string[];
}

/** The member of a schema that names the header. */
export const MIRRORED_IN = 'x-mcp-header';

/** The parameters that clients look for: those that `properties` alone lead to. */
export function mirroredParameters(
  schema: Json | undefined,
  path: readonly string[] = [],
): readonly MirroredParameter[] {
  const properties = ownProperty(schema, 'properties');
  if (!isJsonObject(properties) || path.length >= MAX_DEPTH) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    const own = [...path, key];
    const name = ownProperty(property, MIRRORED_IN);
    const isNamed = typeof name === 'string' && FIELD_NAME.test(name);
    return [...(isNamed ? [{ name, path: own }] : []), ...mirroredParameters(property, own)];
  });
}

/** Deeper properties than any real tool has. */
const MAX_DEPTH = 32;

/** The headers of a call; a value that is absent, null, or no text, boolean or exact number has none. */
export function mirroredHeaders(
  parameters: readonly MirroredParameter[],
  input: JsonObject,
): readonly Header[] {
  return parameters.flatMap(({ name, path }): readonly Header[] => {
    const value = path.reduce<Json | undefined>((part, key) => ownProperty(part, key), input);
    const isExact = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
    if (typeof value !== 'string' && typeof value !== 'boolean' && !isExact) return [];
    return [[`mcp-param-${name.toLowerCase()}`, headerText(String(value))]];
  });
}
