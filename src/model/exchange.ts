/** Bytes in a form that survives JSON: text where they are exactly the UTF-8 of that text. */
export type Bytes = { readonly text: string } | { readonly base64: string };

/** Bytes that repeat, so that a request of megabytes takes a line in a report. */
export type RepeatedBytes = Bytes & { readonly times: number };

/** What a request carried: whole, or as parts that follow one another. */
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
  /** What is wrong with the answer as HTTP, though clients put up with it. */
  readonly oddities: readonly string[];
}

/** The oddity of status lines and headers that end in a bare LF: the check of line ends looks for this text. */
export const BARE_LF = 'lines end in LF alone, without the CR';

/** What was learned of the connection that carried an answer. */
export interface Connection {
  /** True when an earlier request of the step had gone over it. */
  readonly reused: boolean;
  readonly tls: TlsSession | null;
}

export interface TlsSession {
  /** Such as `TLSv1.3`. */
  readonly protocol: string;
  /** Unix time in milliseconds up to which the certificate, and all that it rests on, is valid. */
  readonly validToMs: number;
}

/** When the request was sent and how long its parts took, in milliseconds. */
export interface Timing {
  /** Unix time in milliseconds at which the request was started. */
  readonly startedAtMs: number;
  /** DNS, TCP and TLS together; null when no connection came about. */
  readonly connectMs: number | null;
  /** From the start to the first byte of the response head. */
  readonly firstByteMs: number | null;
  /** From the start to the last byte, or to the failure. */
  readonly durationMs: number;
}

/** Whose trouble a failure is. */
export type Fault = 'server' | 'network' | 'harness';

export type TransportFailureCode =
  | 'name-not-found'
  | 'name-lookup-failed'
  | 'address-refused'
  | 'connection-refused'
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
  | 'invalid-http'
  | 'bare-lf-in-chunks'
  | 'unasked-coding'
  | 'request-refused'
  | 'headers-too-large'
  | 'body-too-large'
  | 'undecodable-body'
  | 'run-bytes-spent'
  | 'client-suspended'
  | 'deadline'
  | 'interrupted'
  | 'aborted-on-purpose'
  | 'not-sent'
  | 'not-recorded';

/** Why a request has no usable answer. */
export interface TransportFailure {
  readonly code: TransportFailureCode;
  readonly message: string;
  readonly fault: Fault;
}

/** One request with its response or its transport failure; serialisable as JSON. */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly request: SentRequest;
      readonly response: Received;
      readonly connection: Connection;
      readonly timing: Timing;
    }
  | {
      readonly kind: 'unanswered';
      readonly request: SentRequest;
      readonly reason: TransportFailure;
      readonly timing: Timing;
    };

export type AnsweredExchange = Extract<Exchange, { kind: 'answered' }>;

/** No connection came about: whatever there is to say of it, the request itself is not to blame. */
export function reachedNobody(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.fault === 'network';
}

/** Of 2xx. A redirect is not one: nothing here follows it. */
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
