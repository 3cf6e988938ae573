import { isJsonObject, type Json, jsonTypeOf, ownProperty, showJson } from '../json/json.ts';
import { TEST_RESULT_SCHEMA_ID, type TestResult } from '../model/report.ts';
import { type RecordSchema, schemaWords } from '../model/saved/record-schema.ts';
import { specifiedRecord } from '../model/saved/server-record.ts';
import { changesPage, type DirectoryChange } from '../platform-api/changes.ts';
import { type SearchPage, searchResult } from '../platform-api/search-result.ts';
import {
  type ServerDetails as OwnDetails,
  type RecordInDetails,
  recordInDetails,
} from '../platform-api/server-details.ts';

/**
 * The answer of the details operation: the record, and further members, which the specification leaves open.
 * Directories made with Probity have the members below.
 */
export type ServerDetails = RecordInDetails & {
  readonly [Name in Exclude<keyof OwnDetails, keyof RecordInDetails>]?: Json;
} & { readonly [more: string]: Json | undefined };

/** A place where an answer does not follow the specification. */
export interface ShapeProblem {
  /** A JSON pointer. */
  readonly at: string;
  readonly expected: string;
  readonly received: string;
}

export type Shaped<Value> = { readonly value: Value } | { readonly problem: ShapeProblem };

/** The answer of a search. Pure. */
export function searchPageOf(answer: Json): Shaped<SearchPage> {
  return shapedAs(searchResult, answer);
}

/** The answer of the details operation. Pure. */
export function detailsOf(answer: Json): Shaped<ServerDetails> {
  return shapedAs(recordInDetails, answer);
}

/** The output of a function: `output` of form A, or `result` of form B (specification, section 2.6). Pure. */
export function outputOf(answer: Json): Shaped<Json> {
  const output = ownProperty(answer, 'output') ?? ownProperty(answer, 'result');
  return output === undefined
    ? { problem: { at: '', expected: 'an object with output, or with result', received: showJson(answer) } }
    : { value: output };
}

/** Whether the answer of a test is a test result of Probity; other directories may answer in another shape. Pure. */
export function isTestResult(answer: TestResult | Json): answer is TestResult {
  return (
    isJsonObject(answer) &&
    ownProperty(answer, 'schema') === TEST_RESULT_SCHEMA_ID &&
    typeof ownProperty(answer, 'verdict') === 'string' &&
    Array.isArray(ownProperty(answer, 'results'))
  );
}

/** A value that matches the schema, ignoring the formats of strings. Pure. */
export function shapedAs<Value>(schema: RecordSchema, answer: Json): Shaped<Value> {
  const problem = mismatch(schema, answer, '');
  return problem === null ? { value: answer as Value } : { problem };
}

const KNOWN: Readonly<Record<string, RecordSchema>> = { 'ServerRecord#': specifiedRecord };

/** The first place where a value does not match its schema; ignores the formats of strings. */
function mismatch(given: RecordSchema, value: Json | undefined, at: string): ShapeProblem | null {
  const schema = KNOWN[given.$ref ?? ''] ?? given;
  if (value === undefined || !fits(schema, value))
    return { at, expected: schemaWords(schema), received: showJson(value) };
  for (const [name, member, inner] of membersOf(schema, value)) {
    const found = mismatch(inner, member, `${at}/${name}`);
    if (found !== null) return found;
  }
  return null;
}

function fits(schema: RecordSchema, value: Json): boolean {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.MAX_VALUE, minLength = 0 } = schema;
  const type = Number.isSafeInteger(value) ? ['number', 'integer'] : [jsonTypeOf(value)];
  return (
    type.some((one) => [schema.type].flat().includes(one)) &&
    (schema.enum?.includes(value) ?? true) &&
    (typeof value !== 'number' || (value >= minimum && value <= maximum)) &&
    (typeof value !== 'string' || value.length >= minLength)
  );
}

type Member = readonly [name: string | number, value: Json | undefined, schema: RecordSchema];

function membersOf({ items, properties = {}, required = [] }: RecordSchema, value: Json): readonly Member[] {
  if (Array.isArray(value))
    return items === undefined ? [] : value.map((item, index) => [index, item, items]);
  return Object.entries(properties)
    .map(([name, schema]): Member => [name, ownProperty(value, name), schema])
    .filter(([name, member]) => member !== undefined || required.includes(String(name)));
}

/** Changes, the oldest first. */
export interface DirectoryChanges {
  readonly changes: readonly DirectoryChange[];
  /** Give it to read what changed afterwards. */
  readonly cursor: string;
  /** Whether more changes can be read now. */
  readonly hasMore: boolean;
}

/** The answer of the operation `changes`. Pure. */
export function changesOf(answer: Json): Shaped<DirectoryChanges> {
  const shaped = shapedAs<DirectoryChanges>(changesPage, answer);
  if ('problem' in shaped) return shaped;
  for (const [index, change] of shaped.value.changes.entries()) {
    const missing = NEEDED[change.kind].find((name) => ownProperty(change, name) === undefined);
    if (missing !== undefined)
      return {
        problem: {
          at: `/changes/${index}/${missing}`,
          expected: `a ${change.kind} server`,
          received: 'nothing',
        },
      };
  }
  return shaped;
}

const NEEDED = { changed: ['server'], removed: ['id', 'removedAt'] } as const;
