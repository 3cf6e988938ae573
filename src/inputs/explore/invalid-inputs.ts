import { isJsonObject, itemsOf, type Json, type JsonObject } from '../../json/json.ts';
import { alternativesOf, type Conjunction } from '../alternatives.ts';
import {
  boundOf,
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
}

/**
 * Variations of a valid input, each of which breaks one rule of the schema. A few break none, so that the caller
 * validates each. Each list is for one parameter. Pure.
 */
export function invalidInputs(parameters: Json, base: JsonObject): readonly (readonly JsonObject[])[] {
  const making: Making = { root: parameters, left: edgeBudget() };
  const found = alternativesOf(parameters, parameters).map((all) => wrongMembers(all, base, making, 0));
  return found.flat();
}

function wrongMembers(
  all: Conjunction,
  base: JsonObject,
  making: Making,
  depth: number,
): readonly (readonly JsonObject[])[] {
  const names = memberNames(all, base);
  const ofMembers = names.map((name) => {
    const without = Object.fromEntries(Object.entries(base).filter(([other]) => other !== name));
    const wrong = wrongValues(propertyTogether(all, name), base[name], making, depth + 1);
    return [...wrong.map((value) => ({ ...base, [name]: value })), without];
  });
  return [
    ...ofMembers,
    [
      { ...base, x: 1 },
      { ...base, probity: 'a' },
    ],
  ];
}

function wrongValues(schema: Json, value: Json | undefined, making: Making, depth: number): readonly Json[] {
  const { root, left } = making;
  return alternativesOf(schema, root, left).flatMap((all) => {
    left.values -= 1;
    if (left.values < 0) return [];
    const values = [...brokenRules(all, value, making, depth), ...otherTypes(all)];
    left.values -= values.length;
    return values;
  });
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

function brokenRules(
  all: Conjunction,
  value: Json | undefined,
  making: Making,
  depth: number,
): readonly Json[] {
  const listed = listedValues(all);
  if (listed !== null)
    return listed
      .slice(0, 2)
      .flatMap((one) => (typeof one === 'string' ? [`${one}a`, '', one.toUpperCase()] : []));
  const types = typesTogether(all) ?? [];
  return types.flatMap((type): readonly Json[] => {
    if (type === 'string') return brokenTexts(all, value);
    if (type === 'number' || type === 'integer') return brokenNumbers(all, type === 'integer');
    if (type === 'array') return brokenLists(all, value, making, depth);
    if (type !== 'object' || depth > MAX_DEPTH || !isJsonObject(value)) return [];
    return wrongMembers(all, value, making, depth).flat();
  });
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

function brokenLists(
  all: Conjunction,
  value: Json | undefined,
  making: Making,
  depth: number,
): readonly Json[] {
  const items = itemsOf(value);
  const least = boundOf(all, 'minItems', 'largest');
  const most = boundOf(all, 'maxItems', 'smallest');
  const [first = 'a'] = items;
  const isUnique = valuesOf(all, 'uniqueItems').includes(true);
  const wrong = depth > MAX_DEPTH ? [] : wrongValues(itemTogether(all, 0), items[0], making, depth + 1);
  return [
    ...(least === undefined || least < 1 ? [] : [items.slice(0, least - 1)]),
    ...(most === undefined || most > MAX_ITEMS
      ? []
      : [Array.from({ length: most + 1 }, (_, index) => (isUnique ? numberedItem(first, index) : first))]),
    ...(isUnique ? [[first, first]] : []),
    ...wrong.map((one) => [...items.slice(1), one]),
  ];
}
