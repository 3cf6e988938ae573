import { isJsonObject, itemsOf, type Json, type JsonObject } from '../../json/json.ts';
import {
  alternativesOf,
  boundOf,
  type Conjunction,
  itemTogether,
  listedValues,
  memberNames,
  propertyTogether,
  typesTogether,
  valuesOf,
} from '../keywords-together.ts';
import { inDecimals } from '../scalar-arbitraries.ts';
import { type EdgeBudget, edgeBudget, numberedItem } from './edge-values.ts';

const MAX_DEPTH = 2;
const MAX_LENGTH = 20_000;
const MAX_ITEMS = 1000;

interface Making {
  readonly root: Json;
  readonly left: EdgeBudget;
  readonly depth: number;
}

/**
 * Variations of a valid input, each of which breaks one rule of the schema. A few break none, so that the caller
 * validates each. Each list is for one parameter, and is made while it is read: each variation is as large as the input, so
 * that all of them grow with the square of its size. Pure.
 */
export function invalidInputs(parameters: Json, base: JsonObject): readonly Iterable<JsonObject>[] {
  const making: Making = { root: parameters, left: edgeBudget(), depth: 0 };
  return alternativesOf(parameters, parameters).flatMap((all) => wrongMembers(all, base, making));
}

function wrongMembers(all: Conjunction, base: JsonObject, making: Making): readonly Iterable<JsonObject>[] {
  const ofEach = memberNames(all, base).map(function* (name): Generator<JsonObject> {
    for (const value of wrongParts(propertyTogether(all, name), base[name], making))
      yield { ...base, [name]: value };
    yield Object.fromEntries(Object.entries(base).filter(([other]) => other !== name));
  });
  const withUnknown = [
    { ...base, x: 1 },
    { ...base, probity: 'a' },
  ];
  return [...ofEach, withUnknown];
}

/** Of a member or an item. */
function* wrongParts(schema: Json, value: Json | undefined, outer: Making): Generator<Json> {
  const making = { ...outer, depth: outer.depth + 1 };
  const { root, left } = making;
  for (const all of alternativesOf(schema, root, left)) {
    left.values -= 1;
    for (const wrong of [brokenRules(all, value, making), otherTypes(all)])
      for (const one of wrong) {
        if (left.values < 0) return;
        left.values -= 1;
        yield one;
      }
  }
}

/** A value of another type, which no lenient parser turns into the declared one. */
function otherTypes(all: Conjunction): readonly Json[] {
  // OpenAPI 3.0 declares null beside the type.
  const isNullable = valuesOf(all, 'nullable').includes(true);
  const declared = typesTogether(all) ?? [];
  const types: readonly string[] = isNullable ? [...declared, 'null'] : declared;
  if (declared.length === 0) return [];
  // Lenient parsers turn scalars into texts.
  if (types.includes('string')) return types.includes('array') ? [] : [[]];
  const values: readonly (readonly [string, Json])[] = [
    ['string', 'a'],
    ['number', 1],
    ['boolean', true],
    ['null', null],
    ['array', []],
    ['object', {}],
  ];
  return values.flatMap(([type, value]) =>
    types.some((own) => own === type || (own === 'integer' && type === 'number')) ? [] : [value],
  );
}

function* brokenRules(all: Conjunction, value: Json | undefined, making: Making): Generator<Json> {
  const listed = listedValues(all);
  if (listed !== null) {
    for (const one of listed.slice(0, 2))
      if (typeof one === 'string') yield* [`${one}a`, '', one.toUpperCase()];
    return;
  }
  for (const type of typesTogether(all) ?? []) {
    if (type === 'string') yield* brokenTexts(all, value);
    if (type === 'number' || type === 'integer') yield* brokenNumbers(all, type === 'integer');
    if (type === 'array') yield* brokenLists(all, value, making);
    if (type !== 'object' || making.depth > MAX_DEPTH || !isJsonObject(value)) continue;
    for (const list of wrongMembers(all, value, making)) yield* list;
  }
}

function brokenNumbers(all: Conjunction, isWhole: boolean): readonly number[] {
  const of = (keyword: string, strictest: 'largest' | 'smallest', change: number): readonly number[] => {
    const bound = boundOf(all, keyword, strictest);
    return bound === undefined ? [] : [bound + change];
  };
  const steps = valuesOf(all, 'multipleOf').filter((step) => typeof step === 'number');
  const [low = 0] = of('minimum', 'largest', 0);
  return [
    ...of('minimum', 'largest', -1),
    ...of('maximum', 'smallest', 1),
    ...of('exclusiveMinimum', 'largest', 0),
    ...of('exclusiveMaximum', 'smallest', 0),
    ...steps.map((step) => inDecimals(Math.ceil(low / step) * step + step / 2)),
    ...(isWhole ? [Math.ceil(low) + 0.5] : []),
  ];
}

function brokenTexts(all: Conjunction, value: Json | undefined): readonly string[] {
  const least = boundOf(all, 'minLength', 'largest');
  const most = boundOf(all, 'maxLength', 'smallest');
  const hasPattern = valuesOf(all, 'pattern').length > 0;
  return [
    ...(least === undefined || least < 1 || least > MAX_LENGTH ? [] : ['a'.repeat(least - 1)]),
    ...(most === undefined || most > MAX_LENGTH ? [] : ['a'.repeat(most + 1)]),
    // A pattern without anchors also accepts a text that only contains a match.
    ...(hasPattern && typeof value === 'string' ? [`${value}a`, `a${value}`, `${value}\n`] : []),
    ...(hasPattern ? ['', '!', 'a', '0', ' ', '\n'] : []),
  ];
}

function* brokenLists(all: Conjunction, value: Json | undefined, making: Making): Generator<Json> {
  const items = itemsOf(value);
  const least = boundOf(all, 'minItems', 'largest');
  const most = boundOf(all, 'maxItems', 'smallest');
  const [first = 'a'] = items;
  const isUnique = valuesOf(all, 'uniqueItems').includes(true);
  if (least !== undefined && least >= 1) yield items.slice(0, least - 1);
  if (most !== undefined && most <= MAX_ITEMS)
    yield Array.from({ length: most + 1 }, (_, index) => (isUnique ? numberedItem(first, index) : first));
  if (isUnique) yield [first, first];
  if (making.depth > MAX_DEPTH) return;
  for (const one of wrongParts(itemTogether(all, 0), items[0], making)) yield [...items.slice(1), one];
}
