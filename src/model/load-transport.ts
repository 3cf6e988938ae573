import type { LoadRequest } from './load.ts';

export interface LoadFailure {
  /** As in a TransportFailure, such as `connection-reset`. */
  readonly code: string;
  readonly message: string;
}

/** Called with the outcome of the request in flight on a connection. */
export interface LoadListener {
  /** `atMs` is when its last bytes arrived, before parsing; monotonic milliseconds. */
  onAnswer(status: number, atMs: number): void;
  onFailure(failure: LoadFailure): void;
}

/** Sends one request at a time over one connection, and reopens it if the target closed it. */
export interface LoadConnection {
  /** Connects before the first request. It also resolves on failure, which the first request then reports. */
  open(): Promise<void>;
  /**
   * Sends the request with this index in the plan; `nowMs` is the monotonic time. The listener is called once, after
   * this returns.
   */
  send(index: number, nowMs: number): void;
  /** Cancels the request in flight and its connection, without calling the listener. */
  drop(): void;
}

export interface LoadTransport {
  readonly name: 'lean' | 'undici' | 'message';
  connect(requests: readonly LoadRequest[], listener: LoadListener): LoadConnection;
}

export interface TransportOptions {
  /** Trusted authorities as PEM; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly publicOnly: boolean;
  /** Time-out for connecting; the caller limits the time of a call. */
  readonly timeoutMs: number;
}
