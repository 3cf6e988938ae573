import { isJsonObject, type Json, ownProperty } from '../../json/json.ts';
import {
  alternativesOf,
  boundOf,
  type Conjunction,
  countsOf,
  itemTogether,
  listedValues,
  memberNames,
  propertyTogether,
  typesTogether,
  valuesOf,
} from '../keywords-together.ts';
import { sampleValue } from '../sample-value.ts';
import { inDecimals } from '../scalar-arbitraries.ts';
import { type MatchingBudget, matchingBudget } from '../text-for-pattern.ts';
import { isSmallNumber } from '../vary-input.ts';
import { alternately, firstOf } from './alternately.ts';
import { edgeTexts } from './edge-texts.ts';

const MAX_DEPTH = 3;
const MAX_LISTED = 60;
const MAX_ITEMS = 1000;
/** Of the values of an item, a list is made of each. */
const MAX_ITEM_EDGES = 12;
const MAX_MEMBERS = 100;
/** Members of members with alternatives multiply. */
const MAX_VALUES = 20_000;
/** Each edge of a member is in a copy of its object, which may have thousands of members. */
const MAX_COPIED_MEMBERS = 50_000;

/** The values that may still be made, the members of their objects, and the parts of schemas looked at for them. */
export interface EdgeBudget extends MatchingBudget {
  values: number;
  members: number;
  parts: number;
}

export function edgeBudget(): EdgeBudget {
  return { values: MAX_VALUES, members: MAX_COPIED_MEMBERS, parts: MAX_VALUES, ...matchingBudget() };
}

/**
 * Values at which handlers often fail: bounds and their neighbours, zero, empty, very long, not ASCII, repeated. Some
 * are invalid, so that the caller validates each. Likely ones come first. Pure.
 */
export function edgeValues(
  schema: Json,
  name: string,
  root: Json,
  left = edgeBudget(),
  depth = 0,
): readonly Json[] {
  return alternativesOf(schema, root, left).flatMap((all) => {
    left.values -= 1;
    if (left.values < 0) return [];
    const values = edgesOf(all, { name, root, left, depth });
    left.values -= values.length;
    return values;
  });
}

interface Place {
  readonly name: string;
  readonly root: Json;
  readonly left: EdgeBudget;
  readonly depth: number;
}

const MAX_SAMPLED = 500;

function sampled(schema: Json, name: string, { root, left }: Place): Json {
  const most = Math.min(MAX_SAMPLED, left.values);
  const own = { ...left, values: most };
  const value = sampleValue(schema, name, root, 0, own);
  left.values -= most - Math.max(0, own.values);
  left.steps = own.steps;
  return value;
}

function edgesOf(all: Conjunction, place: Place): readonly Json[] {
  const listed = listedValues(all);
  if (listed !== null) return listed.slice(0, MAX_LISTED);
  const types = typesTogether(all) ?? ['string', 'integer', 'boolean', 'null'];
  return types.flatMap((type): readonly Json[] => {
    switch (type) {
      case 'string':
        return edgeTexts(all, place.left);
      case 'integer':
      case 'number':
        return edgeNumbers(all, type === 'integer', place.name);
      case 'boolean':
        return [false, true];
      case 'null':
        return [null];
      case 'array':
        return place.depth > MAX_DEPTH ? [[]] : edgeLists(all, place);
      default:
        return place.depth > MAX_DEPTH ? [{}] : edgeObjects(all, place);
    }
  });
}

const BIG = 2 ** 31;
const THOUSAND = 1000;
/** In the order in which they find most faults. Of two that are alike, such as 100 and 101, only one. */
const WHOLE = [
  ...[THOUSAND, Number.MAX_SAFE_INTEGER, -BIG - 1, 1, 2, BIG - 1, 256, 100, 2 ** 32],
  ...[-Number.MAX_SAFE_INTEGER, 10, 12, 60, 65_536, 1e6, 1e9, 1e21],
];
const FRACTIONS = [0.5, 0.1, 1.5, -0.5, 0.30000000000000004, 1e-7, 1.5e300, -1.5e300, 99.99, 5e-324];

/** Both ends and beside them; zero, negative, large and in parts. */
function edgeNumbers(all: Conjunction, isWhole: boolean, name: string): readonly number[] {
  const steps = valuesOf(all, 'multipleOf').filter((value) => typeof value === 'number');
  const step = steps[0] ?? 1;
  const lows = ['minimum', 'exclusiveMinimum'].flatMap((keyword) => boundOf(all, keyword, 'largest') ?? []);
  const highs = ['maximum', 'exclusiveMaximum'].flatMap((keyword) => boundOf(all, keyword, 'smallest') ?? []);
  const [low] = lows;
  const [high] = highs;
  const middle = low === undefined || high === undefined ? [] : [Math.floor((low + high) / 2)];
  const beside = [
    ...lows.map((bound) => inDecimals(bound + step)),
    ...highs.map((bound) => inDecimals(bound - step)),
  ];
  const [half, ...parts] = isWhole ? [] : FRACTIONS;
  const bySteps =
    steps.length === 0 ? [] : [BIG, ...WHOLE].map((value) => inDecimals(Math.ceil(value / step) * step));
  const others = [...WHOLE, ...parts, ...middle, ...bySteps];
  return [
    ...lows,
    ...(high === undefined ? [BIG] : highs),
    0,
    -1,
    ...(half === undefined ? [] : [half]),
    ...beside,
    ...others,
  ].filter((value) => high !== undefined || Math.abs(value) <= mostOf(name));
}

/** A count or a time may have no declared maximum although a large one is a lot of work, or a long wait. */
function mostOf(name: string): number {
  if (WAITED.test(name)) return 2;
  return isSmallNumber(name) ? THOUSAND : Number.POSITIVE_INFINITY;
}

const WAITED = /(hours?|minutes?|seconds?|ms|millis|duration|timeout|delay|wait)$/i;

/** Counts around which lists are cut into pages or batches. */
const COUNTS = [2, 3, 10, 11, 20, 21, 50, 51, 100, 101, 1000];

function edgeLists(all: Conjunction, place: Place): readonly Json[] {
  const { name, root, left, depth } = place;
  const { least, most } = countsOf(all, 'minItems', 'maxItems', MAX_ITEMS);
  const item = itemTogether(all, 0);
  const usual = sampled(item, name, place);
  const edges = edgeValues(item, name, root, left, depth + 1).slice(0, MAX_ITEM_EDGES);
  const other = edges.find((value) => JSON.stringify(value) !== JSON.stringify(usual)) ?? usual;
  const isUnique = valuesOf(all, 'uniqueItems').includes(true);
  const numbered = (count: number): Json[] =>
    Array.from({ length: count }, (_, index) => (isUnique ? numberedItem(usual, index) : usual));
  const ownMembers = isUnique && isJsonObject(usual) ? Object.keys(usual).length : 0;
  const longest = Math.min(MAX_ITEMS, left.members / ownMembers);
  const counts = [...new Set([least, most, most - 1, ...COUNTS])].filter(
    (count) => count > 0 && count >= least && count <= Math.min(most, longest),
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

export function numberedItem(usual: Json, index: number): Json {
  if (typeof usual === 'number') return usual + index;
  if (typeof usual === 'string') return index === 0 ? usual : `${usual}${index}`;
  if (!isJsonObject(usual)) return usual;
  const members = Object.entries(usual);
  return Object.fromEntries(
    members.map(([key, value]) => [key, isJsonObject(value) ? value : numberedItem(value, index)]),
  );
}

function edgeObjects(all: Conjunction, place: Place): readonly Json[] {
  const { name, root, left, depth } = place;
  const usual = sampled({ allOf: [...all] }, name, place);
  const base = isJsonObject(usual) ? usual : {};
  const names = memberNames(all, base).slice(0, MAX_MEMBERS);
  const size = 1 + Object.keys(base).length;
  const copies = alternately(
    names.map(function* (key): Generator<Json> {
      yield Object.fromEntries(Object.entries(base).filter(([other]) => other !== key));
      for (const value of edgeValues(propertyTogether(all, key), key, root, left, depth + 1))
        yield { ...base, [key]: value };
    }),
  );
  const varied = firstOf(copies, Math.floor(left.members / size));
  left.members -= size * varied.length;
  const onlyOne = names.map((key) => ({
    [key]: ownProperty(base, key) ?? sampled(propertyTogether(all, key), key, place),
  }));
  return [{}, base, ...onlyOne, ...varied];
}
