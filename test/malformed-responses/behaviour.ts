import type { Socket } from 'node:net';
import type { Fault } from '../../src/model/exchange.ts';

export const ENDPOINTS = ['health', 'capabilities', 'execute'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** What the conforming server would answer, before it becomes bytes. */
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
  /** Address of a server that nobody has a reason to ask. */
  readonly decoyUrl: string;
  readonly requestUrl: string;
}

/** A row that a behaviour decides otherwise than a conforming server would. */
export interface Find {
  readonly row: string;
  readonly outcome: 'failed' | 'inconclusive';
  readonly fault: Fault;
  /** Stands in the message or in what was received. */
  readonly says: string | RegExp;
  /** The row may as well be blocked, or be decided as on a conforming server: how far the run comes is a matter of time. */
  readonly perhaps?: boolean;
}

export interface Behaviour {
  /** `family/name`. */
  readonly id: string;
  /** What it does on the wire. */
  readonly words: string;
  /** As HTTP and JSON have it; a legal behaviour is not found fault with, but it may be more than the harness takes. */
  readonly legal: boolean;
  /** Answers a request, or does not. One that plays on `accepted` has no request yet. */
  readonly play: (visit: Visit) => void | Promise<void>;
  readonly on?: 'request' | 'accepted';
  /** By endpoint; nothing where the run is a plain pass. */
  readonly finds: Readonly<Record<Endpoint, readonly Find[]>>;
  /** Part of a fact that the report states. */
  readonly told?: string;
  /** Further functions that are listed, by name, and the reference function that serves them. */
  readonly serves?: Readonly<Record<string, string>>;
  /** Takes so much of everything that fewer functions are called. */
  readonly large?: boolean;
  /** Requests stay unanswered until they time out. */
  readonly hangs?: boolean;
  /** On /execute, the run is to be cut short by this deadline. */
  readonly deadlineSeconds?: number;
}
