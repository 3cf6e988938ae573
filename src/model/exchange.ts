/** Bytes in a form that survives JSON: text where they are exactly the UTF-8 of that text. */
export type Bytes = { readonly text: string } | { readonly base64: string };

export type Header = readonly [name: string, value: string];

/** A request as it went out, secrets already replaced. */
export interface SentRequest {
  /** Names the step, item and attempt: `execute/call[add]#0`. Unique within a run. */
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: Bytes | null;
}

export interface Received {
  readonly status: number;
  readonly headers: readonly Header[];
  /** After content decoding (gzip, deflate, br). */
  readonly body: Bytes;
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
  | 'tls-failure'
  | 'timeout'
  | 'connection-reset'
  | 'closed-early'
  | 'invalid-http'
  | 'request-refused'
  | 'headers-too-large'
  | 'body-too-large'
  | 'undecodable-body'
  | 'run-bytes-spent'
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
      readonly timing: Timing;
    }
  | {
      readonly kind: 'unanswered';
      readonly request: SentRequest;
      readonly reason: TransportFailure;
      readonly timing: Timing;
    };

export type AnsweredExchange = Extract<Exchange, { kind: 'answered' }>;

export function headerValue(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}
