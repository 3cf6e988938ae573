import { targetOf } from '../checks/json/local-reference.ts';
import { doubleOf, isExactNumber } from '../json/exact-number.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonTypeOf,
  ownItems,
  ownProperty,
  sameJson,
} from '../json/json.ts';
import { refuses, type SchemaEvaluator } from '../model/schema-evaluator.ts';
import { baseOf, creates, createsAnother, identifies, wordsIn } from '../text/words.ts';
import { natureOf } from './function-nature.ts';
import { givenValue } from './sample-value.ts';
import { type Random, textMatching } from './text-for-pattern.ts';
import { VERBS_OF_ENDING, VERBS_OF_REMOVAL, VERBS_OF_TAKING_PART } from './words-of-change.ts';

/** Whether a function may change or end what somebody else created, so that it gets no likely id as a guess. Pure. */
export function changesExisting(descriptor: JsonObject): boolean {
  const nature = natureOf(descriptor);
  if (nature === 'reads') return false;
  const name = nameOf(descriptor);
  const ofName = wordsIn(name);
  if (ofName.some((word) => VERBS_OF_ENDING.has(word) || VERBS_OF_ENDING.has(baseOf(word)))) return true;
  const isOfNew = createsAnother(name) || VERBS_OF_TAKING_PART.has(ofName[0] ?? '');
  return nature === 'changes' && !isOfNew;
}

function nameOf(descriptor: JsonObject): string {
  return String(ownProperty(descriptor, 'name'));
}

/** Whether values of the parameter, or within them, identify what the function changes. Pure. */
export function identifiesExisting(parameter: string, descriptor: JsonObject): boolean {
  const words = wordsIn(parameter).map(baseOf);
  const subject = wordsIn(nameOf(descriptor)).map(baseOf);
  return identifies(parameter) || (words.length > 0 && words.every((word) => subject.includes(word)));
}

/**
 * The input without ids that somebody else's things are likely to have, for a function that changes what exists: large
 * numbers, long digits, or the top of the declared range. What the schema itself offers stays, and what it refuses
 * otherwise. Pure.
 */
export function withUnlikelyIds(
  input: JsonObject,
  descriptor: JsonObject,
  schemas: SchemaEvaluator,
  randomFor: (parameter: string) => Random = () => () => 0,
  fixed: readonly string[] = [],
): JsonObject {
  if (!changesExisting(descriptor)) return input;
  const root = ownProperty(descriptor, 'parameters') ?? {};
  const properties = ownProperty(root, 'properties');
  const schema = schemas.foreign(root);
  let made = input;
  for (const [name, value] of Object.entries(input)) {
    if (fixed.includes(name)) continue;
    const part = ownProperty(properties, name) ?? {};
    const unlikely = unlikelyValue(
      value,
      { schema: part, name, root, descriptor, random: randomFor(name) },
      0,
    );
    if (sameJson(unlikely, value)) continue;
    const changed = { ...made, [name]: unlikely };
    if (!refuses(schema, changed)) made = changed;
  }
  return made;
}

/** Whether the input would remove whatever there is: nothing in it, or only "30 days", says what. Pure. */
export function removesAtLarge(input: JsonObject | null, descriptor: JsonObject): boolean {
  const isRemoving = wordsIn(nameOf(descriptor)).some((word) => VERBS_OF_REMOVAL.has(word));
  if (!isRemoving || natureOf(descriptor) === 'reads') return false;
  const root = ownProperty(descriptor, 'parameters') ?? {};
  const place = { schema: root, name: '', root, descriptor, random: () => 0 };
  return !aims(input ?? {}, place, 0);
}

/** Whether a value says what to remove: an id, a text that nobody else has, or what the author suggests. */
function aims(value: Json, place: Place, depth: number): boolean {
  const schema = resolved(place.schema, place.root);
  const isEnum = ownItems(schema, 'enum').length > 0;
  if (depth > MAX_DEPTH || (isOffered(value, schema) && !isEnum)) return true;
  if (Array.isArray(value)) {
    const items = ownProperty(schema, 'items') ?? {};
    return (value as readonly Json[]).some((item) => aims(item, { ...place, schema: items }, depth + 1));
  }
  if (isJsonObject(value) && !isExactNumber(value)) {
    const properties = ownProperty(schema, 'properties');
    return Object.entries(value).some(([name, inner]) =>
      aims(inner, { ...place, schema: ownProperty(properties, name) ?? {}, name }, depth + 1),
    );
  }
  if (identifiesExisting(place.name, place.descriptor)) return true;
  return typeof value === 'string' && !isEnum && !/^\d{4}-\d\d/.test(value);
}

/** Whether a listed function creates what the input identifies for this one, by its name. Pure. */
export function isCreatedByOther(
  input: JsonObject,
  descriptor: JsonObject,
  functions: readonly Json[],
): boolean {
  const identifying = Object.keys(input).filter((name) => identifiesExisting(name, descriptor));
  if (identifying.length === 0 || !changesExisting(descriptor)) return false;
  const words = [nameOf(descriptor), ...identifying].flatMap(wordsIn).map(baseOf);
  return functions.some((one) => {
    const name = String(ownProperty(one, 'name'));
    const subject = wordsIn(name).slice(1).map(baseOf);
    return (
      name !== nameOf(descriptor) &&
      creates(name) &&
      subject.length > 0 &&
      subject.every((word) => words.includes(word))
    );
  });
}

interface Place {
  readonly schema: Json;
  readonly name: string;
  readonly root: Json;
  readonly descriptor: JsonObject;
  readonly random: Random;
}

const MAX_DEPTH = 6;

function unlikelyValue(value: Json, place: Place, depth: number): Json {
  const schema = resolved(place.schema, place.root);
  if (depth > MAX_DEPTH || isOffered(value, schema)) return value;
  if (Array.isArray(value)) {
    const items = ownProperty(schema, 'items') ?? {};
    return (value as readonly Json[]).map((item) =>
      unlikelyValue(item, { ...place, schema: items }, depth + 1),
    );
  }
  if (isJsonObject(value) && !isExactNumber(value)) {
    const properties = ownProperty(schema, 'properties');
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        unlikelyValue(inner, { ...place, schema: ownProperty(properties, name) ?? {}, name }, depth + 1),
      ]),
    );
  }
  if (!identifiesExisting(place.name, place.descriptor)) return value;
  if (jsonTypeOf(value) === 'number') return unlikelyNumber(schema, place.random);
  return typeof value === 'string' ? unlikelyText(value, schema, place.random) : value;
}

function resolved(schema: Json, root: Json, depth = 0): Json {
  if (depth > MAX_DEPTH) return schema;
  const target = targetOf(schema, root);
  const [first] = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => ownItems(schema, keyword));
  const inner = target ?? (ownProperty(schema, 'type') === undefined ? first : undefined);
  return inner === undefined ? schema : resolved(inner, root, depth + 1);
}

function isOffered(value: Json, schema: Json): boolean {
  const given = givenValue(schema);
  return given !== undefined && [given, ...ownItems(schema, 'enum')].some((one) => sameJson(one, value));
}

/** Above what servers count up to. */
const UNLIKELY_ID = 987_654_321;
const MAX_OFFSET = 1_000_000;

function unlikelyNumber(schema: Json, random: Random): number {
  const step = doubleOf(ownProperty(schema, 'multipleOf')) ?? 1;
  const above = doubleOf(ownProperty(schema, 'exclusiveMaximum')) ?? Infinity;
  const high = Math.min(doubleOf(ownProperty(schema, 'maximum')) ?? Infinity, above - step);
  const wanted = UNLIKELY_ID + random(MAX_OFFSET);
  const low = doubleOf(ownProperty(schema, 'minimum')) ?? 0;
  // The tenth of the range that is filled last.
  const topmost = high - random(Math.max(1, Math.floor((high - low) / 10)));
  return Math.floor((wanted <= high ? wanted : topmost) / step) * step;
}

const LENGTHS = [18, 12, 9, 6] as const;

/** Texts of letters are unlikely anyway; "2" of a pattern is not. */
function unlikelyText(value: string, schema: Json, random: Random): string {
  const pattern = ownProperty(schema, 'pattern');
  const most = doubleOf(ownProperty(schema, 'maxLength')) ?? Math.max(...LENGTHS, value.length);
  const longest = LENGTHS.find((length) => length <= most) ?? most;
  const digit = (): number => 1 + random(9);
  if (typeof pattern !== 'string')
    return /^\d+$/.test(value) ? Array.from({ length: longest }, digit).join('') : value;
  if (ownProperty(schema, 'format') !== undefined) return value;
  for (const least of [longest, ...LENGTHS.filter((length) => length < longest), 0]) {
    const text = textMatching(pattern, random, { least, most });
    if (text !== null) return text;
  }
  return value;
}
