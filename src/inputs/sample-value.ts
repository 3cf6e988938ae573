import { requiredNames, typesOf } from '../checks/capabilities/descriptor.ts';
import { targetOf } from '../checks/json/local-reference.ts';
import { doubleOf } from '../json/exact-number.ts';
import { type Json, ownItems, ownProperty, ownText } from '../json/json.ts';
import { inDecimals } from './scalar-arbitraries.ts';
import {
  type MatchingBudget,
  matchesPattern,
  matchingBudget,
  type Random,
  textMatching,
} from './text-for-pattern.ts';

const MAX_DEPTH = 8;
/** Nested lists multiply; a schema that needs more values gets fewer, which the target may refuse. */
const MAX_VALUES = 2000;

interface Budget extends MatchingBudget {
  values: number;
}

/** More parameters share the steps of so many: each may refer to the same large schema. */
const MAX_WHOLE_BUDGETS = 50;

/** For one of so many parameters. */
export function sampleBudget(parameters = 1): Budget {
  const share = Math.min(1, MAX_WHOLE_BUDGETS / parameters);
  return { values: Math.ceil(share * MAX_VALUES), steps: Math.ceil(share * matchingBudget().steps) };
}

const MAX_SAMPLE_LENGTH = 1000;

const STRING_BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  duration: 'PT1M',
  email: 'someone@example.com',
  'idn-email': 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  'uri-reference': '/example',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

/** A value that the schema should accept. Deterministic: the same schema gives the same value. */
export function sampleValue(
  schema: Json,
  name: string,
  root: Json,
  depth = 0,
  budget: Budget = sampleBudget(),
): Json {
  budget.values -= 1;
  if (budget.values < 0) return null;
  const given = givenValue(schema);
  if (given !== undefined) return given;
  if (depth > MAX_DEPTH) return null;
  const inner = (part: Json = {}, of = name): Json => sampleValue(part, of, root, depth + 1, budget);
  const target = targetOf(schema, root);
  if (target !== undefined) return inner(target);
  const [first] = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => ownItems(schema, keyword));
  if (first !== undefined && ownProperty(schema, 'type') === undefined) return inner(first);
  const type = typesOf(schema)?.[0] ?? typeFromName(name);
  switch (type) {
    case 'integer':
    case 'number':
      return sampleNumber(schema, type === 'integer');
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array': {
      const count = Math.min(numberAt(schema, 'minItems') ?? 1, numberAt(schema, 'maxItems') ?? 20, 20);
      return Array.from({ length: count }, () => inner(ownProperty(schema, 'items'), singular(name)));
    }
    case 'object': {
      const properties = ownProperty(schema, 'properties');
      const names = requiredNames(schema);
      return Object.fromEntries(names.map((key) => [key, inner(ownProperty(properties, key), key)]));
    }
    default:
      return sampleString(schema, name, budget);
  }
}

/** What the schema itself offers: a constant, an example, a default, the first of a list. */
export function givenValue(schema: Json): Json | undefined {
  const constant = ownProperty(schema, 'const');
  if (constant !== undefined) return constant;
  const [example] = ownItems(schema, 'examples');
  const candidates = [example, ownProperty(schema, 'example'), ownProperty(schema, 'default')];
  const [choice] = ownItems(schema, 'enum');
  return candidates.find((candidate) => candidate !== undefined) ?? choice;
}

function numberAt(schema: Json, keyword: string): number | undefined {
  return doubleOf(ownProperty(schema, keyword));
}

/** The number nearest to 1 within all bounds, preferably above it. */
function sampleNumber(schema: Json, whole: boolean): number {
  const [above, below] = [numberAt(schema, 'exclusiveMinimum'), numberAt(schema, 'exclusiveMaximum')];
  const low = Math.max(numberAt(schema, 'minimum') ?? -Infinity, above ?? -Infinity);
  const high = Math.min(numberAt(schema, 'maximum') ?? Infinity, below ?? Infinity);
  const step = numberAt(schema, 'multipleOf') ?? (whole ? 1 : 0);
  if (step > 0) {
    const first = low === above ? Math.floor(low / step) + 1 : Math.ceil(low / step);
    const last = high === below ? Math.ceil(high / step) - 1 : Math.floor(high / step);
    return inDecimals(Math.min(Math.max(Math.ceil(1 / step), first), last) * step);
  }
  const wanted = Math.min(Math.max(1, low), high);
  if (wanted !== above && wanted !== below) return wanted;
  if (Number.isFinite(low) && Number.isFinite(high)) return low + (high - low) / 2;
  return wanted === above ? wanted + 1 : wanted - 1;
}

/** Cycles through the choices, so that a sample is varied and always the same. */
function inTurn(): Random {
  let next = 0;
  return (below) => {
    next += 1;
    return next % below;
  };
}

function sampleString(schema: Json, name: string, budget: Budget): string {
  const format = ownText(schema, 'format') ?? '';
  const ofFormat = Object.hasOwn(STRING_BY_FORMAT, format) ? STRING_BY_FORMAT[format] : undefined;
  const text = ofFormat ?? stringFromName(name);
  const least = Math.min(numberAt(schema, 'minLength') ?? 0, MAX_SAMPLE_LENGTH);
  const most = numberAt(schema, 'maxLength') ?? MAX_SAMPLE_LENGTH;
  const pattern = ownProperty(schema, 'pattern');
  if (typeof pattern === 'string') {
    const isUsual = text.length >= least && text.length <= most && matchesPattern(text, pattern);
    const fitting = isUsual ? text : textMatching(pattern, inTurn(), { least, most }, budget);
    if (fitting !== null) return fitting;
  }
  return text.padEnd(least, 'x').slice(0, most);
}

/** Words in key names that suggest the type of the value; form A has only names. */
const TYPE_HINTS: readonly (readonly [pattern: RegExp, type: string])[] = [
  [
    /^(is|has|can|should|enable|include|with)([_-]|[A-Z])|(enabled|disabled|flag|verbose|recursive|dry_?run)$/,
    'boolean',
  ],
  [/^(a|b|c|x|y|z|n|m|i|j|k|p|r)$/, 'number'],
  [
    /^(count|number|num|amount|size|limit|offset|page|quantity|qty|total|width|height|depth|length|age|year|month|day|hours?|minutes?|seconds?|ms|millis|price|cost|cents|percent|rate|ratio|score|temperature|lat|latitude|lon|lng|longitude|radius|distance|weight|index|precision|min|max|minimum|maximum|dividend|divisor|numerator|denominator|base|exponent|left|right|first|second|duration|timeout|delay|seed|port)$/i,
    'number',
  ],
  [/^(items|list|tags|values|numbers|names|ids|array|keys|rows|lines|words|elements)$/i, 'array'],
  [
    /^(options|config|settings|filters?|payload|metadata|attributes|params|parameters|object|order|address|record|data)$/i,
    'object',
  ],
];

function typeFromName(name: string): string {
  const word = lastWord(name);
  return TYPE_HINTS.find(([pattern]) => pattern.test(name) || pattern.test(word))?.[1] ?? 'string';
}

/** "cents" for "unitPriceCents". Only a whole word counts: "message" does not contain "age". */
function lastWord(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/);
  return words.at(-1)?.toLowerCase() ?? name;
}

const CITIES = ['Paris', 'London', 'Berlin', 'Tokyo', 'Madrid'] as const;
const COUNTRIES = ['FR', 'GB', 'DE', 'JP', 'ES'] as const;
const LANGUAGES = ['en', 'fr', 'de', 'es'] as const;
const CURRENCIES = ['EUR', 'USD', 'GBP', 'JPY'] as const;
const TIME_ZONES = ['UTC', 'Europe/Paris', 'Asia/Tokyo', 'America/New_York'] as const;
const KNOWN_VALUES: readonly (readonly string[])[] = [CITIES, COUNTRIES, LANGUAGES, CURRENCIES, TIME_ZONES];

/** Other values that a server most likely knows too; empty for an unknown value. */
export function alternativesTo(value: string, name: string): readonly string[] {
  if (stringFromName(name) === GENERIC_TEXT) return [];
  return KNOWN_VALUES.find((known) => known.includes(value))?.filter((other) => other !== value) ?? [];
}

const STRING_HINTS: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/e?mail/i, STRING_BY_FORMAT.email as string],
  [/(url|uri|link|href|website)$/i, STRING_BY_FORMAT.uri as string],
  [/(timestamp|datetime|date_?time)$|_at$/i, STRING_BY_FORMAT['date-time'] as string],
  [/(date|day)$/i, STRING_BY_FORMAT.date as string],
  [/uuid|guid/i, STRING_BY_FORMAT.uuid as string],
  [/(city|location|place)$/i, CITIES[0]],
  [/country/i, COUNTRIES[0]],
  [/(language|locale|lang)$/i, LANGUAGES[0]],
  [/currency/i, CURRENCIES[0]],
  [/(time_?zone|tz)$/i, TIME_ZONES[0]],
];

const GENERIC_TEXT = 'probity';

function stringFromName(name: string): string {
  return STRING_HINTS.find(([pattern]) => pattern.test(name))?.[1] ?? GENERIC_TEXT;
}

function singular(name: string): string {
  return /^numbers$|^values$/i.test(name) ? 'number' : name.replace(/s$/, '');
}
