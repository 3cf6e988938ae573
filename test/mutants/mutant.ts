import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import type { CheckOptions } from '../../src/app/check-options.ts';
import type { Fault } from '../../src/model/exchange.ts';
import type { Form } from '../../src/model/requirement.ts';
import type { ServerTime } from '../latency/test-time.ts';

export type Operation = 'health' | 'capabilities' | 'execute' | 'other';

/** A request as the broken server sees it. */
export interface MutantRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** What the request says of the connection. */
  readonly connection: string | undefined;
  readonly body: Buffer;
  /** The body of an /execute request, as far as it is JSON. */
  readonly call: MutantCall;
  /** Which request to this operation it is, from 1. */
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

/** Does with the connection what no answer could: never ends it, breaks it off. */
export interface TakeOver {
  readonly takeOver: (response: ServerResponse) => void;
}

/** Answers as the reference server does. */
export type Conform = (request: MutantRequest) => Promise<RawAnswer>;

/** Answers a request in the reference server's place; what it leaves to `conform` stays conforming. */
export type Mutation = (request: MutantRequest, conform: Conform) => Promise<RawAnswer | TakeOver>;

/** The server as a whole, for a mutation that does more to it than answer requests otherwise. */
export interface MutantServer {
  /** Looks at each request before its body is read. Where it returns true, the request is left to it. */
  readonly beforeBody: (look: (incoming: IncomingMessage, response: ServerResponse) => boolean) => void;
  /** From now on nothing listens at the address, and no connection is open. */
  readonly stop: () => void;
  /** Lets so much time pass: of the test's own clock, unless the real engine measures. */
  readonly pass: ServerTime['pass'];
}

/** What is said of a mutant, whatever kind of target it is. */
export interface MutantClaims {
  /** The row that must fail. */
  readonly row: string;
  /** What is broken, in words. */
  readonly name: string;
  /** Rows that cannot but fail with it, and why. */
  readonly alsoFails?: Readonly<Record<string, string>>;
  /** Rows that it leaves inconclusive, and why. */
  readonly leavesOpen?: Readonly<Record<string, string>>;
  /** Rows that fail with it or do not, as calls happen to overlap. */
  readonly mayFail?: RegExp;
  /** Whose fault the finding names, if not the server's. */
  readonly fault?: Fault;
  /** What the check is told besides, such as a key or what the listing says. */
  readonly options?: CheckOptions;
}

/** One way to break one row of the registry. */
export interface Mutant extends MutantClaims {
  readonly form: Form | 'both';
  /** Called once for each server, so that what a mutation remembers is that server's. */
  readonly mutate: (server: MutantServer) => Mutation;
  /** Nothing listens at the address. */
  readonly closed?: true;
  /** Makes the server that has the mutated contract behind it, where a plain one of HTTP will not do. */
  readonly serveWith?: (answer: RequestListener) => Server;
  readonly scheme?: 'https';
  /** Lines of a sound listing of the server, written otherwise; null takes one away. */
  readonly listing?: (pages: string) => Readonly<Record<string, string | null>>;
  /**
   * The address at which the saved report is judged, as if the same answers had come from there: for what no address of
   * this machine can show.
   */
  readonly judgedAt?: string;
}
