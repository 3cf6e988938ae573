import type { Exchange, Header } from './exchange.ts';

/** A request that is about to be sent. */
export interface PlannedRequest {
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | null;
  /** Go away on purpose after so many bytes of the body. */
  readonly abortAfterBytes: number | null;
  readonly timeoutMs: number;
  /** True for a read whose answer later steps are made from. */
  readonly feedsLaterSteps: boolean;
}

/** Sends a request and returns what came back. Never rejects: a failure is an exchange too. */
export interface Probe {
  send(request: PlannedRequest): Promise<Exchange>;
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
