import { createHash } from 'node:crypto';
import { targetOf } from '../checks/json/local-reference.ts';
import { doubleOf, type ExactNumber, integerOf, isExactNumber, numberFrom } from '../json/exact-number.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty, sameJson } from '../json/json.ts';
import { refuses, type SchemaEvaluator } from '../model/schema-evaluator.ts';
import { MARK, MARK_LETTERS } from '../text/mark.ts';
import { alternativesTo } from './sample-value.ts';
import { briefly, waitingNames } from './short-waits.ts';
import { matchesPattern, type Random, textMatching } from './text-for-pattern.ts';
import { withUnlikelyIds } from './unlikely-ids.ts';

/** Each is validated with the whole input, unless all are valid together. */
const MAX_VARIED = 100;

/**
 * A variation of a known input with other texts, dates and numbers; the same `seed` gives the same values. A value
 * stays unchanged if the declared schema rejects its replacement, or if its parameter is `fixed`. Pure.
 */
export function variedInput(
  input: JsonObject,
  descriptor: JsonObject,
  seed: string,
  schemas: SchemaEvaluator,
  fixed: readonly string[] = [],
): JsonObject {
  const brief = briefly(descriptor);
  // A known input may wait for long, or leave that to the default: another value could take longer still.
  const isLong = refuses(schemas.foreign(ownProperty(brief, 'parameters') ?? {}), input);
  const [of, waits] = isLong ? [descriptor, waitingNames(descriptor)] : [brief, []];
  const same = new Set([...waits, ...fixed]);
  const parameters = ownProperty(of, 'parameters') ?? {};
  const properties = ownProperty(parameters, 'properties');
  const varied = Object.entries(input).map(([name, value]): [string, Json] => {
    const part = ownProperty(properties, name) ?? {};
    const random = randomFrom(`${seed}/${name}`);
    const place = { schema: part, name, root: parameters, random, depth: 0 };
    return [name, same.has(name) ? value : variedValue(value, place)];
  });
  const schema = schemas.foreign(parameters);
  const accepts = (made: Json): boolean => schema.kind === 'usable' && schema.apply(made).kind === 'valid';
  const whole = Object.fromEntries(varied);
  let kept = input;
  if (accepts(whole)) kept = whole;
  else
    for (const [name, value] of varied.slice(0, MAX_VARIED)) {
      const changed = { ...kept, [name]: value };
      if (accepts(changed)) kept = changed;
    }
  return withUnlikelyIds(kept, descriptor, schemas, (name) => randomFrom(`${seed}/${name}/id`), fixed);
}

interface Place {
  readonly schema: Json;
  readonly name: string;
  readonly root: Json;
  readonly random: Random;
  readonly depth: number;
}

const MAX_DEPTH = 6;

function variedValue(value: Json, place: Place): Json {
  const { random, depth, name, root } = place;
  const schema = targetOf(place.schema, root) ?? place.schema;
  if (depth > MAX_DEPTH || ownProperty(schema, 'const') !== undefined) return value;
  const choices = ownProperty(schema, 'enum');
  if (Array.isArray(choices)) return otherOf(choices as readonly Json[], value, random);
  if (typeof value === 'string') return variedText(value, schema, name, random);
  if (typeof value === 'number') return variedNumber(value, schema, name, random);
  if (isExactNumber(value)) return variedExactly(value, random);
  const within = (part: Json, of: Json = {}, key = name): Json =>
    variedValue(part, { ...place, schema: of, name: key, depth: depth + 1 });
  if (Array.isArray(value)) {
    const [first, ...rest] = value as readonly Json[];
    return first === undefined ? value : [within(first, ownProperty(schema, 'items')), ...rest];
  }
  if (!isJsonObject(value)) return value;
  const properties = ownProperty(schema, 'properties');
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, within(inner, ownProperty(properties, key), key)]),
  );
}

function otherOf(choices: readonly Json[], value: Json, random: Random): Json {
  const at = choices.findIndex((choice) => sameJson(choice, value));
  return choices[(at + 1 + random(Math.max(1, choices.length - 1))) % choices.length] ?? value;
}

export function randomFrom(seed: string): Random {
  let count = 0;
  return (below) => {
    count += 1;
    return createHash('sha256').update(`${seed}#${count}`).digest().readUIntBE(0, 6) % below;
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

function letters(length: number, random: Random): string {
  return Array.from({ length }, () => LETTERS[random(LETTERS.length)]).join('');
}

const MAX_OFFSET = 1_000_000;
const MAX_TEXT_LENGTH = 200;

/** Formats that are recognised even if no schema names them. */
const SHAPES: readonly (readonly [format: string, shape: RegExp])[] = [
  ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d/],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['time', /^\d\d:\d\d(:\d\d)?Z?$/],
  ['email', /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ['uri', /^https?:\/\/\S+$/],
  ['uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
];

function variedText(value: string, schema: Json, name: string, random: Random): string {
  const declared = ownProperty(schema, 'format');
  const format = typeof declared === 'string' ? declared : SHAPES.find(([, shape]) => shape.test(value))?.[0];
  const formatted = format === undefined ? undefined : textOfFormat(format, value, random);
  if (formatted !== undefined) return formatted;
  const known = alternativesTo(value, name);
  if (known.length > 0) return known[random(known.length)] ?? value;
  // A text that looks like a code keeps its shape: "AB-12" becomes "QX-83".
  const pattern = ownProperty(schema, 'pattern');
  const longest = Math.min(lengthAt(schema, 'maxLength') ?? MAX_TEXT_LENGTH, MAX_TEXT_LENGTH);
  const shortest = lengthAt(schema, 'minLength') ?? 0;
  const alike = sameLook(value, random);
  if (typeof pattern === 'string')
    return matchesPattern(alike, pattern)
      ? alike
      : (textMatching(pattern, random, { least: shortest, most: longest }) ?? value);
  if (/\d|[^\p{L}\s]/u.test(value)) return alike;
  const text = `${MARK}${letters(MARK_LETTERS, random)}`;
  if (text.length > longest) return letters(longest, random);
  return text.length < shortest ? text + letters(Math.min(shortest, longest) - text.length, random) : text;
}

function lengthAt(schema: Json, keyword: string): number | undefined {
  const length = ownProperty(schema, keyword);
  return typeof length === 'number' && Number.isInteger(length) && length >= 0 ? length : undefined;
}

function sameLook(value: string, random: Random): string {
  return value.replaceAll(/\p{Ll}|\p{Lu}|\d/gu, (character) => {
    if (/\d/.test(character)) return String(random(10));
    const letter = letters(1, random);
    return character === character.toLowerCase() ? letter : letter.toUpperCase();
  });
}

const DAY_MS = 86_400_000;
const MAX_DAYS = 300;

function textOfFormat(format: string, value: string, random: Random): string | undefined {
  const dayLater = (text: string): string => {
    const atMs = Date.parse(text);
    return Number.isNaN(atMs) ? text : new Date(atMs + (1 + random(MAX_DAYS)) * DAY_MS).toISOString();
  };
  switch (format) {
    case 'date-time':
      return dayLater(value).slice(0, 19) + value.slice(19);
    case 'date':
      return dayLater(value).slice(0, 10);
    case 'time':
      return value.replace(/^\d\d:\d\d/, `${two(random(24))}:${two(random(60))}`);
    case 'email':
    case 'idn-email':
      return `${letters(MARK_LETTERS, random)}@example.com`;
    case 'hostname':
      return `${letters(MARK_LETTERS, random)}.example.com`;
    case 'uri':
    case 'url':
      return value.replace(/[^/]*$/, letters(MARK_LETTERS, random));
    case 'uuid':
      return value.replaceAll(/[0-9a-f]/gi, (digit, at: number) =>
        // The digits of version and variant stay.
        at === 14 || at === 19 ? digit : random(16).toString(16),
      );
    case 'ipv4':
      return `192.0.2.${1 + random(254)}`;
    case 'ipv6':
      return `2001:db8::${(1 + random(65_000)).toString(16)}`;
    default:
      return undefined;
  }
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** Names of parameters for which a large number is refused or expensive. */
const SMALL_NUMBER =
  /(limit|page|offset|size|count|quantity|qty|num|days?|hours?|minutes?|seconds?|ms|month|year|age|percent|rate|lat|lon|lng|latitude|longitude|sides|dice|rolls|index|level|depth|priority|rating|stars|score|duration|timeout|delay|n)$/i;

export function isSmallNumber(name: string): boolean {
  return SMALL_NUMBER.test(name);
}

function variedNumber(value: number, schema: Json, name: string, random: Random): number {
  const step = numberAt(schema, 'multipleOf') ?? 1;
  const spread = isSmallNumber(name) ? 9 : 900;
  const least = isSmallNumber(name) ? 1 : 100;
  const most = numberAt(schema, 'maximum') ?? numberAt(schema, 'exclusiveMaximum') ?? Infinity;
  const raised = value + (least + random(spread)) * step;
  const room = Math.floor((most - value) / step) - (numberAt(schema, 'maximum') === undefined ? 1 : 0);
  const result = raised < most ? raised : value + (room > 0 ? 1 + random(room) : 0) * step;
  // Remove rounding errors: 0.1 + 0.2 is not a multiple of 0.1.
  return Number(result.toPrecision(12));
}

function variedExactly(value: ExactNumber, random: Random): Json {
  const whole = integerOf(value);
  return whole === null ? value : numberFrom(String(whole + BigInt(1 + random(MAX_OFFSET))));
}

function numberAt(schema: Json, keyword: string): number | undefined {
  const value = doubleOf(ownProperty(schema, keyword));
  return value !== undefined && (keyword !== 'multipleOf' || value > 0) ? value : undefined;
}
