import type { LoadRequest } from './load.ts';

/** Why a call of a load has no answer. */
export interface LoadFailure {
  /** As in a TransportFailure, such as `connection-reset`. */
  readonly code: string;
  readonly message: string;
}

/** Told what became of the one request that is under way over a connection. */
export interface LoadListener {
  /** `atMs` is when its last bytes came, before anything was made of them; monotonic milliseconds. */
  onAnswer(status: number, atMs: number): void;
  onFailure(failure: LoadFailure): void;
}

/** Carries one request at a time, over one connection that is opened again when the target closed it. */
export interface LoadConnection {
  /** Connects ahead of the first request; resolves also when that fails, which the first request then tells. */
  open(): Promise<void>;
  /** Sends the request of this place in the plan; the listener is told once, and never before this returns. */
  send(index: number): void;
  /** Gives up the request that is under way, without a word to the listener, and the connection with it. */
  drop(): void;
}

export interface LoadTransport {
  readonly name: 'lean' | 'undici';
  connect(requests: readonly LoadRequest[], listener: LoadListener): LoadConnection;
}

export interface TransportOptions {
  /** The authorities whose certificates are trusted, as PEM; those that Node.js trusts when it is null. */
  readonly ca: string | null;
  /** Connect to nothing but public addresses. */
  readonly publicOnly: boolean;
  /** For connecting; calls are bounded by who makes them. */
  readonly timeoutMs: number;
}
