import type { Json, JsonObject } from '../json/json.ts';
import { anyFunction, anyObject, objectWith, record, required, text } from '../model/arguments.ts';
import type { TestResult } from '../model/report.ts';
import type { ServerRecord } from '../model/saved/server-record.ts';
import type { SearchPage } from '../platform-api/search-result.ts';
import {
  changesOf,
  detailsOf,
  isTestResult,
  outputOf,
  type ServerDetails,
  type Shaped,
  searchPageOf,
} from './answer-shapes.ts';
import { type AskContext, ask, createKnownLimits, type Order } from './ask.ts';
import { functionNames, nearNames } from './capabilities.ts';
import {
  type ClientClock,
  clientSettings,
  type DirectoryClientOptions,
  refuseArguments,
  systemClock,
} from './client-settings.ts';
import { defaultFetch } from './default-fetch.ts';
import {
  CALL_OPTIONS,
  type CallOptions,
  CHANGES_OPTIONS,
  type DirectoryClient,
  EXECUTE_OPTIONS,
  type ExecuteOptions,
  SEARCH_ARGUMENTS,
  TEST_ORDER,
} from './directory-client.ts';
import { DirectoryError } from './directory-error.ts';
import { badAnswer, parsed } from './directory-problem.ts';
import { createDumpReader, type DumpEnd, type OnRecord } from './dump.ts';
import { type Age, createAnswerCache, readCached } from './read-cached.ts';
import { type DirectoryQuery, MAX_PAGE, searchParameters } from './search-parameters.ts';

const CLOCK = objectWith<ClientClock>('a clock with nowMs, sleep and random', {
  nowMs: required(anyFunction),
  sleep: required(anyFunction),
  random: required(anyFunction),
});

/**
 * Creates a client of the directory at `baseUrl`. It caches and revalidates answers as the directory specifies, and
 * waits for rate limits.
 *
 * @throws DirectoryError when the key must not or cannot be sent there, or an option is unknown or is of the wrong kind
 */
export function createDirectoryClient(
  options: DirectoryClientOptions,
  clock: ClientClock = systemClock,
): DirectoryClient {
  const settings = clientSettings(options);
  refuseArguments('createDirectoryClient', { clock }, { clock: CLOCK });
  const { baseUrl, apiKey, withoutKey } = settings;
  const cache = options.cache === false ? null : createAnswerCache();
  const context: AskContext = {
    settings,
    fetch: options.fetch ?? defaultFetch(baseUrl),
    signal: options.signal,
    clock,
    limits: createKnownLimits(),
    onRateLimited: options.onRateLimited,
  };
  const common = { accept: 'application/json', authorization: `Bearer ${apiKey}` };

  const read = async <Value>(
    what: string,
    path: string,
    shape: (answer: Json) => Shaped<Value>,
    { signal, timeoutMs }: CallOptions,
    age: Age = 'as-allowed',
  ): Promise<Value> => {
    const request = { method: 'GET', url: `${baseUrl}${path}`, headers: common, body: null } as const;
    const order = { what, request, operation: 'read', subject: 'read', signal, timeoutMs } as const;
    const whole: Order = { ...order, writes: false, repeatable: true };
    return shapedAs(whole, await readCached(whole, age, cache, context), shape);
  };

  const write = async <Value>(
    what: string,
    id: string,
    operation: 'test' | 'execute',
    body: JsonObject,
    shape: (answer: Json) => Shaped<Value>,
    { signal, timeoutMs, idempotencyKey }: ExecuteOptions,
  ): Promise<Value> => {
    const headers = {
      ...common,
      'content-type': 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const url = `${baseUrl}${pathOf(id)}/${operation}`;
    const order: Order = {
      what,
      request: { method: 'POST', url, headers, body: textOf(what, body) },
      operation,
      // A directory may limit the calls of each server separately.
      subject: `${operation} ${id}`,
      writes: true,
      repeatable: idempotencyKey !== undefined,
      signal,
      timeoutMs,
    };
    try {
      return shapedAs(order, (await ask(order, context)).body, shape);
    } finally {
      cache?.expire(`${baseUrl}${pathOf(id)}`);
    }
  };

  const shapedAs = <Value>(order: Order, body: string, shape: (answer: Json) => Shaped<Value>): Value => {
    const json = parsed(body);
    const outcome =
      json === undefined
        ? { problem: { at: '', expected: 'JSON', received: beginningOf(withoutKey(body)) } }
        : shape(json);
    if ('value' in outcome) return outcome.value;
    throw badAnswer(order, outcome.problem, withoutKey);
  };

  const details = (id: string, call: CallOptions, age?: Age): Promise<ServerDetails> =>
    read(`The lookup of server ${JSON.stringify(id)}`, pathOf(id), detailsOf, call, age);

  const search = (query: DirectoryQuery, call: CallOptions): Promise<SearchPage> => {
    const parameters = searchParameters(query);
    return read(
      'The search',
      `/servers/search${parameters === '' ? '' : `?${parameters}`}`,
      searchPageOf,
      call,
    );
  };

  const dump = async (onRecord: OnRecord, { signal, timeoutMs }: CallOptions): Promise<DumpEnd> => {
    const reader = createDumpReader(onRecord);
    const headers = { ...common, accept: 'application/x-ndjson' };
    const order: Order = {
      what: 'The dump',
      request: { method: 'GET', url: `${baseUrl}/dump`, headers, body: null },
      operation: 'read',
      subject: 'read',
      writes: false,
      // Its records would come twice.
      repeatable: false,
      signal,
      timeoutMs,
      receive: reader.receive,
    };
    await ask(order, context);
    const outcome = reader.outcome();
    switch (outcome.kind) {
      case 'complete':
        return outcome.end;
      case 'broken':
        throw badAnswer(order, outcome.problem, withoutKey);
      case 'refused':
        throw outcome.error;
    }
  };

  const requireFunction = async (id: string, name: string, call: CallOptions): Promise<void> => {
    // Cached details are enough to allow a call; a refusal requires current ones.
    for (const age of ['any', 'revalidated'] as const) {
      const known = await details(id, call, age).then(functionNames, unlessForbidden);
      if (known === null || known.includes(name)) return;
      if (age === 'revalidated') throw unknownFunction(id, name, known);
    }
  };

  return {
    search: async (query = {}, call = {}) => {
      refuseArguments('search', { query, options: call }, SEARCH_ARGUMENTS);
      return search(query, call);
    },
    searchAll: async function* (query = {}, call = {}) {
      refuseArguments('searchAll', { query, options: call }, SEARCH_ARGUMENTS);
      return yield* everyRecord(query, (page) => search(page, call));
    },
    server: async (id, call = {}) => {
      refuseArguments('server', { options: call }, { options: record(CALL_OPTIONS) });
      return details(id, call);
    },
    changes: async (cursor = null, options = {}) => {
      refuseArguments(
        'changes',
        { ...(cursor === null ? {} : { cursor }), options },
        { cursor: text, options: record(CHANGES_OPTIONS) },
      );
      const { limit, ...call } = options;
      const parameters = new URLSearchParams({
        ...(cursor === null ? {} : { cursor }),
        ...(limit === undefined ? {} : { limit: String(limit) }),
      });
      return read('The list of changes', `/changes?${parameters}`, changesOf, call);
    },
    dump: async (onRecord, call = {}) => {
      refuseArguments(
        'dump',
        { onRecord, options: call },
        { onRecord: required(anyFunction), options: record(CALL_OPTIONS) },
      );
      return dump(onRecord, call);
    },
    test: async (id, order = {}) => {
      refuseArguments('test', { options: order }, { options: record(TEST_ORDER) });
      const { input = {}, function: name, ...call } = order;
      const body = { input, ...(name === undefined ? {} : { function: name }) };
      return write(`The test of server ${JSON.stringify(id)}`, id, 'test', body, testAnswerOf, call);
    },
    execute: async (id, name, input = {}, call = {}) => {
      refuseArguments(
        'execute',
        { name, input, options: call },
        { name: required(text), input: anyObject, options: record(EXECUTE_OPTIONS) },
      );
      requireIdempotencyKey(call.idempotencyKey);
      await requireFunction(id, name, call);
      const what = `The call of ${JSON.stringify(name)} on server ${JSON.stringify(id)}`;
      return write(what, id, 'execute', { function: name, input }, outputOf, call);
    },
  };
}

function pathOf(id: string): string {
  if (typeof id === 'string' && !/^(\.{0,2})$/.test(id)) return `/servers/${encodeURIComponent(id)}`;
  throw new DirectoryError(
    `${JSON.stringify(id)} is not a valid server id. Use the id of a record from a search.`,
    { code: 'bad-argument' },
  );
}

function testAnswerOf(answer: Json): Shaped<TestResult | Json> {
  return { value: isTestResult(answer) ? (answer as TestResult) : answer };
}

/** A value without a JSON form is a mistake of the caller. */
function textOf(what: string, body: JsonObject): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new DirectoryError(`${what} was not sent: its input is not JSON. ${(error as Error).message}`, {
      code: 'bad-argument',
      cause: error,
    });
  }
}

function beginningOf(body: string): string {
  return body === '' ? 'nothing' : JSON.stringify(body.slice(0, 100));
}

/** A key that may call functions may lack the permission to read. */
function unlessForbidden(error: unknown): null {
  if (error instanceof DirectoryError && error.status === 403) return null;
  throw error;
}

function unknownFunction(id: string, name: string, known: readonly string[]): DirectoryError {
  const near = nearNames(name, known).map((one) => JSON.stringify(one));
  const shown = known.slice(0, 12).map((one) => JSON.stringify(one.slice(0, 100)));
  const remedy =
    near.length > 0
      ? `Did you mean ${near.join(' or ')}?`
      : `It has ${shown.join(', ')}${known.length > shown.length ? ` and ${known.length - shown.length} more` : ''}.`;
  return new DirectoryError(
    `Server ${JSON.stringify(id)} has no function ${JSON.stringify(name)}, so it was not called. ${remedy}`,
    { code: 'unknown-function' },
  );
}

function requireIdempotencyKey(key: string | undefined): void {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new DirectoryError('An idempotencyKey is 1 to 255 ASCII characters without spaces, such as a UUID.', {
    code: 'bad-argument',
  });
}

/**
 * Every matching record, page after page, each only once, even if entries move meanwhile. Ends when a page contains
 * nothing new, even if the directory announces further pages, and then returns `nothing-new`.
 */
async function* everyRecord(
  query: DirectoryQuery,
  search: (query: DirectoryQuery) => Promise<SearchPage>,
): AsyncGenerator<ServerRecord, 'complete' | 'nothing-new', undefined> {
  const seen = new Set<string>();
  let offset = query.offset ?? 0;
  for (;;) {
    const { servers, pagination } = await search({ ...query, limit: query.limit ?? MAX_PAGE, offset });
    const fresh = servers.filter(({ id }) => !seen.has(id));
    for (const record of fresh) {
      if (seen.has(record.id)) continue;
      seen.add(record.id);
      yield record;
    }
    if (!pagination.hasNext) return 'complete';
    if (fresh.length === 0) return 'nothing-new';
    offset += servers.length;
  }
}
