import { parseExactly, stringifyExactly } from '../json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty, ownText } from '../json/json.ts';
import type {
  AnsweredExchange,
  Bytes,
  Exchange,
  SentBody,
  SentLine,
  SentRequest,
  TransportFailure,
  TransportFailureCode,
  UnansweredExchange,
} from './exchange.ts';
import type { PlannedHttp, PlannedMessage, RequestBody } from './probe.ts';

/** What was sent, over whichever channel: a request of HTTP, or a line to a process. */
export type Sent = SentRequest | SentLine;

export function isHttpRequest(sent: Sent): sent is SentRequest {
  return 'url' in sent;
}

export type HttpExchange = AnsweredExchange | (UnansweredExchange & { readonly request: SentRequest });

export function isOverHttp(exchange: Exchange): exchange is HttpExchange {
  return isHttpRequest(exchange.request);
}

/** An exchange of a probe that speaks only HTTP. */
export function overHttp(exchange: Exchange): HttpExchange {
  if (isOverHttp(exchange)) return exchange;
  throw new TypeError(`${exchange.request.key} was not sent over HTTP`);
}

/** The bytes that were sent; null for a request without a body. */
export function sentBytes(sent: Sent): SentBody | null {
  return isHttpRequest(sent) ? sent.body : sent.line;
}

/**
 * What a person calls a request: the method of HTTP and the URL, or for a message of the Model Context Protocol the
 * method of JSON-RPC and the name of its conversation.
 */
export function methodAndPlace(sent: Sent) {
  if (isHttpRequest(sent) && (sent.message === undefined || sent.body === null))
    return { method: sent.method, place: sent.url, isUrl: true };
  const method = messageMethod(sent) ?? NO_MESSAGE;
  return { method, place: sent.message?.conversation ?? '', isUrl: false };
}

/** Of bytes that are no message on purpose. */
const NO_MESSAGE = 'bytes';

/** The method of JSON-RPC that a message calls; null if the request is no message. */
export function messageMethod(sent: Sent): string | null {
  return sent.message === undefined ? null : ownText(sentJson(sent), 'method');
}

export interface SentCall {
  readonly functionName: string;
  /** Null without an input. */
  readonly input: JsonObject | null;
}

/** The call of a function that a request makes, in whichever wire; null if it is none, or was shortened. */
export function callIn(sent: Sent): SentCall | null {
  if (isHttpRequest(sent) && sent.message === undefined) return sentCall(sent);
  return messageMethod(sent) === 'tools/call' ? callOf(sentJson(sent), true) : null;
}

/** The same by what was sent alone, for what may have been sent outside of a conversation. */
export function sentCall(sent: Sent): SentCall | null {
  const json = sentJson(sent);
  const isOfTool = ownProperty(json, 'method') === 'tools/call' && ownProperty(json, 'params') !== undefined;
  return callOf(json, isOfTool);
}

function callOf(json: Json | undefined, isOfTool: boolean): SentCall | null {
  const params = ownProperty(json, 'params');
  const functionName = isOfTool ? ownProperty(params, 'name') : ownProperty(json, 'function');
  const given = isOfTool
    ? ownProperty(params, 'arguments')
    : (ownProperty(json, 'parameters') ?? ownProperty(json, 'input'));
  const input = given ?? null;
  if (typeof functionName !== 'string' || (input !== null && !isJsonObject(input))) return null;
  return { functionName, input };
}

/** By what was sent, because judging reads the method of each message many times. */
const sentValues = new WeakMap<Sent, { readonly value: Json | undefined }>();

/** The JSON that was sent; undefined if it is none, or was shortened. */
export function sentJson(sent: Sent): Json | undefined {
  const known = sentValues.get(sent);
  if (known !== undefined) return known.value;
  const value = jsonIn(sentBytes(sent));
  sentValues.set(sent, { value });
  return value;
}

function jsonIn(bytes: SentBody | null): Json | undefined {
  if (bytes === null || 'parts' in bytes) return undefined;
  try {
    return parseExactly(bufferFrom(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

const exactly = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function bytesFrom(buffer: Uint8Array): Bytes {
  try {
    return { text: exactly.decode(buffer) };
  } catch {
    return { base64: Buffer.from(buffer).toString('base64') };
  }
}

export function bufferFrom(bytes: Bytes): Buffer {
  return 'text' in bytes ? Buffer.from(bytes.text, 'utf8') : Buffer.from(bytes.base64, 'base64');
}

export function wholeBody(bytes: Uint8Array): RequestBody {
  return [{ bytes, times: 1 }];
}

export function byteLengthOf(body: RequestBody): number {
  return body.reduce((sum, { bytes, times }) => sum + bytes.byteLength * times, 0);
}

export function bytesOf(body: RequestBody): Buffer {
  const [only] = body;
  if (body.length === 1 && only?.times === 1) return Buffer.from(only.bytes);
  const all = Buffer.alloc(byteLengthOf(body));
  let start = 0;
  for (const { bytes, times } of body) {
    const end = start + bytes.byteLength * times;
    if (end > start) all.fill(bytes, start, end);
    start = end;
  }
  return all;
}

/** The body as stored in an exchange; `redact` removes the secrets from each part. */
export function sentBody(body: RequestBody | null, redact: (bytes: Buffer) => Buffer): SentBody | null {
  if (body === null) return null;
  const [only] = body;
  if (body.length === 1 && only?.times === 1) return bytesFrom(redact(Buffer.from(only.bytes)));
  return {
    parts: body.map(({ bytes, times }) => ({ ...bytesFrom(redact(Buffer.from(bytes))), times })),
  };
}

/** The exchange of a planned request that was not sent. */
export function unsentExchange(planned: Unsent, reason: TransportFailure, startedAtMs: number): Exchange {
  return {
    kind: 'unanswered',
    request: requestOf(planned),
    reason,
    timing: { startedAtMs, connectMs: null, firstByteMs: null, durationMs: 0 },
  };
}

type Unsent =
  | Omit<PlannedHttp, 'timeoutMs'>
  // What opens a conversation sends nothing that is planned.
  | (Pick<PlannedMessage, 'key' | 'conversation'> & Partial<Pick<PlannedMessage, 'sends'>>);

function requestOf(planned: Unsent): SentRequest | SentLine {
  const { key } = planned;
  if (!('conversation' in planned)) {
    const { method, url, headers, body } = planned;
    return { key, method, url, headers, body: sentBody(body, (bytes) => bytes) };
  }
  const { conversation, sends } = planned;
  const text = sends?.kind === 'message' ? stringifyExactly(sends.message) : '';
  return { key, message: { conversation, awaited: null }, line: { text }, atMs: 0 };
}

/** Whether the process of the server ended before it answered a message. */
export function wasLost(exchange: Exchange): boolean {
  return (
    exchange.kind === 'unanswered' &&
    'line' in exchange.request &&
    (exchange.reason.code === 'closed-early' || exchange.reason.code === 'ended-beside')
  );
}

/** The name of a header (RFC 9110, section 5.1). */
export const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Reasons of exchanges that never had a request. */
export const NEVER_SENT: ReadonlySet<TransportFailureCode> = new Set([
  'not-sent',
  'no-valid-input',
  'not-recorded',
]);

/** The oddity of status lines and headers that end in a bare LF: the check of line ends looks for this text. */
export const BARE_LF = 'lines end in LF alone, without the CR';
