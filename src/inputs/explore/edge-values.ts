import { isJsonObject, type Json, ownProperty } from '../../model/json.ts';
import { alternativesOf, type Conjunction } from '../alternatives.ts';
import {
  boundOf,
  countsOf,
  itemTogether,
  listedValues,
  memberNames,
  propertyTogether,
  typesTogether,
  valuesOf,
} from '../keywords-together.ts';
import { inDecimals } from '../number-arbitrary.ts';
import { sampleValue } from '../sample-value.ts';
import { edgeTexts } from './edge-texts.ts';

const MAX_DEPTH = 3;
const MAX_LISTED = 60;
const MAX_ITEMS = 1000;
/** Of the values of an item, a list is made of each. */
const MAX_ITEM_EDGES = 12;

/**
 * Values at which handlers often fail: bounds and their neighbours, zero, empty, very long, not ASCII, repeated. Some
 * are invalid, so that the caller validates each. Likely ones come first. Pure.
 */
export function edgeValues(schema: Json, name: string, root: Json, depth = 0): readonly Json[] {
  return alternativesOf(schema, root).flatMap((all) => edgesOf(all, name, root, depth));
}

function edgesOf(all: Conjunction, name: string, root: Json, depth: number): readonly Json[] {
  const listed = listedValues(all);
  if (listed !== null) return listed.slice(0, MAX_LISTED);
  const types = typesTogether(all) ?? ['string', 'integer', 'boolean', 'null'];
  return types.flatMap((type): readonly Json[] => {
    switch (type) {
      case 'string':
        return edgeTexts(all);
      case 'integer':
      case 'number':
        return edgeNumbers(all, type === 'integer');
      case 'boolean':
        return [false, true];
      case 'null':
        return [null];
      case 'array':
        return depth > MAX_DEPTH ? [[]] : edgeLists(all, name, root, depth);
      default:
        return depth > MAX_DEPTH ? [{}] : edgeObjects(all, name, root, depth);
    }
  });
}

const WHOLE = [
  0,
  1,
  -1,
  2,
  100,
  101,
  255,
  256,
  1000,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  -Number.MAX_SAFE_INTEGER,
  10,
  12,
  60,
  65_536,
  1e6,
  1e9,
  1e21,
];
const FRACTIONS = [0.1, 0.5, 1.5, -0.5, 0.30000000000000004, 1e-7, 1.5e300, -1.5e300, 99.99, 5e-324];

function edgeNumbers(all: Conjunction, isWhole: boolean): readonly number[] {
  const steps = valuesOf(all, 'multipleOf').filter((value) => typeof value === 'number');
  const step = steps[0] ?? 1;
  const lows = ['minimum', 'exclusiveMinimum'].flatMap((keyword) => boundOf(all, keyword, 'largest') ?? []);
  const highs = ['maximum', 'exclusiveMaximum'].flatMap((keyword) => boundOf(all, keyword, 'smallest') ?? []);
  const [low] = lows;
  const [high] = highs;
  const middle = low === undefined || high === undefined ? [] : [Math.floor((low + high) / 2)];
  const near = [
    ...lows.flatMap((bound) => [bound, inDecimals(bound + step)]),
    ...highs.flatMap((bound) => [bound, inDecimals(bound - step)]),
  ];
  const [zero, one, minus, ...others] = WHOLE;
  const fractions = isWhole ? [] : FRACTIONS;
  const bySteps = steps.length === 0 ? [] : others.map((value) => inDecimals(Math.ceil(value / step) * step));
  return [
    zero as number,
    ...near,
    one as number,
    minus as number,
    ...fractions.slice(0, 2),
    ...others,
    ...fractions.slice(2),
    ...middle,
    ...bySteps,
  ];
}

/** Counts around which lists are cut into pages or batches. */
const COUNTS = [2, 3, 10, 11, 20, 21, 50, 51, 100, 101, 1000];

function edgeLists(all: Conjunction, name: string, root: Json, depth: number): readonly Json[] {
  const { least, most } = countsOf(all, 'minItems', 'maxItems', MAX_ITEMS);
  const item = itemTogether(all, 0);
  const usual = sampleValue(item, name, root);
  const edges = edgeValues(item, name, root, depth + 1).slice(0, MAX_ITEM_EDGES);
  const other = edges.find((value) => JSON.stringify(value) !== JSON.stringify(usual)) ?? usual;
  const isUnique = valuesOf(all, 'uniqueItems').includes(true);
  const numbered = (count: number): Json[] =>
    Array.from({ length: count }, (_, index) => (isUnique ? numberedItem(usual, index) : usual));
  const counts = [...new Set([least, most, most - 1, ...COUNTS])].filter(
    (count) => count > 0 && count >= least && count <= Math.min(most, MAX_ITEMS),
  );
  return [
    [],
    [usual],
    ...(isUnique ? [] : [[usual, usual]]),
    [usual, other],
    [other, usual],
    ...edges.map((value) => [value]),
    ...edges.map((value) => [usual, value]),
    ...counts.map(numbered),
  ];
}

/** Items that differ from each other. */
export function numberedItem(usual: Json, index: number): Json {
  if (typeof usual === 'number') return usual + index;
  if (typeof usual === 'string') return index === 0 ? usual : `${usual}${index}`;
  if (!isJsonObject(usual)) return usual;
  return Object.fromEntries(
    Object.entries(usual).map(([key, value]) => [
      key,
      isJsonObject(value) ? value : numberedItem(value, index),
    ]),
  );
}

function edgeObjects(all: Conjunction, name: string, root: Json, depth: number): readonly Json[] {
  const usual = sampleValue({ allOf: [...all] }, name, root);
  const base = isJsonObject(usual) ? usual : {};
  const names = memberNames(all, base);
  const varied = names.flatMap((key): readonly Json[] => {
    const without = Object.fromEntries(Object.entries(base).filter(([other]) => other !== key));
    const edges = edgeValues(propertyTogether(all, key), key, root, depth + 1);
    return [without, ...edges.map((value) => ({ ...base, [key]: value }))];
  });
  const onlyOne = names.map((key) => {
    const value = ownProperty(base, key) ?? sampleValue(propertyTogether(all, key), key, root);
    return { [key]: value };
  });
  return [{}, base, ...onlyOne, ...varied];
}
