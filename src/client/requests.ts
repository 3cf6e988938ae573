import { stringifyExactly, withDigits } from '../json/exact-json.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { required } from '../model/arguments.ts';
import type { RecordSchema } from '../model/saved/record-schema.ts';
import { isLoopback } from '../text/loopback.ts';
import { parseUrl } from '../text/parse-url.ts';
import { AnswerCache } from './answer-cache.ts';
import { mismatch, readAnswer } from './answer-shapes.ts';
import type { Call, Operation } from './call.ts';
import { defaultFetch } from './default-fetch.ts';
import { badAnswer, DirectoryError } from './directory-error.ts';
import {
  type CallOptions,
  CLIENT_OPTIONS,
  type ClientClock,
  type DirectoryClientOptions,
  refuseArguments,
} from './options.ts';
import { RequestSender } from './request-sender.ts';

/** How old a stored answer may be: as its directory allows, of any age, or always revalidated. */
export type Age = 'as-allowed' | 'any' | 'revalidated';

const DEFAULT_TIMEOUT_MS = 60_000;

/** The requests of one client: reads, which go through its cache, and writes. Their answers are JSON. */
export class Requests {
  readonly sender: RequestSender;
  readonly #options: DirectoryClientOptions;
  readonly #clock: ClientClock;
  readonly #baseUrl: string;
  readonly #cache: AnswerCache;

  constructor(options: DirectoryClientOptions, clock: ClientClock) {
    this.#options = options;
    this.#clock = clock;
    this.#baseUrl = baseUrlOf(options);
    this.#cache = new AnswerCache(options.cache === false ? 0 : undefined);
    this.sender = new RequestSender(options.fetch ?? defaultFetch(this.#baseUrl), clock, options);
  }

  call(what: string, operation: Operation, path: string, { signal, timeoutMs }: CallOptions): Call {
    const { apiKey, signal: ending, timeoutMs: standardMs = DEFAULT_TIMEOUT_MS } = this.#options;
    return {
      what,
      operation,
      method: 'GET',
      url: `${this.#baseUrl}${path}`,
      headers: { accept: 'application/json', authorization: `Bearer ${apiKey}` },
      body: null,
      apiKey,
      subject: operation,
      isRepeatable: true,
      timeoutMs: timeoutMs ?? standardMs,
      signal: AbortSignal.any([signal, ending].filter((one) => one !== undefined)),
    };
  }

  async read<Value>(call: Call, schema: RecordSchema<Value>, age: Age = 'as-allowed'): Promise<Value> {
    const answer = readAnswer(call, await this.#bodyOf(call, age));
    const problem = mismatch(schema, answer);
    if (problem !== null) throw badAnswer(call, problem);
    return answer as Value;
  }

  /** From the cache if allowed, or else revalidated or new. */
  async #bodyOf(call: Call, age: Age): Promise<string> {
    const stored = this.#cache.find(call.url);
    const isFresh = stored !== null && this.#clock.nowMs() < stored.freshUntilMs;
    if (stored !== null && (age === 'any' || (age === 'as-allowed' && isFresh))) return stored.body;
    const condition = stored?.etag == null ? {} : { 'if-none-match': stored.etag };
    const answer = await this.sender.send({ ...call, headers: { ...call.headers, ...condition } });
    const renewed = answer.status === 304 ? stored : null;
    if (answer.status === 304 && renewed?.etag == null) {
      const received = '304 to a request without a condition';
      throw badAnswer(call, { at: '', expected: 'an answer', received });
    }
    const body = renewed?.body ?? answer.body;
    this.#cache.store(call.url, body, answer.headers, this.#clock.nowMs(), renewed);
    return body;
  }

  /** Sends JSON to an operation of a server; afterwards its details are revalidated. */
  async write(call: Call, details: string, body: JsonObject, idempotencyKey?: string): Promise<Json> {
    const key = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    try {
      const answer = await this.sender.send({
        ...call,
        method: 'POST',
        headers: { ...call.headers, 'content-type': 'application/json', ...key },
        body: stringifyExactly(body),
        // A directory may limit the calls of each server separately.
        subject: call.url,
        isRepeatable: idempotencyKey !== undefined,
      });
      return withDigits(readAnswer(call, answer.body), answer.body);
    } finally {
      this.#cache.expire(`${this.#baseUrl}${details}`);
    }
  }
}

/**
 * The base address of a directory, without a slash at its end. Refuses options that are invalid, and those that would
 * expose the key or that cannot be sent. Pure.
 */
function baseUrlOf(options: DirectoryClientOptions): string {
  refuseArguments('createDirectoryClient', { options }, { options: required(CLIENT_OPTIONS) });
  const { apiKey, allowInsecure = false } = options;
  const url = parseUrl(options.baseUrl);
  const problem = problemOf(url);
  // Not quoted, because an invalid address may contain a password.
  if (url === null || problem !== null)
    throw new DirectoryError(
      `The base address of the directory ${problem}. Use the address from its operator, such as https://directory.example/v1.`,
      { code: 'bad-base-url' },
    );
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new DirectoryError(
      apiKey === ''
        ? 'The API key of the directory is empty. Set the key from its operator.'
        : 'The API key of the directory has a character that is not allowed in a header. Remove spaces and line breaks at its end.',
      { code: 'bad-key' },
    );
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname))
    throw new DirectoryError(
      `The address of the directory ${url.origin} is http, which exposes the API key to the network. Use its https address; or, if you trust the network, set \`allowInsecure\`.`,
      { code: 'insecure' },
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function problemOf(url: URL | null): string | null {
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is not an http or https URL';
  if (url.username !== '' || url.password !== '') return 'contains a user name or password';
  return url.search !== '' || url.hash !== '' ? 'contains a query or a fragment' : null;
}

export function pathOf(id: string): string {
  if (typeof id === 'string' && !/^(\.{0,2})$/.test(id)) return `/servers/${encodeURIComponent(id)}`;
  throw new DirectoryError(
    `${JSON.stringify(id)} is not a valid server id. Use the id of a record from a search.`,
    { code: 'bad-argument' },
  );
}

/** In the order of the names; the values of a list are repeated. */
export function parametersOf(names: readonly string[], given: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const name of names)
    for (const value of [given[name] ?? []].flat()) if (value !== '') parameters.append(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}
