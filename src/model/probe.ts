import type { Exchange, Header } from './exchange.ts';

/** A body as parts, each repeated so many times: what is sent is made only when it is sent. */
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
  /** Go away on purpose after so many bytes of the body. */
  readonly abortAfterBytes: number | null;
  /** Counts the time in which this process runs, not the time in which it is suspended. */
  readonly timeoutMs: number;
  /** When the request ends even so, on the monotonic clock; never when left out. */
  readonly endsAtMs?: number;
  /** True for a read whose answer later steps are made from. */
  readonly feedsLaterSteps: boolean;
  /** Sent without the headers that the user gave. */
  readonly anonymous: boolean;
  /** The bearer token that the user gave goes out under this scheme in place of Bearer; null or left out: as it is. */
  readonly scheme?: string | null;
  /** Requests that name the same connection share it, for as long as the target keeps it open. */
  readonly connection: string | null;
  /** The protocol that the request asks to change to. */
  readonly upgrade: 'websocket' | null;
}

/** Sends a request and returns what came back. Never rejects: a failure is an exchange too. */
export interface Probe {
  send(request: PlannedRequest): Promise<Exchange>;
  /** Lets go of connections that requests share. */
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
