import {
  abortSignal,
  anyFunction,
  anyNumber,
  argumentProblem,
  flag,
  type Kinds,
  record,
  required,
  text,
} from '../model/arguments.ts';
import { parseUrl } from '../model/parse-url.ts';
import { isLoopback } from '../model/proxy-variable.ts';
import { DirectoryError } from './directory-error.ts';

export interface DirectoryClientOptions {
  /** `{base_url}` of the specification: it ends in /v1. */
  readonly baseUrl: string;
  /** Sent as a bearer token to this directory and nowhere else. */
  readonly apiKey: string;
  /** Ends every call that is under way. */
  readonly signal?: AbortSignal;
  /** For one request with its answer; 60 seconds when left out. */
  readonly timeoutMs?: number;
  /** In the place of the default, such as for authorities of your own. It must not follow redirects by itself. */
  readonly fetch?: typeof fetch;
  /** Told of every wait for a rate limit, before it begins. */
  readonly onRateLimited?: (wait: RateLimitWait) => void;
  /** The longest that one call may wait for rate limits, all waits together; 60 seconds when left out. */
  readonly maxWaitMs?: number;
  /** False: nothing that was read is kept. */
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

/** What is limited for itself. */
export type Operation = 'read' | 'test' | 'execute';

export interface RateLimitWait {
  readonly operation: Operation;
  readonly waitMs: number;
  /** Whether the directory refused the call (429), or had said before that no calls are left. */
  readonly because: 'refused' | 'none-left';
}

export interface ClientSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  /** The text without the key in it. */
  readonly withoutKey: (text: string) => string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_WAIT_MS = 60_000;

/** Refuses what would send the key where it does not belong, or could not be sent at all. Pure. */
export function clientSettings(options: DirectoryClientOptions): ClientSettings {
  refuseArguments('createDirectoryClient', { options }, { options: required(record(CLIENT_OPTIONS)) });
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, maxWaitMs = DEFAULT_MAX_WAIT_MS } = options;
  const url = baseUrlOf(options.baseUrl);
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new DirectoryError(
      apiKey === ''
        ? 'The API key of the directory is empty. Give the key that its operator issued.'
        : 'The API key of the directory holds a character that no header can carry. Look for a space or a line break at its end.',
      { code: 'bad-key' },
    );
  if (url.protocol === 'http:' && options.allowInsecure !== true && !isLoopback(url.hostname))
    throw new DirectoryError(
      `The directory ${url.origin} is asked over http, and everybody on the way could read the API key. Give its https address; or, if you trust the whole way, allow it with \`allowInsecure\`.`,
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
      ? 'is no http or https URL'
      : url.username !== '' || url.password !== ''
        ? 'carries a user name or password'
        : url.search !== '' || url.hash !== ''
          ? 'carries a query or a fragment'
          : null;
  if (url !== null && problem === null) return url;
  // Not quoted: what is written wrongly may hold a password.
  throw new DirectoryError(
    `The base address of the directory ${problem}. Give it as its operator does, such as https://directory.example/v1.`,
    { code: 'bad-base-url' },
  );
}

/** Beyond it, timers are over at once. */
const MAX_MS = 2 ** 31 - 1;

export function requireMs(name: string, value: number, least: number): void {
  if (value >= least && value <= MAX_MS) return;
  throw new DirectoryError(`${name} is ${value}. Give milliseconds, from ${least} to ${MAX_MS}.`, {
    code: 'bad-argument',
  });
}

/** Throws a DirectoryError, as all of the client does, for the first argument that a function does not take. */
export function refuseArguments<Given extends object>(
  functionName: string,
  given: Given,
  kinds: Kinds<Given>,
): void {
  const problem = argumentProblem(given, kinds);
  if (problem === null) return;
  throw new DirectoryError(`${functionName}: ${problem.message}`, { code: 'bad-argument' });
}
