import type { Socket } from 'node:net';
import type { Fault } from '../../src/model/exchange.ts';

export const ENDPOINTS = ['health', 'capabilities', 'execute'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** The answer of the conforming server, before it is written as bytes. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** One request to the endpoint that misbehaves. */
export interface Visit {
  readonly socket: Socket;
  readonly endpoint: Endpoint;
  readonly answer: Answer;
  /** The conforming answer as bytes, for the connection that closes after it. */
  readonly bytes: Buffer;
  /** Address of a server that the client must never call. */
  readonly decoyUrl: string;
  readonly requestUrl: string;
}

/** A row whose outcome differs from that of a conforming server. */
export interface Find {
  readonly row: string;
  readonly outcome: 'failed' | 'undecided';
  readonly fault: Fault;
  /** A part of the message or of the received value. */
  readonly says: string | RegExp;
  /** The row may also be blocked, or decided as on a conforming server: that depends on how far the run gets. */
  readonly perhaps?: boolean;
}

export interface Behaviour {
  /** `family/name`. */
  readonly id: string;
  /** What it does on the wire. */
  readonly words: string;
  /** Legal in HTTP and JSON. A legal behaviour must not fail, but may be too much for the harness. */
  readonly legal: boolean;
  /** Answers a request, or does not. With `on: 'accepted'`, it runs before a request is read. */
  readonly play: (visit: Visit) => void | Promise<void>;
  readonly on?: 'request' | 'accepted';
  /** By endpoint; empty if the run passes without findings. */
  readonly finds: Readonly<Record<Endpoint, readonly Find[]>>;
  /** A part of a fact that the report must contain. */
  readonly fact?: string;
  /** Further functions that are listed, by name, and the reference function that serves them. */
  readonly serves?: Readonly<Record<string, string>>;
  /** Takes so much time and memory that fewer functions are called. */
  readonly large?: boolean;
  /** Requests stay unanswered until they time out. */
  readonly hangs?: boolean;
  /** On /execute, the run is cut short by this deadline. */
  readonly deadlineSeconds?: number;
}
