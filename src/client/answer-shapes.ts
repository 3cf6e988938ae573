import { isJsonObject, type Json, type JsonObject, ownProperty, showJson } from '../model/json.ts';
import type { ServerRecord } from '../model/listing.ts';
import { TEST_RESULT_SCHEMA_ID, type TestResult } from '../model/report.ts';

/** The pagination object (specification, section 2.2). */
export interface Pagination {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly hasNext: boolean;
}

export interface SearchPage {
  readonly servers: readonly ServerRecord[];
  readonly pagination: Pagination;
}

/**
 * What the details operation tells: the record, and whatever the directory says besides, which the specification leaves
 * open. Directories made with Probity give the members that are named here.
 */
export type ServerDetails = Omit<ServerRecord, 'uptime' | 'responseTime'> & {
  /** Null where nothing is known yet. */
  readonly uptime: number | null;
  readonly responseTime: number | null;
  /** `up`, `down` or `unknown`. */
  readonly status?: Json;
  /** `observed` or `claimed`: what uptime and responseTime are. */
  readonly figures?: Json;
  readonly addedAt?: Json;
  readonly listing?: Json;
  readonly form?: Json;
  /** Descriptors as the server's own /capabilities gives them; see `functionNames`. */
  readonly functions?: Json;
  readonly lastResult?: Json;
  readonly history?: Json;
  readonly responseTimes?: Json;
  readonly uptimeByDay?: Json;
  readonly author?: Json;
  readonly [more: string]: Json | undefined;
};

/** A place where an answer is not what the specification says. */
export interface ShapeProblem {
  /** A JSON pointer. */
  readonly at: string;
  readonly expected: string;
  readonly received: string;
}

export type Shaped<Value> = { readonly value: Value } | { readonly problem: ShapeProblem };

interface Rule {
  readonly expected: string;
  readonly holds: (value: Json) => boolean;
}

const isNumber = (value: Json, most = Number.MAX_VALUE): boolean =>
  typeof value === 'number' && value >= 0 && value <= most;
const isTextList = (value: Json): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const text: Rule = { expected: 'a string', holds: (value) => typeof value === 'string' };
const flag: Rule = { expected: 'true or false', holds: (value) => typeof value === 'boolean' };
const count: Rule = {
  expected: 'a whole number, 0 or more',
  holds: (value) => Number.isSafeInteger(value) && isNumber(value),
};
const uptime: Rule = { expected: 'a number from 0 to 100', holds: (value) => isNumber(value, 100) };
const milliseconds: Rule = {
  expected: 'a number of milliseconds, 0 or more',
  holds: (value) => isNumber(value),
};

const COMMON = {
  id: {
    expected: 'a string that is not empty',
    holds: (value: Json) => typeof value === 'string' && value !== '',
  },
  name: text,
  description: text,
  category: text,
  tags: { expected: 'an array of strings', holds: isTextList },
  transport: {
    expected: 'an array of "http" and "websocket"',
    holds: (value: Json) =>
      Array.isArray(value) && value.every((item) => item === 'http' || item === 'websocket'),
  },
  lastUpdated: text,
  audited: flag,
  openSource: flag,
  endpoint: text,
} satisfies Readonly<Record<string, Rule>>;

const RECORD = { ...COMMON, uptime, responseTime: milliseconds } satisfies Record<keyof ServerRecord, Rule>;
const DETAILS = { ...COMMON, uptime: orNull(uptime), responseTime: orNull(milliseconds) };
const PAGINATION = { total: count, limit: count, offset: count, hasNext: flag } satisfies Record<
  keyof Pagination,
  Rule
>;

function orNull({ expected, holds }: Rule): Rule {
  return { expected: `${expected}, or null`, holds: (value) => value === null || holds(value) };
}

/** The answer of a search (specification, sections 2.1, 2.2 and 4.1). Pure. */
export function searchPageOf(answer: Json): Shaped<SearchPage> {
  const servers = ownProperty(answer, 'servers');
  const pagination = ownProperty(answer, 'pagination');
  if (!isJsonObject(answer)) return mismatch('', 'an object with servers and pagination', answer);
  if (!Array.isArray(servers)) return mismatch('/servers', 'an array of server records', servers);
  const problem =
    servers
      .map((server: Json, index) => problemIn(server, RECORD, `/servers/${index}`))
      .find((found) => found !== null) ?? problemIn(pagination, PAGINATION, '/pagination');
  return problem === null ? { value: answer as unknown as SearchPage } : { problem };
}

/** The answer of the details operation. Pure. */
export function detailsOf(answer: Json): Shaped<ServerDetails> {
  const problem = problemIn(answer, DETAILS, '');
  return problem === null ? { value: answer as unknown as ServerDetails } : { problem };
}

/** What a function gave: `output` of form A, or `result` of form B (specification, section 2.6). Pure. */
export function outputOf(answer: Json): Shaped<Json> {
  const output = ownProperty(answer, 'output') ?? ownProperty(answer, 'result');
  return output === undefined
    ? mismatch('', 'an object with output, or with result', answer)
    : { value: output };
}

/** Whether the answer of a test is the harness's own test result; other directories have shapes of their own. Pure. */
export function isTestResult(answer: TestResult | Json): answer is TestResult {
  return (
    isJsonObject(answer) &&
    ownProperty(answer, 'schema') === TEST_RESULT_SCHEMA_ID &&
    typeof ownProperty(answer, 'verdict') === 'string' &&
    Array.isArray(ownProperty(answer, 'results'))
  );
}

function problemIn(
  value: Json | undefined,
  rules: Readonly<Record<string, Rule>>,
  at: string,
): ShapeProblem | null {
  if (!isJsonObject(value)) return problemAt(at, `an object with ${Object.keys(rules).join(', ')}`, value);
  for (const [name, { expected, holds }] of Object.entries(rules)) {
    const member = ownProperty(value as JsonObject, name);
    if (member === undefined || !holds(member)) return problemAt(`${at}/${name}`, expected, member);
  }
  return null;
}

function problemAt(at: string, expected: string, received: Json | undefined): ShapeProblem {
  return { at, expected, received: showJson(received) };
}

function mismatch(
  at: string,
  expected: string,
  received: Json | undefined,
): { readonly problem: ShapeProblem } {
  return { problem: problemAt(at, expected, received) };
}
