import { isJsonObject, type Json, ownProperty, showJson } from '../../json/json.ts';
import { type Evidence, failed, inapplicable, undecided } from '../../model/judgement.ts';
import { parseUrl } from '../../text/parse-url.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { parseIso8601 } from '../iso8601.ts';
import { nameOf, searchPage } from './search-page.ts';

export const serverRecords = defineCheck(
  'json',
  'server-records',
  'each record has the twelve fields of a server record, with their types and ranges',
  ({ value }) => {
    const page = searchPage(value);
    if (page === null) return inapplicable('the answer is not a page of search results');
    if (page.servers.length === 0)
      return undecided({
        message: 'the directory shows no records',
        expected: 'at least one record',
        received: 'an empty list of servers',
        advice: 'Check a directory that lists servers, or give a key that may see them.',
      });
    return judgeEach(page.servers.flatMap(recordProblems), failed);
  },
);

interface FieldRule {
  readonly expected: string;
  readonly holds: (value: Json) => boolean;
}

const isText = (value: Json): value is string => typeof value === 'string';
const isNumber = (value: Json): value is number => typeof value === 'number' && Number.isFinite(value);
const isFlag = (value: Json): boolean => typeof value === 'boolean';
const areAll = (value: Json, fits: (item: Json) => boolean): boolean =>
  Array.isArray(value) && (value as readonly Json[]).every(fits);

const PERCENT = 100;

/** The twelve fields with their types and ranges. */
const RULES: Readonly<Record<string, FieldRule>> = {
  id: { expected: 'a non-empty string', holds: (value) => isText(value) && value !== '' },
  name: { expected: 'a string', holds: isText },
  description: { expected: 'a string', holds: isText },
  category: { expected: 'a string', holds: isText },
  tags: { expected: 'an array of strings', holds: (value) => areAll(value, isText) },
  transport: {
    expected: 'an array of "http" and "websocket"',
    holds: (value) => areAll(value, (item) => item === 'http' || item === 'websocket'),
  },
  uptime: {
    expected: 'a number from 0 to 100',
    holds: (value) => isNumber(value) && value >= 0 && value <= PERCENT,
  },
  responseTime: {
    expected: 'a number of milliseconds, 0 or more',
    holds: (value) => isNumber(value) && value >= 0,
  },
  lastUpdated: {
    expected: 'an ISO 8601 date and time in UTC',
    holds: (value) => isText(value) && parseIso8601(value)?.offsetMinutes === 0,
  },
  audited: { expected: 'true or false', holds: isFlag },
  openSource: { expected: 'true or false', holds: isFlag },
  endpoint: {
    expected: 'a URL',
    holds: (value) => isText(value) && SCHEMES.has(parseUrl(value)?.protocol ?? ''),
  },
};

export const RECORD_FIELDS: readonly string[] = Object.keys(RULES);

/** Fields that a directory measures continuously. */
export const LIVE_FIELDS: ReadonlySet<string> = new Set(['uptime', 'responseTime', 'lastUpdated']);

function recordProblems(record: Json, index: number): readonly Omit<Evidence, 'fault'>[] {
  const pointer = `/servers/${index}`;
  if (!isJsonObject(record)) {
    const message = 'an entry of servers is not an object';
    return [{ message, expected: 'a server record, an object', received: showJson(record), pointer }];
  }
  return RECORD_FIELDS.flatMap((field) => {
    const problem = fieldProblem(record, field);
    const message = `${field} of ${nameOf(record)} is missing or invalid`;
    return problem === null ? [] : [{ message, ...problem, pointer: `${pointer}/${field}` }];
  });
}

/** What is wrong with a required field of a record (specification, section 2.1); null if the field is valid. */
export function fieldProblem(record: Json, field: string): Pick<Evidence, 'expected' | 'received'> | null {
  const rule = RULES[field];
  const value = ownProperty(record, field);
  if (rule === undefined || (value !== undefined && rule.holds(value))) return null;
  return { expected: rule.expected, received: showJson(value) };
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:']);
