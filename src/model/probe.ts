import type { Exchange, Header } from './exchange.ts';

/** A body as parts, each with a repeat count; the bytes are generated when they are sent. */
export type RequestBody = readonly BodyPart[];

export interface BodyPart {
  readonly bytes: Uint8Array;
  readonly times: number;
}

/** A request that is about to be sent. */
export interface PlannedRequest {
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: RequestBody | null;
  /** Close the connection intentionally after this many bytes of the body. */
  readonly abortAfterBytes: number | null;
  /** Counts the time in which this process runs, not the time in which it is suspended. */
  readonly timeoutMs: number;
  /** The latest end of the request on the monotonic clock, including suspensions; default: none. */
  readonly endsAtMs?: number;
  /** True for a read from whose answer later steps are generated. */
  readonly feedsLaterSteps: boolean;
  /** Sent without the user's headers. */
  readonly anonymous: boolean;
  /** Authentication scheme for the user's bearer token instead of Bearer; null or omitted: Bearer. */
  readonly scheme?: string | null;
  /** Requests with the same connection name share a connection, while the target keeps it open. */
  readonly connection: string | null;
  /** The protocol to upgrade to. */
  readonly upgrade: 'websocket' | null;
  /** Sees an event stream as it arrives; omitted: it is read to its end. */
  readonly events?: EventWatch | undefined;
}

export interface EventWatch {
  /** Returns true once what is awaited has come: the reading ends a moment later, if the server keeps the stream open. */
  push(part: Uint8Array): boolean;
}

/** Sends a request and returns the exchange. Never rejects: a failure is an exchange too. */
export interface Probe {
  send(request: PlannedRequest): Promise<Exchange>;
  /** Whether its answer is known already, so that it does not count in the pace of requests. */
  readonly wasSent?: (request: Pick<PlannedRequest, 'key'>) => boolean;
  /** Closes the connections that requests share. */
  close(): void;
}

/** Time as an argument, so that a saved run can be judged again without waiting. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Monotonic time in milliseconds, for durations. */
  monotonicMs(): number;
  /** Resolves after the wait, or earlier when the signal fires. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}
