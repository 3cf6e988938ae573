import { setTimeout as wait } from 'node:timers/promises';
import {
  abortSignal,
  anyFunction,
  argumentProblem,
  flag,
  functionOf,
  jsonObject,
  listOf,
  milliseconds,
  millisecondsFrom,
  notNegative,
  number,
  objectWith,
  oneOf,
  record,
  required,
  text,
  textThatIs,
  wholeBetween,
  wholeFrom,
} from '../model/arguments.ts';
import type { Kinds, TypeOf } from '../model/kind.ts';
import { SERVER_STATUSES } from '../model/saved/server-status.ts';
import { PROTOCOLS, SORTS, VERDICTS } from '../platform-api/search-choices.ts';
import type { Operation } from './call.ts';
import { DirectoryError } from './directory-error.ts';

export interface RateLimitWait {
  readonly operation: Operation;
  readonly waitMs: number;
  /** Whether the directory refused the call (429), or an earlier answer said that no calls are left. */
  readonly because: 'refused' | 'none-left';
}

export const CLIENT_OPTIONS = record({
  /** `{base_url}` of the specification, which ends in /v1. */
  baseUrl: required(text),
  /** Sent as a bearer token, only to this directory. */
  apiKey: required(text),
  /** Ends all calls in progress. */
  signal: abortSignal,
  /** Time limit of one request with its answer; default: 60 seconds. */
  timeoutMs: milliseconds,
  /** Replaces the default, for example to trust other certificate authorities. It must not follow redirects itself. */
  fetch: functionOf<typeof fetch>(),
  /** Called before every wait for a rate limit. */
  onRateLimited: functionOf<(wait: RateLimitWait) => void>(),
  /** Maximum total time that one call waits for rate limits; default: 60 seconds. */
  maxWaitMs: millisecondsFrom(0),
  /** False: answers are not cached. */
  cache: flag,
  /** Sends the key over http to a machine other than this one. */
  allowInsecure: flag,
});
export type DirectoryClientOptions = TypeOf<typeof CLIENT_OPTIONS>;

/** The options of one call. */
const forCall = { signal: abortSignal, timeoutMs: milliseconds };
export const CALL_OPTIONS = record(forCall);
export type CallOptions = TypeOf<typeof CALL_OPTIONS>;

export const TEST_ORDER = record({
  ...forCall,
  /** Sample inputs for the function. */
  input: jsonObject,
  function: text,
});
export type TestOrder = TypeOf<typeof TEST_ORDER>;

export const CHANGES_OPTIONS = record({
  ...forCall,
  /** How many changes an answer may have; 100 by default. */
  limit: wholeFrom(1),
});
export type ChangesOptions = TypeOf<typeof CHANGES_OPTIONS>;

export const EXECUTE_OPTIONS = record({
  ...forCall,
  /** Makes the call safe to repeat: it is sent again if the connection fails. Use a different key for each call. */
  idempotencyKey: textThatIs('1 to 255 ASCII characters without spaces, such as a UUID', (key) =>
    /^[\x21-\x7e]{1,255}$/.test(key),
  ),
});
export type ExecuteOptions = TypeOf<typeof EXECUTE_OPTIONS>;

export const MAX_PAGE = 100;

/** The filters of a search (specification, section 4.1), in its order; all are optional. */
const filters = {
  q: text,
  category: text,
  /** A server must have all of them. */
  tags: listOf(text),
  transport: oneOf('http', 'websocket'),
  // These three and the order are extensions of directories made with Probity; another directory may ignore or refuse them.
  protocol: oneOf(...PROTOCOLS),
  /** Servers in one of these states. */
  status: listOf(oneOf(...SERVER_STATUSES)),
  /** Of the last test. */
  verdict: oneOf(...VERDICTS),
  /** Percentage, 0 to 100. */
  minUptime: number('a number from 0 to 100', (value) => value >= 0 && value <= 100),
  /** Milliseconds. */
  maxResponseTime: notNegative,
  audited: flag,
  openSource: flag,
  /** Without it: by name, and with `q` first the best matches. */
  sort: oneOf(...SORTS),
  /** Servers whose record changed at this time or later: a date with a time, such as 2026-11-25T09:30:00Z. An extension. */
  updatedSince: text,
  /** Page size, up to 100. */
  limit: wholeBetween(1, MAX_PAGE),
  offset: wholeFrom(0),
};
export const QUERY = record(filters);
export const QUERY_NAMES = Object.keys(filters);
export type DirectoryQuery = TypeOf<typeof QUERY>;

/**
 * Throws a DirectoryError, like the whole client, for the first invalid argument, and for one more than there are, which
 * may have options that would have no effect.
 */
export function refuseArguments<Given extends object>(
  functionName: string,
  given: Given,
  kinds: Kinds<Given>,
  more: readonly unknown[] = [],
): void {
  if (more.some((one) => one !== undefined))
    throw new DirectoryError(
      `${functionName}: too many arguments. All of its options are in one object, the last argument that it takes.`,
      { code: 'bad-argument' },
    );
  const problem = argumentProblem(given, kinds);
  if (problem !== null)
    throw new DirectoryError(`${functionName}: ${problem.message}`, { code: 'bad-argument' });
}

/** Clock and randomness as an argument, so that tests need not wait. */
export interface ClientClock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Resolves after the wait, or earlier when the signal fires. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const CLOCK = objectWith<ClientClock>('a clock with nowMs, sleep and random', {
  nowMs: required(anyFunction),
  sleep: required(anyFunction),
  random: required(anyFunction),
});

export const systemClock: ClientClock = {
  // Wall-clock time that never jumps.
  nowMs: () => Math.round(performance.timeOrigin + performance.now()),
  sleep: async (durationMs, signal) => {
    // Timers may fire slightly early.
    await wait(durationMs + 2, undefined, { signal }).catch(() => undefined);
  },
  random: () => Math.random(),
};
