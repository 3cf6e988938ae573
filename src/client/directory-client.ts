import type { Json, JsonObject } from '../json/json.ts';
import { abortSignal, anyNumber, anyObject, record, text } from '../model/arguments.ts';
import type { Kinds } from '../model/kind.ts';
import type { TestResult } from '../model/report.ts';
import type { ServerRecord } from '../model/saved/server-record.ts';
import type { SearchPage } from '../platform-api/search-result.ts';
import type { DirectoryChanges, ServerDetails } from './answer-shapes.ts';
import type { DumpEnd, OnRecord } from './dump.ts';
import { type DirectoryQuery, QUERY_OPTIONS } from './search-parameters.ts';

/** The options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface TestOrder extends CallOptions {
  /** Sample inputs for the function. */
  readonly input?: JsonObject;
  readonly function?: string;
}

export interface ChangesOptions extends CallOptions {
  /** How many changes an answer may have; 100 by default. */
  readonly limit?: number;
}

export interface ExecuteOptions extends CallOptions {
  /** Makes the call safe to repeat: it is sent again if the connection fails. Use a different key for each call. */
  readonly idempotencyKey?: string;
}

export const CALL_OPTIONS = { signal: abortSignal, timeoutMs: anyNumber } satisfies Kinds<CallOptions>;
export const TEST_ORDER = { ...CALL_OPTIONS, input: anyObject, function: text } satisfies Kinds<TestOrder>;
export const CHANGES_OPTIONS = { ...CALL_OPTIONS, limit: anyNumber } satisfies Kinds<ChangesOptions>;
export const EXECUTE_OPTIONS = { ...CALL_OPTIONS, idempotencyKey: text } satisfies Kinds<ExecuteOptions>;
export const SEARCH_ARGUMENTS = { query: record(QUERY_OPTIONS), options: record(CALL_OPTIONS) };

/** A client of a directory's platform API (specification, section 4.1). Every method rejects with a `DirectoryError`. */
export interface DirectoryClient {
  search(query?: DirectoryQuery, options?: CallOptions): Promise<SearchPage>;
  /**
   * Every matching record of all pages; `limit` is the page size. Returns `nothing-new` if a page announced a next one
   * but contained no new record: the records may be incomplete.
   */
  searchAll(
    query?: DirectoryQuery,
    options?: CallOptions,
  ): AsyncGenerator<ServerRecord, 'complete' | 'nothing-new', undefined>;
  server(id: string, options?: CallOptions): Promise<ServerDetails>;
  /**
   * What changed after the cursor of an earlier answer or of a dump; without one, it begins with all records. An
   * extension of directories made with Probity, like `dump`.
   */
  changes(cursor?: string | null, options?: ChangesOptions): Promise<DirectoryChanges>;
  /**
   * Gives every record to a function, and resolves when the directory's count and digest prove that none is missing. Use
   * the records only then. Its time limit counts until the last record.
   */
  dump(onRecord: OnRecord, options?: CallOptions): Promise<DumpEnd>;
  /** Tests a server; `isTestResult` shows whether the answer is a test result of Probity. */
  test(id: string, order?: TestOrder): Promise<TestResult | Json>;
  /**
   * Calls a function and returns its output. First checks that the server's details name the function. Sent once,
   * unless an `idempotencyKey` makes it safe to repeat.
   */
  execute(id: string, functionName: string, input?: JsonObject, options?: ExecuteOptions): Promise<Json>;
}
