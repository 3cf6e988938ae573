import { isJsonObject, type Json, jsonTypeOf, ownProperty, showJson } from '../json/json.ts';
import { TEST_RESULT_SCHEMA_ID, type TestResult } from '../model/report.ts';
import { type RecordSchema, schemaWords } from '../model/saved/record-schema.ts';
import { specifiedRecord } from '../model/saved/server-record.ts';
import type { ChangesPage } from '../platform-api/changes.ts';
import type { ServerDetails as OwnDetails, RecordInDetails } from '../platform-api/server-details.ts';
import type { Call } from './call.ts';
import { badAnswer, type ShapeProblem, withoutKey } from './directory-error.ts';

/**
 * The answer of the details operation: the record, and further members, which the specification leaves open.
 * Directories made with Probity have the members below.
 */
export type ServerDetails = RecordInDetails & {
  readonly [Name in Exclude<keyof OwnDetails, keyof RecordInDetails>]?: Json;
} & { readonly [more: string]: Json | undefined };

/** Whether the answer of a test is a test result of Probity; other directories may answer in another shape. Pure. */
export function isTestResult(answer: TestResult | Json): answer is TestResult {
  return (
    isJsonObject(answer) &&
    ownProperty(answer, 'schema') === TEST_RESULT_SCHEMA_ID &&
    typeof ownProperty(answer, 'verdict') === 'string' &&
    Array.isArray(ownProperty(answer, 'results'))
  );
}

/** @throws DirectoryError for an answer that is not JSON */
export function readAnswer(call: Call, body: string): Json {
  const answer = parsed(body);
  if (answer !== undefined) return answer;
  const received = body === '' ? 'nothing' : JSON.stringify(withoutKey(body, call).slice(0, 100));
  throw badAnswer(call, { at: '', expected: 'JSON', received });
}

/** Undefined for a text that is not JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** @throws DirectoryError for changes that lack what their kind needs */
export function requireWholeChanges(call: Call, { changes }: ChangesPage): void {
  for (const [index, change] of changes.entries()) {
    const needed = change.kind === 'changed' ? ['server'] : ['id', 'removedAt'];
    const missing = needed.find((name) => ownProperty(change, name) === undefined);
    if (missing === undefined) continue;
    const at = `/changes/${index}/${missing}`;
    throw badAnswer(call, { at, expected: `a ${change.kind} server`, received: 'nothing' });
  }
}

const KNOWN: Readonly<Record<string, RecordSchema>> = { 'ServerRecord#': specifiedRecord };

/**
 * The first place where a value does not match its schema; ignores the formats of strings. Instead of ajv or the checker
 * of TypeBox, which load more than the whole client and give no words for what was expected. Pure.
 */
export function mismatch(given: RecordSchema, value: Json | undefined, at = ''): ShapeProblem | null {
  const schema = KNOWN[given.$ref ?? ''] ?? given;
  if (value === undefined || !fits(schema, value))
    return { at, expected: schemaWords(schema), received: showJson(value) };
  const { items, properties = {}, required = [] } = schema;
  const members: readonly [string | number, Json | undefined, RecordSchema | undefined][] = Array.isArray(
    value,
  )
    ? value.map((item, index) => [index, item, items])
    : Object.entries(properties).map(([name, inner]) => [name, ownProperty(value, name), inner]);
  for (const [name, member, inner] of members) {
    const isAbsent = member === undefined && !required.includes(String(name));
    const found = isAbsent || inner === undefined ? null : mismatch(inner, member, `${at}/${name}`);
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
