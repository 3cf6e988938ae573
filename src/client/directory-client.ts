import { type Json, type JsonObject, ownProperty, showJson } from '../json/json.ts';
import { anyFunction, jsonObject, orNull, required, text, textNotEmpty } from '../model/arguments.ts';
import type { TestResult } from '../model/report.ts';
import type { ServerRecord } from '../model/saved/server-record.ts';
import { type ChangesPage, changesPage } from '../platform-api/changes.ts';
import { type SearchPage, searchResult } from '../platform-api/search-result.ts';
import { recordInDetails } from '../platform-api/server-details.ts';
import { requireWholeChanges, type ServerDetails } from './answer-shapes.ts';
import { badAnswer, DirectoryError } from './directory-error.ts';
import { type DumpEnd, DumpReader, type OnRecord } from './dump.ts';
import { functionNames, unknownFunction } from './function-names.ts';
import {
  CALL_OPTIONS,
  type CallOptions,
  CHANGES_OPTIONS,
  type ChangesOptions,
  CLOCK,
  type ClientClock,
  type DirectoryClientOptions,
  type DirectoryQuery,
  EXECUTE_OPTIONS,
  type ExecuteOptions,
  MAX_PAGE,
  QUERY,
  QUERY_NAMES,
  refuseArguments,
  systemClock,
  TEST_ORDER,
  type TestOrder,
} from './options.ts';
import { type Age, parametersOf, pathOf, Requests } from './requests.ts';

/** A client of a directory's platform API (specification, section 4.1). Every method rejects with a `DirectoryError`. */
export type DirectoryClient = Pick<Client, keyof Client>;

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
  refuseArguments('createDirectoryClient', { clock }, { clock: CLOCK });
  return new Client(new Requests(options, clock));
}

const SEARCH_ARGUMENTS = { query: QUERY, options: CALL_OPTIONS };

/**
 * The operations. Each validates its arguments and describes a call, which `requests.ts` answers from the cache, or with
 * the help of `request-sender.ts`, which sends it until it is answered. An answer that violates the
 * specification is an error (`answer-shapes.ts`).
 */
class Client {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async search(query: DirectoryQuery = {}, options: CallOptions = {}, ...more: never[]): Promise<SearchPage> {
    refuseArguments('search', { query, options }, SEARCH_ARGUMENTS, more);
    return this.#search(query, options);
  }

  /**
   * Every matching record of all pages, each once, even if entries move meanwhile; `limit` is the page size. Returns
   * `nothing-new` if a page announced a next one but contained no new record: the records may be incomplete.
   */
  async *searchAll(
    query: DirectoryQuery = {},
    options: CallOptions = {},
    ...more: never[]
  ): AsyncGenerator<ServerRecord, 'complete' | 'nothing-new', undefined> {
    refuseArguments('searchAll', { query, options }, SEARCH_ARGUMENTS, more);
    const seen = new Set<string>();
    let offset = query.offset ?? 0;
    for (;;) {
      const page = await this.#search({ ...query, limit: query.limit ?? MAX_PAGE, offset }, options);
      const before = seen.size;
      for (const record of page.servers) {
        if (seen.has(record.id)) continue;
        seen.add(record.id);
        yield record;
      }
      if (!page.pagination.hasNext) return 'complete';
      if (seen.size === before) return 'nothing-new';
      offset += page.servers.length;
    }
  }

  async server(id: string, options: CallOptions = {}, ...more: never[]): Promise<ServerDetails> {
    refuseArguments('server', { options }, { options: CALL_OPTIONS }, more);
    return this.#details(id, options);
  }

  /**
   * What changed after the cursor of an earlier answer or of a dump; without one, it begins with all records. An
   * extension of directories made with Probity, like `dump`.
   */
  async changes(
    cursor: string | null = null,
    options: ChangesOptions = {},
    ...more: never[]
  ): Promise<ChangesPage> {
    const kinds = { cursor: orNull(textNotEmpty), options: CHANGES_OPTIONS };
    refuseArguments('changes', { cursor, options }, kinds, more);
    const { limit, ...ofCall } = options;
    const path = `/changes${parametersOf(['cursor', 'limit'], { cursor, limit })}`;
    const call = this.#requests.call('The list of changes', 'read', path, ofCall);
    const page = await this.#requests.read(call, changesPage);
    requireWholeChanges(call, page);
    return page;
  }

  /**
   * Gives every record to a function, and resolves when the directory's count and digest prove that none is missing. Use
   * the records only then. Its time limit counts until the last record.
   */
  async dump(onRecord: OnRecord, options: CallOptions = {}, ...more: never[]): Promise<DumpEnd> {
    const kinds = { onRecord: required(anyFunction), options: CALL_OPTIONS };
    refuseArguments('dump', { onRecord, options }, kinds, more);
    const call = this.#requests.call('The dump', 'read', '/dump', options);
    const reader = new DumpReader(onRecord, (problem) => badAnswer(call, problem));
    await this.#requests.sender.send({
      ...call,
      headers: { ...call.headers, accept: 'application/x-ndjson' },
      // Its records would come twice.
      isRepeatable: false,
      read: (body) => reader.read(body),
    });
    return reader.end();
  }

  /** Tests a server; `isTestResult` shows whether the answer is a test result of Probity. */
  async test(id: string, order: TestOrder = {}, ...more: never[]): Promise<TestResult | Json> {
    refuseArguments('test', { options: order }, { options: TEST_ORDER }, more);
    const { input = {}, function: name, ...options } = order;
    const path = pathOf(id);
    const what = `The test of server ${JSON.stringify(id)}`;
    const call = this.#requests.call(what, 'test', `${path}/test`, options);
    return this.#requests.write(call, path, { input, ...(name === undefined ? {} : { function: name }) });
  }

  /**
   * Calls a function and returns its output. First checks that the server's details name the function. Sent once,
   * unless an `idempotencyKey` makes it safe to repeat.
   */
  async execute(
    id: string,
    functionName: string,
    input: JsonObject = {},
    options: ExecuteOptions = {},
    ...more: never[]
  ): Promise<Json> {
    const kinds = { name: required(text), input: jsonObject, options: EXECUTE_OPTIONS };
    refuseArguments('execute', { name: functionName, input, options }, kinds, more);
    const path = pathOf(id);
    await this.#requireFunction(id, functionName, options);
    const what = `The call of ${JSON.stringify(functionName)} on server ${JSON.stringify(id)}`;
    const call = this.#requests.call(what, 'execute', `${path}/execute`, options);
    const body = { function: functionName, input };
    const answer = await this.#requests.write(call, path, body, options.idempotencyKey);
    // `output` of form A, or `result` of form B (specification, section 2.6).
    const output = ownProperty(answer, 'output') ?? ownProperty(answer, 'result');
    if (output !== undefined) return output;
    const expected = 'an object with output, or with result';
    throw badAnswer(call, { at: '', expected, received: showJson(answer) });
  }

  #search(query: DirectoryQuery, options: CallOptions): Promise<SearchPage> {
    const path = `/servers/search${parametersOf(QUERY_NAMES, query)}`;
    return this.#requests.read(this.#requests.call('The search', 'read', path, options), searchResult);
  }

  #details(id: string, options: CallOptions, age?: Age): Promise<ServerDetails> {
    const what = `The lookup of server ${JSON.stringify(id)}`;
    const call = this.#requests.call(what, 'read', pathOf(id), options);
    return this.#requests.read<ServerDetails>(call, recordInDetails, age);
  }

  async #requireFunction(id: string, name: string, options: CallOptions): Promise<void> {
    // Cached details are enough to allow a call; a refusal requires current ones.
    for (const age of ['any', 'revalidated'] as const) {
      const known = await this.#details(id, options, age).then(functionNames, unlessForbidden);
      if (known === null || known.includes(name)) return;
      if (age === 'revalidated') throw unknownFunction(id, name, known);
    }
  }
}

/** A key that may call functions may lack the permission to read. */
function unlessForbidden(error: unknown): null {
  if (error instanceof DirectoryError && error.status === 403) return null;
  throw error;
}
