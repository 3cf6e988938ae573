import { createParser } from 'eventsource-parser';
import { decodeJsonValue, holdsSeveralValues, type JsonProblem } from '../../json/decode-json.ts';
import { withDigits } from '../../json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty, sameJson } from '../../json/json.ts';
import { type Header, isEventStream } from '../../model/exchange.ts';

// The Model Context Protocol as messages of JSON-RPC 2.0, pure. This file is the only reader of messages, for both
// channels: a line of standard output, a JSON body, and an event stream go in as bytes, messages come out, each with its
// bytes. `opening.ts` writes what opens a conversation in each era and reads the answers, and `http-headers.ts` has the
// headers of a message over HTTP. Nothing is repaired: what is wrong with a text is kept beside its message.

export type Message =
  | { readonly kind: 'result'; readonly id: Json; readonly result: Json }
  | {
      readonly kind: 'error';
      /** Undefined, or null, if the server could not read the id of the request. */
      readonly id: Json | undefined;
      readonly code: Json | undefined;
      readonly message: Json | undefined;
      readonly data: Json | undefined;
    }
  | {
      readonly kind: 'request';
      readonly id: Json;
      readonly method: string;
      readonly params: Json | undefined;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Json | undefined }
  /** JSON, but no message. The id tells which request it may answer. */
  | { readonly kind: 'not-json-rpc'; readonly id: Json | undefined; readonly problem: string }
  /** No JSON. */
  | { readonly kind: 'noise'; readonly problem: string };

/** A message with the bytes that it was read from. */
export interface ReadMessage {
  readonly message: Message;
  /** The JSON value; undefined for noise. */
  readonly value: Json | undefined;
  /** The whole line, body, or data of an event; shared by the messages of a batch. */
  readonly bytes: Uint8Array;
  /** Where `bytes` begin and end in the line or the body; of an event: the whole event with its field names. */
  readonly start: number;
  readonly end: number;
  /** Of the message in its JSON text: empty, or `/0` in a batch (revision 2025-03-26). */
  readonly pointer: string;
  /**
   * What is wrong with the text, such as invalid UTF-8 or a repeated key, although the message could be read. It is
   * read all the same, because otherwise an answer with one wrong byte would count as no answer.
   */
  readonly problem: JsonProblem | null;
}

/** The messages of one line of standard output, without its end: one, several in a batch, none in an empty line. */
export function messagesInLine(line: Uint8Array): readonly ReadMessage[] {
  const end = line.at(-1) === CARRIAGE_RETURN ? line.byteLength - 1 : line.byteLength;
  return messagesInText(line.subarray(0, end), 'the line', 0, end);
}

export function messagesInBody(headers: readonly Header[], body: Uint8Array): readonly ReadMessage[] {
  if (!isEventStream(headers)) return messagesInText(body, 'the body', 0, body.byteLength);
  const found: ReadMessage[] = [];
  new EventReader((messages) => found.push(...messages)).push(body);
  return found;
}

/** The ids that the events of a stream have. */
export function eventIdsIn(body: Uint8Array): readonly string[] {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  return [...text.matchAll(/^id: ?([^\0\r\n]+)\r?$/gm)].map(([, id = '']) => id);
}

/** Whether the message answers the request with this id. What is no message may be a broken answer to it. */
export function answersTo(id: Json, message: Message): boolean {
  if (message.kind === 'noise' || message.kind === 'notification' || message.kind === 'request') return false;
  return message.id !== undefined && sameJson(message.id, id);
}

/** Reads an event stream that arrives in parts (transports, streamable HTTP). */
export class EventReader {
  /** Of the last complete event that had one: a closed stream is continued after it. */
  lastEventId: string | null = null;
  /** How long to wait before that; null if the server did not say. */
  retryMs: number | null = null;
  /** The address that an `endpoint` event names: it is the first event of the transport of 2024-11-05. */
  endpoint: string | null = null;
  #offset = 0;
  #eventStart = 0;
  #line = '';
  #eventId: string | null = null;
  readonly #onMessages: (messages: readonly ReadMessage[]) => void;
  readonly #parser = createParser({
    onEvent: ({ event = 'message', data }) => this.#take(event, data),
    onRetry: (ms) => {
      this.retryMs = ms;
    },
  });

  constructor(onMessages: (messages: readonly ReadMessage[]) => void) {
    this.#onMessages = onMessages;
  }

  push(part: Uint8Array): void {
    // One character for each byte: the bytes of an event are those that were sent, valid or not.
    const text = Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1');
    for (const line of text.match(LINES) ?? []) {
      this.#offset += line.length;
      this.#parser.feed(line);
      this.#readId(line);
    }
  }

  /** The parser drops events without data, which may be there for their id alone. */
  #readId(part: string): void {
    this.#line += part;
    if (!part.endsWith('\n')) return;
    this.#eventId = EVENT_ID.exec(this.#line)?.[1] ?? this.#eventId;
    if (this.#line.trimEnd() === '') this.lastEventId = this.#eventId;
    this.#line = '';
  }

  #take(type: string, data: string): void {
    const start = this.#eventStart;
    this.#eventStart = this.#offset;
    const bytes = Buffer.from(data, 'latin1');
    if (type === 'endpoint') this.endpoint ??= bytes.toString('utf8');
    // Clients ignore events of other types, such as those that keep a connection open, and events without data.
    if (type !== 'message' || bytes.byteLength === 0) return;
    this.#onMessages(messagesInText(bytes, 'the event', start, this.#offset));
  }
}

const CARRIAGE_RETURN = 0x0d;
/** With their ends, where an LF is one. */
const LINES = /[^\n]*\n|[^\n]+/g;
const EVENT_ID = /^id: ?([^\0\r\n]*)\r?\n$/;

/** The part of a stream that was cut off whose events are complete. */
export function completeEvents(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const last = [...text.matchAll(/\n\r?\n|\r\r/g)].at(-1);
  return body.subarray(0, last === undefined ? 0 : last.index + last[0].length);
}

function messagesInText(bytes: Uint8Array, what: string, start: number, end: number): readonly ReadMessage[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.trim() === '') return [];
  const strict = decodeJsonValue(bytes, what);
  // With replacement characters for the bytes that are no UTF-8.
  const mayBeWrongBytes = strict.value === undefined && text.includes('\uFFFD');
  const { value } = mayBeWrongBytes ? decodeJsonValue(Buffer.from(text), what) : strict;
  const { problem } = strict;
  if (value === undefined) {
    const isSeveral = problem?.serversFault !== false && holdsSeveralValues(text);
    const words = isSeveral ? `${what} has more than one JSON value` : `${problem?.message}`;
    return [{ message: { kind: 'noise', problem: words }, value, bytes, start, end, pointer: '', problem }];
  }
  const found = { bytes, start, end, problem };
  // An id that no double holds is compared digit by digit.
  const exact = withDigits(value, text.replace(/^\uFEFF/, ''));
  if (!Array.isArray(value) || value.length === 0)
    return [{ ...found, message: messageIn(value, ownProperty(exact, 'id'), what), value, pointer: '' }];
  return value.map((one: Json, index) => {
    const id = Array.isArray(exact) ? ownProperty(exact[index], 'id') : undefined;
    return { ...found, message: messageIn(one, id, what), value: one, pointer: `/${index}` };
  });
}

function messageIn(value: Json, id: Json | undefined, what: string): Message {
  if (!isJsonObject(value)) return { kind: 'not-json-rpc', id, problem: `${what} holds no object` };
  const problem = problemOf(value);
  if (problem !== null) return { kind: 'not-json-rpc', id, problem };
  const method = ownProperty(value, 'method');
  const params = ownProperty(value, 'params');
  if (typeof method === 'string')
    return id === undefined
      ? { kind: 'notification', method, params }
      : { kind: 'request', id, method, params };
  const result = ownProperty(value, 'result');
  if (result !== undefined && id !== undefined) return { kind: 'result', id, result };
  const error = ownProperty(value, 'error');
  const [code, message, data] = ['code', 'message', 'data'].map((name) => ownProperty(error, name));
  return { kind: 'error', id, code, message, data };
}

/** What makes an object no message of JSON-RPC 2.0; what its members hold is judged elsewhere. */
function problemOf(value: JsonObject): string | null {
  const has = (name: string): boolean => ownProperty(value, name) !== undefined;
  const id = ownProperty(value, 'id');
  if (ownProperty(value, 'jsonrpc') !== '2.0') return 'jsonrpc is not "2.0"';
  if (isJsonObject(id) || Array.isArray(id) || typeof id === 'boolean')
    return 'its id is neither a string nor a number';
  if (has('method')) {
    if (has('result') || has('error')) return 'it has a method, and a result or an error';
    return typeof ownProperty(value, 'method') === 'string' ? null : 'its method is not a string';
  }
  if (has('result') && has('error')) return 'it has a result and an error';
  if (has('result')) return id === undefined || id === null ? 'its result has no id' : null;
  if (!has('error')) return 'it has neither a method, a result nor an error';
  return isJsonObject(ownProperty(value, 'error')) ? null : 'its error is not an object';
}
