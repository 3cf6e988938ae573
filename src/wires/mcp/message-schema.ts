import { messageSchemas } from '../../generated/message-schemas.js';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonPointer,
  ownProperty,
  showJson,
} from '../../json/json.ts';
import type { SchemaEvaluator, SchemaProblem } from '../../model/schema-evaluator.ts';

/** One message of a server of the Model Context Protocol, parsed. The messages of a batch come one by one. */
export interface ServerMessage {
  readonly message: Json;
  /** The negotiated revision, such as "2025-11-25"; null if it is not known. */
  readonly version: string | null;
  /** The method of the request that the message answers; null if it is not known, or the message is no answer. */
  readonly answered: string | null;
}

/**
 * Compares a message with JSON-RPC 2.0, and with the schema that its revision of the protocol has for it (schemas/mcp).
 * Methods, error codes and revisions without a schema are judged by JSON-RPC alone. Several entries of a list can be
 * wrong, each with one problem. Pointers are into the message.
 */
export function problemsOfMessage(
  { message, version, answered }: ServerMessage,
  schemas: SchemaEvaluator,
): readonly SchemaProblem[] {
  const broken = envelopeProblem(message);
  if (broken !== null) return [broken];
  const schema = version === null ? undefined : MESSAGE_SCHEMAS.get(version);
  const described = describedPart(message as JsonObject, answered);
  if (schema === undefined || described === null) return [];
  const { kind, name, part, pointer } = described;
  const problemOf = (value: Json): SchemaProblem | null => {
    const verdict = schemas.apply(schema, { [kind]: { [name]: value } });
    if (verdict.kind !== 'invalid') return null;
    // Two steps lead to the part in what the schema describes.
    const below = verdict.problem.pointer.replace(/^\/[^/]*\/[^/]*/, '');
    return { ...verdict.problem, pointer: pointer + below };
  };
  return kind === 'results' && isJsonObject(part)
    ? eachEntry(part, pointer, problemOf)
    : [problemOf(part) ?? []].flat();
}

/**
 * Compares what a server asks a client with the schema of its revision: a request of a session, or one in a result of
 * the stateless era. The pointer is into the request.
 */
export function problemOfServerRequest(
  request: Json,
  version: string | null,
  schemas: SchemaEvaluator,
): SchemaProblem | null {
  const schema = version === null ? undefined : MESSAGE_SCHEMAS.get(version);
  if (schema === undefined) return null;
  const isOfSession = isJsonObject(objectIn(objectIn(schema, 'properties'), 'requests').properties ?? null);
  const { value, depth } = isOfSession
    ? { value: { requests: { [String(ownProperty(request, 'method'))]: request } }, depth: 2 }
    : {
        value: {
          results: { 'tools/call': { resultType: 'input_required', inputRequests: { one: request } } },
        },
        depth: 4,
      };
  const verdict = schemas.apply(schema, value);
  if (verdict.kind !== 'invalid') return null;
  const { pointer } = verdict.problem;
  return {
    ...verdict.problem,
    pointer: `/${pointer
      .split('/')
      .slice(depth + 1)
      .join('/')}`.replace(/^\/$/, ''),
  };
}

/** What a schema describes of a message, and under which name. */
interface DescribedPart {
  readonly kind: 'results' | 'errors' | 'requests' | 'notifications';
  readonly name: string;
  readonly part: Json;
  readonly pointer: string;
}

function describedPart(message: JsonObject, answered: string | null): DescribedPart | null {
  const { method, id, result, error } = message;
  const kind = id === undefined ? 'notifications' : 'requests';
  if (typeof method === 'string') return { kind, name: method, part: message, pointer: '' };
  if (error !== undefined)
    return { kind: 'errors', name: String(ownProperty(error, 'code')), part: error, pointer: '/error' };
  if (result === undefined || answered === null) return null;
  return { kind: 'results', name: answered, part: result, pointer: '/result' };
}

/** The evaluator reports the first problem only. If it is in an entry of a list, the other entries are tried alone. */
function eachEntry(
  result: JsonObject,
  pointer: string,
  problemOf: (value: Json) => SchemaProblem | null,
): readonly SchemaProblem[] {
  const first = problemOf(result);
  if (first === null) return [];
  const lists = Object.entries(result).flatMap(([name, value]) =>
    Array.isArray(value)
      ? [{ name, entries: value as readonly Json[], at: `${pointer}${jsonPointer([name])}/` }]
      : [],
  );
  if (!lists.some(({ at }) => first.pointer.startsWith(at))) return [first];
  const empty = { ...result, ...Object.fromEntries(lists.map(({ name }) => [name, []])) };
  const found = lists.flatMap(({ name, entries, at }) =>
    entries.flatMap((entry, index) => {
      const problem = problemOf({ ...empty, [name]: [entry] });
      if (problem === null || !problem.pointer.startsWith(at)) return [];
      return [{ ...problem, pointer: `${at}${index}${problem.pointer.slice(`${at}0`.length)}` }];
    }),
  );
  return found.length > 0 ? found : [first];
}

/**
 * What is wrong with a message by JSON-RPC 2.0 alone. The id of an error may be null or missing: JSON-RPC asks for null
 * where the request could not be read, and the schemas of the protocol have no null.
 */
function envelopeProblem(message: Json): SchemaProblem | null {
  const wrong = (expected: string, member: string): SchemaProblem => ({
    pointer: `/${member}`,
    expected,
    received: showJson(ownProperty(message, member)),
  });
  if (!isJsonObject(message)) return { pointer: '', expected: 'an object', received: showJson(message) };
  const { jsonrpc, method, id, params, result, error } = message;
  if (jsonrpc !== '2.0') return wrong('"2.0"', 'jsonrpc');
  if (method !== undefined) {
    if (typeof method !== 'string') return wrong('a string', 'method');
    if (id !== undefined && !isId(id))
      return wrong('a string or an integer, or no id in a notification', 'id');
    return params === undefined || isJsonObject(params) ? null : wrong('an object', 'params');
  }
  if (error === undefined) {
    if (result === undefined)
      return { pointer: '', expected: 'a method, a result or an error', received: showJson(message) };
    if (!isId(id)) return wrong('the id of the request, a string or an integer', 'id');
    return isJsonObject(result) ? null : wrong('an object', 'result');
  }
  if (result !== undefined) return wrong('no error beside a result', 'error');
  if (id !== undefined && id !== null && !isId(id)) return wrong('a string, an integer or null', 'id');
  if (!isJsonObject(error)) return wrong('an object with a code and a message', 'error');
  const { code, message: text } = error;
  if (!Number.isInteger(code))
    return { pointer: '/error/code', expected: 'an integer', received: showJson(code) };
  if (typeof text === 'string') return null;
  return { pointer: '/error/message', expected: 'a string', received: showJson(text) };
}

function isId(id: Json | undefined): boolean {
  return typeof id === 'string' || Number.isInteger(id);
}

const KINDS = ['results', 'requests', 'notifications', 'errors'] as const;

/** The schemas by revision. Those of the revisions before 2025-11-25 say only what differs from the next one. */
export const MESSAGE_SCHEMAS: ReadonlyMap<string, JsonObject> = new Map(inherited());

function* inherited(): Generator<[string, JsonObject]> {
  yield ['2026-07-28', objectIn(messageSchemas, '2026-07-28')];
  let newer = objectIn(messageSchemas, '2025-11-25');
  yield ['2025-11-25', newer];
  for (const revision of ['2025-06-18', '2025-03-26', '2024-11-05']) {
    newer = withDifferences(newer, objectIn(messageSchemas, revision));
    yield [revision, newer];
  }
}

function withDifferences(newer: JsonObject, older: JsonObject): JsonObject {
  const methods = (schema: JsonObject, kind: string): JsonObject =>
    objectIn(objectIn(objectIn(schema, 'properties'), kind), 'properties');
  return {
    ...newer,
    properties: Object.fromEntries(
      KINDS.map((kind) => [kind, { properties: { ...methods(newer, kind), ...methods(older, kind) } }]),
    ),
    $defs: { ...objectIn(newer, '$defs'), ...objectIn(older, '$defs') },
  };
}

function objectIn(value: JsonObject, member: string): JsonObject {
  const found = ownProperty(value, member);
  return isJsonObject(found) ? found : {};
}
