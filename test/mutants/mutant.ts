import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { Fault } from '../../src/model/exchange.ts';
import type { Form } from '../../src/model/requirement.ts';
import type { ServerTime } from '../latency/test-time.ts';

export type Operation = 'health' | 'capabilities' | 'execute' | 'other';

/** A request as the mutant server receives it. */
export interface MutantRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** The Connection header of the request. */
  readonly connection: string | undefined;
  readonly body: Buffer;
  /** The body of an /execute request, as far as it is JSON. */
  readonly call: MutantCall;
  /** The number of this request to the operation, from 1. */
  readonly count: number;
}

export interface MutantCall {
  readonly function?: unknown;
  readonly input?: unknown;
  readonly parameters?: unknown;
  readonly requestId?: unknown;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Does something to the connection instead of answering, such as closing it. */
export interface TakeOver {
  readonly takeOver: (response: ServerResponse) => void;
}

/** Answers as the reference server does. */
export type Conform = (request: MutantRequest) => Promise<RawAnswer>;

/** Answers a request instead of the reference server, or calls `conform` for a conforming answer. */
export type Mutation = (request: MutantRequest, conform: Conform) => Promise<RawAnswer | TakeOver>;

/** The server, for a mutation that does more than change answers. */
export interface MutantServer {
  /** Receives each request before its body is read, and handles it if it returns true. */
  readonly beforeBody: (handle: (incoming: IncomingMessage, response: ServerResponse) => boolean) => void;
  /** Stops listening and closes all connections. */
  readonly stop: () => void;
  /** Lets time pass: on the test clock, unless the real engine measures. */
  readonly pass: ServerTime['pass'];
}

/** The description of a mutant of any kind of target. */
export interface MutantClaims {
  /** The row that must fail. */
  readonly row: string;
  /** A description of what is broken. */
  readonly name: string;
  /** Rows that must fail too, and why. */
  readonly alsoFails?: Readonly<Record<string, string>>;
  /** Rows that must be undecided, and why. */
  readonly leavesOpen?: Readonly<Record<string, string>>;
  /** Rows that may fail, depending on how calls overlap. */
  readonly mayFail?: RegExp;
  /** The fault of the finding; the server by default. */
  readonly fault?: Fault;
  /** Further options of the check, such as a key or data of a listing. */
  readonly options?: CheckOptions;
}

/** One way to break one row of the registry. */
export interface Mutant extends MutantClaims {
  readonly form: Form | 'both';
  /** Called once for each server, so that each has its own state. */
  readonly mutate: (server: MutantServer) => Mutation;
  /** Nothing listens at the address. */
  readonly closed?: true;
  /** Makes the server, if it is not a plain HTTP server. */
  readonly serveWith?: (answer: RequestListener) => Server;
  readonly scheme?: 'https';
  /** Changed lines of the valid listing of the server; null removes a line. */
  readonly listing?: (pages: string) => Readonly<Record<string, string | null>>;
  /** The address at which the saved report is judged, for rows that no address of this machine can break. */
  readonly judgedAt?: string;
}
