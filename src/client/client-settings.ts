import { setTimeout as wait } from 'node:timers/promises';
import {
  abortSignal,
  anyFunction,
  anyNumber,
  argumentProblem,
  flag,
  record,
  required,
  text,
} from '../model/arguments.ts';
import type { Kinds } from '../model/kind.ts';
import { isLoopback } from '../text/loopback.ts';
import { parseUrl } from '../text/parse-url.ts';
import { DirectoryError } from './directory-error.ts';

export interface DirectoryClientOptions {
  /** `{base_url}` of the specification, which ends in /v1. */
  readonly baseUrl: string;
  /** Sent as a bearer token, only to this directory. */
  readonly apiKey: string;
  /** Ends all calls in progress. */
  readonly signal?: AbortSignal;
  /** Time limit of one request with its answer; default: 60 seconds. */
  readonly timeoutMs?: number;
  /** Replaces the default, for example to trust other certificate authorities. It must not follow redirects itself. */
  readonly fetch?: typeof fetch;
  /** Called before every wait for a rate limit. */
  readonly onRateLimited?: (wait: RateLimitWait) => void;
  /** Maximum total time that one call waits for rate limits; default: 60 seconds. */
  readonly maxWaitMs?: number;
  /** False: answers are not cached. */
  readonly cache?: boolean;
  /** Sends the key over http to a machine other than this one. */
  readonly allowInsecure?: boolean;
}

const CLIENT_OPTIONS = {
  baseUrl: required(text),
  apiKey: required(text),
  signal: abortSignal,
  timeoutMs: anyNumber,
  fetch: anyFunction,
  onRateLimited: anyFunction,
  maxWaitMs: anyNumber,
  cache: flag,
  allowInsecure: flag,
} satisfies Kinds<DirectoryClientOptions>;

/** The operations with separate rate limits. */
export type Operation = 'read' | 'test' | 'execute';

export interface RateLimitWait {
  readonly operation: Operation;
  readonly waitMs: number;
  /** Whether the directory refused the call (429), or an earlier answer said that no calls are left. */
  readonly because: 'refused' | 'none-left';
}

export interface ClientSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  /** Removes the key from a text. */
  readonly withoutKey: (text: string) => string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_WAIT_MS = 60_000;

/** Refuses settings that would expose the key or that cannot be sent. Pure. */
export function clientSettings(options: DirectoryClientOptions): ClientSettings {
  refuseArguments('createDirectoryClient', { options }, { options: required(record(CLIENT_OPTIONS)) });
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options;
  const url = baseUrlOf(options.baseUrl);
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new DirectoryError(
      apiKey === ''
        ? 'The API key of the directory is empty. Set the key from its operator.'
        : 'The API key of the directory has a character that is not allowed in a header. Remove spaces and line breaks at its end.',
      { code: 'bad-key' },
    );
  if (url.protocol === 'http:' && options.allowInsecure !== true && !isLoopback(url.hostname))
    throw new DirectoryError(
      `The address of the directory ${url.origin} is http, which exposes the API key to the network. Use its https address; or, if you trust the network, set \`allowInsecure\`.`,
      { code: 'insecure' },
    );
  requireMs('timeoutMs', timeoutMs, 1);
  requireMs('maxWaitMs', maxWaitMs, 0);
  const spellings = [...new Set([apiKey, encodeURIComponent(apiKey)])];
  return {
    baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    apiKey,
    timeoutMs,
    maxWaitMs,
    withoutKey: (text) => spellings.reduce((left, spelling) => left.replaceAll(spelling, '(API key)'), text),
  };
}

function baseUrlOf(text: string): URL {
  const url = parseUrl(text);
  const problem =
    url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')
      ? 'is not an http or https URL'
      : url.username !== '' || url.password !== ''
        ? 'contains a user name or password'
        : url.search !== '' || url.hash !== ''
          ? 'contains a query or a fragment'
          : null;
  if (url !== null && problem === null) return url;
  // Not quoted, because an invalid address may contain a password.
  throw new DirectoryError(
    `The base address of the directory ${problem}. Use the address from its operator, such as https://directory.example/v1.`,
    { code: 'bad-base-url' },
  );
}

/** A timer with a longer time fires at once. */
const MAX_MS = 2 ** 31 - 1;

export function requireMs(name: string, value: number, min: number): void {
  if (value >= min && value <= MAX_MS) return;
  throw new DirectoryError(`${name} is ${value}. Give milliseconds, from ${min} to ${MAX_MS}.`, {
    code: 'bad-argument',
  });
}

/** Throws a DirectoryError, like the whole client, for the first invalid argument. */
export function refuseArguments<Given extends object>(
  functionName: string,
  given: Given,
  kinds: Kinds<Given>,
): void {
  const problem = argumentProblem(given, kinds);
  if (problem === null) return;
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

export const systemClock: ClientClock = {
  // Wall-clock time that never jumps.
  nowMs: () => Math.round(performance.timeOrigin + performance.now()),
  sleep: async (durationMs, signal) => {
    // Timers may fire slightly early.
    await wait(durationMs + 2, undefined, { signal }).catch(() => undefined);
  },
  random: () => Math.random(),
};
