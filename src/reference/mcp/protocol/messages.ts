import { isJsonObject, type JsonObject } from '../../validate-input.ts';

/**
 * The id of a request as JSON text. Ids are echoed digit by digit and compared as text, because a number would lose
 * digits beyond 2^53.
 */
export type Id = string;

export type Request = {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
  readonly params: JsonObject;
  /** If the client wants to know how far the work is. */
  readonly progressToken?: Id | undefined;
};

/** One message of a client. */
export type Message =
  | Request
  | { readonly kind: 'notification' }
  /** notifications/cancelled: the client no longer wants the answer to a request. */
  | { readonly kind: 'cancellation'; readonly requestId: Id | undefined }
  /** To a request of the server; without a result if the client refused. */
  | { readonly kind: 'response'; readonly id: Id | undefined; readonly result: JsonObject | undefined }
  | { readonly kind: 'invalid'; readonly answer: Answer };

/** Several messages in one array, which exist only in revision 2025-03-26. */
export type Batch = { readonly kind: 'batch'; readonly messages: readonly Message[] };

/** A response as JSON text, with the HTTP status that it has when it is not sent over standard streams. */
export type Answer = { readonly status: number; readonly text: string };

/** The error codes of JSON-RPC, that of resources before revision 2026-07-28, and those that this revision adds. */
const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingRequiredClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/** A failure that is answered with a JSON-RPC error; its message is for the client. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: keyof typeof errorCodes;
  readonly data: JsonObject | undefined;

  constructor(code: keyof typeof errorCodes, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A member of `_meta` that is JSON text already keeps its digits. */
export const resultAnswer = (id: Id, result: JsonObject, metaMember?: string): Answer => {
  const text = JSON.stringify(result);
  const whole =
    metaMember === undefined ? text : text.replace('"_meta":{', (start) => `${start}${metaMember},`);
  return { status: 200, text: `{"jsonrpc":"2.0","id":${id},"result":${whole}}` };
};

/** Any error but a ProtocolError stays inside the server. The id is null if that of the request could not be read. */
export const errorAnswer = (id: Id | undefined, error: unknown, status: number): Answer => {
  const { code, message, data } =
    error instanceof ProtocolError ? error : new ProtocolError('internalError', 'The server failed.');
  const body = JSON.stringify({ code: errorCodes[code], message, data });
  return { status, text: `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${body}}` };
};

/** A notification as JSON text. A member such as `"progressToken":7`, already JSON text, keeps its digits. */
export const notificationText = (method: string, params: JsonObject, member?: string): string => {
  const members = [member ?? [], JSON.stringify(params).slice(1, -1) || []].flat().join(',');
  return `{"jsonrpc":"2.0","method":"${method}","params":{${members}}}`;
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads one line of standard input or one HTTP body. Whatever cannot be read is `invalid`, with its answer. */
export const readMessage = (bytes: Uint8Array): Message | Batch => {
  let json: string;
  let value: unknown;
  try {
    json = strictUtf8.decode(bytes);
    value = JSON.parse(json);
  } catch {
    return invalid(new ProtocolError('parseError', 'The message is not JSON in UTF-8.'));
  }
  if (!Array.isArray(value)) return messageIn(value, json, []);
  if (value.length === 0) return invalid(new ProtocolError('invalidRequest', 'The batch is empty.'));
  return { kind: 'batch', messages: value.map((one, index) => messageIn(one, json, [index])) };
};

type Path = readonly (string | number)[];

/** The message with this value, at this path of the JSON text. */
const messageIn = (value: unknown, json: string, path: Path): Message => {
  if (!isJsonObject(value)) return invalidRequest(undefined, 'A message must be a JSON object.');
  const { jsonrpc, method, params = {} } = value;
  const id = idIn(value.id, json, [...path, 'id']);
  if (jsonrpc !== '2.0') return invalidRequest(id, 'jsonrpc must be "2.0".');
  if (method === undefined && ('result' in value || 'error' in value))
    return { kind: 'response', id, result: isJsonObject(value.result) ? value.result : undefined };
  if (typeof method !== 'string') return invalidRequest(id, 'method must be a string.');
  if (!('id' in value)) {
    if (method !== 'notifications/cancelled' || !isJsonObject(params)) return { kind: 'notification' };
    return {
      kind: 'cancellation',
      requestId: idIn(params.requestId, json, [...path, 'params', 'requestId']),
    };
  }
  if (id === undefined) return invalidRequest(id, 'id must be a string or an integer.');
  if (!isJsonObject(params)) return invalidRequest(id, 'params must be an object.');
  const progressToken = isJsonObject(params._meta)
    ? idIn(params._meta.progressToken, json, [...path, 'params', '_meta', 'progressToken'])
    : undefined;
  return { kind: 'request', id, method, params, progressToken };
};

const invalidRequest = (id: Id | undefined, message: string): Message =>
  invalid(new ProtocolError('invalidRequest', message), id);

const invalid = (error: ProtocolError, id?: Id | undefined): Message => ({
  kind: 'invalid',
  answer: errorAnswer(id, error, 400),
});

/** The id with this value, at this path of the JSON text; undefined if it is neither a string nor an integer. */
const idIn = (value: unknown, json: string, path: Path): Id | undefined => {
  if (typeof value === 'string' || Number.isSafeInteger(value)) return JSON.stringify(value);
  return Number.isInteger(value) ? String(path.reduce(memberOf, parseWithoutNumbers(json))) : undefined;
};

const memberOf = (container: unknown, key: string | number): unknown => {
  if (Array.isArray(container)) return container[Number(key)];
  return isJsonObject(container) ? container[key] : undefined;
};

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Like JSON.parse, but with the digits of each number as a string. */
const parseWithoutNumbers = (json: string): unknown =>
  JSON.parse(json.replace(stringOrNumber, (token) => (token.startsWith('"') ? token : `"${token}"`)));
