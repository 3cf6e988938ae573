import type { Json } from '../json/json.ts';

/** Bytes in a form that survives JSON: text where they are exactly the UTF-8 of that text. */
export type Bytes = { readonly text: string } | { readonly base64: string };

/** Repeated bytes, so that a request of megabytes needs one line in a report. */
export type RepeatedBytes = Bytes & { readonly times: number };

/** The body of a request: complete, or as consecutive parts. */
export type SentBody = Bytes | { readonly parts: readonly RepeatedBytes[] };

export type Header = readonly [name: string, value: string];

/** A request as it went out, secrets already replaced. */
export interface SentRequest {
  /** Names the step, item and attempt: `execute/call[add]#0`. Unique within a run. */
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: SentBody | null;
  /** Of a message of the Model Context Protocol; absent for any other request. */
  readonly message?: SentMessage;
}

/** What the bytes of a request mean in the Model Context Protocol. */
export interface SentMessage {
  readonly conversation: string;
  /** The id that the answer must have; null if none is expected. */
  readonly awaited: Json;
}

export interface Received {
  readonly status: number;
  readonly headers: readonly Header[];
  /** After content decoding (gzip, deflate, br). */
  readonly body: Bytes;
  /** Why the body could not be read, although the status line and the headers could; the body is empty then. */
  readonly bodyProblem?: TransportFailure;
  /** Shell variables that stand for the secrets which the answer repeated. */
  readonly repeatedSecrets: readonly string[];
  /** HTTP mistakes in the answer that clients tolerate. */
  readonly oddities: readonly string[];
}

export interface Connection {
  /** True if an earlier request of the step used the same connection. */
  readonly reused: boolean;
  readonly tls: TlsSession | null;
}

export interface TlsSession {
  /** Such as `TLSv1.3`. */
  readonly protocol: string;
  /** Unix time in milliseconds until which the whole certificate chain is valid. */
  readonly validToMs: number;
}

/** How the reading of an event stream ended. */
export interface StreamEnd {
  /** From the start of the request until what was awaited was complete; null if it did not come. */
  readonly answeredAtMs: number | null;
  readonly closedBy: 'server' | 'probe';
  /** How often the client connected again, because the server had closed the connection before the answer. */
  readonly resumed?: number | undefined;
}

export interface ClockSetMs {
  readonly atStart: number;
  readonly atEnd: number;
}

/** When the request was sent and how long its parts took, in milliseconds. */
export interface Timing {
  /** Unix time in milliseconds at which the request was started, by a clock that nobody sets during a run. */
  readonly startedAtMs: number;
  /** By how much the time of day was ahead of that clock, if it was set since the run started. */
  readonly clockSetMs?: ClockSetMs;
  /** DNS, TCP and TLS together; null without a connection. */
  readonly connectMs: number | null;
  /** From the start to the first byte of the response head. */
  readonly firstByteMs: number | null;
  /** From the start to the last byte, or to the failure. */
  readonly durationMs: number;
}

/** A line that arrived where only messages belong. Raw, because wrong bytes are what is judged. */
export interface Heard {
  /** Without the line end; the start of a line that was longer than what is kept. */
  readonly bytes: Bytes;
  /** The bytes of the line that were not kept; 0 for a complete line. */
  readonly omittedBytes: number;
  /** Since the conversation was opened. */
  readonly atMs: number;
  /** Shell variables that stand for the secrets which the line repeated. */
  readonly repeatedSecrets: readonly string[];
}

/** Bytes that were written to a process. */
export interface SentLine {
  readonly key: string;
  readonly message: SentMessage;
  /** With the line end. */
  readonly line: Bytes;
  /** Since the conversation was opened. */
  readonly atMs: number;
}

/** What a server asked while a request waited, the answer of the client without secrets, and whether it gave that. */
export interface ClientReply {
  readonly method: string;
  readonly answer: string;
  readonly isGranted: boolean;
}

/** What was written to a process, and what came for it. */
export interface HeardExchange {
  readonly kind: 'heard';
  readonly request: SentLine;
  readonly heard: readonly Heard[];
  readonly end: HeardEnd;
  readonly replies?: readonly ClientReply[];
  readonly timing: Timing;
}

/**
 * Why reading ended: the answer came; it did not come in time, or none was expected; the process did not read what was
 * written; its standard output was closed, or it ended; the run was interrupted.
 */
export type HeardEnd = 'answered' | 'silent' | 'not-read' | 'closed' | 'interrupted';

export type Fault = 'server' | 'network' | 'harness';

export type TransportFailureCode =
  | 'name-not-found'
  | 'name-lookup-failed'
  | 'address-refused'
  | 'connection-refused'
  | 'no-session'
  | 'not-running'
  | 'gated'
  | 'old-transport'
  | 'network-unreachable'
  | 'connect-timeout'
  | 'certificate-expired'
  | 'certificate-not-yet-valid'
  | 'certificate-untrusted'
  | 'certificate-wrong-host'
  | 'tls-too-old'
  | 'tls-failure'
  | 'tls-timeout'
  | 'timeout'
  | 'slow-upload'
  | 'connection-reset'
  | 'closed-early'
  | 'ended-beside'
  | 'invalid-http'
  | 'bare-lf-in-chunks'
  | 'unasked-coding'
  | 'request-refused'
  | 'headers-too-large'
  | 'body-too-large'
  | 'undecodable-body'
  | 'run-bytes-spent'
  | 'share-used-up'
  | 'client-suspended'
  | 'deadline'
  | 'interrupted'
  | 'aborted-on-purpose'
  | 'not-sent'
  | 'no-valid-input'
  | 'not-recorded';

export interface TransportFailure {
  readonly code: TransportFailureCode;
  readonly message: string;
  readonly fault: Fault;
}

export const interrupted: TransportFailure = {
  code: 'interrupted',
  fault: 'harness',
  message: 'the run was interrupted',
};

/** The user wants nothing more after the first failure. */
export const bailedOut: TransportFailure = {
  code: 'interrupted',
  fault: 'harness',
  message: 'the check ended with its first failure, because of --bail',
};

export function isBailedOut({ code, message }: TransportFailure): boolean {
  return code === bailedOut.code && message === bailedOut.message;
}

/** One request with its response or its transport failure; serialisable as JSON. */
export type Exchange =
  | HeardExchange
  | {
      readonly kind: 'answered';
      readonly request: SentRequest;
      readonly response: Received;
      readonly connection: Connection;
      /** Of an event stream that was read until an event came. */
      readonly stream?: StreamEnd;
      /** What the server asked meanwhile, over streams that several requests share: also for others that waited. */
      readonly replies?: readonly ClientReply[];
      readonly timing: Timing;
    }
  | {
      readonly kind: 'unanswered';
      readonly request: SentRequest | SentLine;
      readonly reason: TransportFailure;
      /** What a process wrote instead of the answer. */
      readonly heard?: readonly Heard[];
      readonly replies?: readonly ClientReply[];
      readonly timing: Timing;
    };

/** Whether the body is a stream of events, which the server may keep open. */
export function isEventStream(headers: readonly Header[]): boolean {
  return mediaTypeOf(headers) === 'text/event-stream';
}

/** Without parameters, in lower case; empty without the header. */
export function mediaTypeOf(headers: readonly Header[]): string {
  const [type = ''] = (headerValue(headers, 'content-type') ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/** An answer over HTTP. */
export type AnsweredExchange = Extract<Exchange, { kind: 'answered' }>;
export type UnansweredExchange = Extract<Exchange, { kind: 'unanswered' }>;
/** An answer, over whichever channel. */
export type Answer = AnsweredExchange | HeardExchange;

export function isAnswer(exchange: Exchange): exchange is Answer {
  return exchange.kind !== 'unanswered';
}

/** The address of a request over HTTP; empty for a line to a process. */
export function urlOf({ request }: Pick<Exchange, 'request'>): string {
  return 'url' in request ? request.url : '';
}

/** Whether the status is 2xx. Redirects do not count, because they are not followed. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

export function headerValue(headers: readonly Header[], name: string): string | undefined {
  return headerValues(headers, name)[0];
}

/** Every value of a header that is given more than once. */
export function headerValues(headers: readonly Header[], name: string): readonly string[] {
  return headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}

/** How many characters the bodies that came back have as they are stored. */
export function bodyCharacters(exchange: Exchange): number {
  const received =
    exchange.kind === 'answered'
      ? [exchange.response.body]
      : (exchange.heard ?? []).map(({ bytes }) => bytes);
  return received.reduce((sum, bytes) => sum + ('text' in bytes ? bytes.text : bytes.base64).length, 0);
}
