import { sample } from 'fast-check';
import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ownProperty,
  sameJson,
} from '../../json/json.ts';
import { refuses, type SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { arbitraryOf } from '../arbitrary-of-schema.ts';
import {
  alternativesOf,
  listedValues,
  memberNames,
  propertyTogether,
  typesTogether,
  valuesOf,
} from '../keywords-together.ts';
import { sampleValue } from '../sample-value.ts';
import { withShortInput, withShortWaits } from '../short-waits.ts';
import { alternately, firstOf } from './alternately.ts';
import { type EdgeBudget, edgeBudget, edgeValues } from './edge-values.ts';
import { invalidInputs } from './invalid-inputs.ts';

export interface Exploration {
  readonly proven: JsonObject;
  /** Tried first: inputs that showed a fault before. */
  readonly first: readonly JsonObject[];
  readonly seed: number;
  readonly valid: number;
  readonly invalid: number;
  /** Maximum number of valid ones with all values of each enumeration, if these are more. */
  readonly listed: number;
}

/** Shares of the valid inputs. */
const RANDOM_SHARE = 0.2;
const TOGETHER_SHARE = 0.2;
const RANDOM_PER_WANTED = 3;
/** Descriptors may declare thousands of parameters, and each value is validated. */
const MAX_PARAMETERS = 40;
const MAX_CANDIDATES = 4000;
const MAX_CANDIDATE_CHARACTERS = 10_000_000;

/**
 * Inputs to find faults with, the likeliest first: edges of one parameter at a time, of several at once, and random
 * ones. The same seed gives the same inputs. Empty if the schema cannot be applied. Pure.
 */
export function exploringInputs(
  parameters: Json,
  exploration: Exploration,
  schemas: SchemaEvaluator,
): { readonly valid: Iterable<JsonObject>; readonly invalid: Iterable<JsonObject> } {
  // Two uses, so that costly valid inputs leave steps for the invalid ones.
  const brief = withShortWaits(parameters);
  const [one, other] = [schemas.foreign(brief), schemas.foreign(parameters)];
  if (one.kind !== 'usable' || other.kind !== 'usable') return { valid: [], invalid: [] };
  const short = withShortInput(exploration.proven, parameters);
  // Other parts of the schema may demand a long wait.
  const isBrief = !refuses(one, short) || refuses(other, exploration.proven);
  const proven = isBrief ? short : exploration.proven;
  // What showed a fault before is called as it was, for however long that takes.
  const first = exploration.first.map((input) => (input === exploration.proven ? proven : input));
  const briefly = { ...exploration, proven, first };
  return {
    valid: validInputs(
      isBrief ? brief : parameters,
      briefly,
      (input) => (isBrief && !first.includes(input) ? one : other).apply(input).kind === 'valid',
    ),
    invalid: wrongInputs(parameters, briefly, (input) => other.apply(input).kind === 'invalid'),
  };
}

type Fits = (input: JsonObject) => boolean;

function* validInputs(
  parameters: Json,
  { proven, first, seed, valid, listed }: Exploration,
  fits: Fits,
): Generator<JsonObject> {
  // What the function accepted is called again only if it is wanted, or if there is nothing else.
  const isWanted = first.some((input) => sameJson(input, proven));
  const taken = new Set<string>(isWanted ? [] : [canonicalJson(proven)]);
  const most = valid + taken.size;
  const shapes = withAndWithoutOptional(parameters, proven);
  yield* added(taken, [...first, shapes.complete, shapes.least], fits, most);
  const edges = edgesByParameter(parameters, proven);
  const lists = listsIn(edges, parameters);
  const longest = Math.max(0, ...[...lists.values()].map((list) => list.length));
  const ofLists = (count: number) => withLists(lists, proven, longest, Math.min(count, MAX_WITH_LISTS));
  const single = () =>
    alternately([...edges].map(([name, { values }]) => withEach(name, values, [proven, shapes.least])));
  const mixed = [ofLists(longest * longest), withNumbers(edges, proven, fits), single(), shapes.others];
  const [random, several] = [Math.floor(valid * RANDOM_SHARE), Math.floor(valid * TOGETHER_SHARE)];
  yield* added(taken, alternately(mixed), fits, most - random - several);
  yield* added(taken, ofLists(longest), fits, Math.max(most, listed));
  yield* added(taken, together(edges, proven), fits, most - random);
  const mostRandom = Math.min(most, taken.size + random);
  yield* added(taken, randomInputs(parameters, seed, random * RANDOM_PER_WANTED), fits, mostRandom);
  yield* added(taken, single(), fits, most);
  yield* added(taken, randomInputs(parameters, seed, valid * RANDOM_PER_WANTED), fits, most);
  if (taken.size < most && !isWanted && fits(proven)) yield proven;
}

function* wrongInputs(
  parameters: Json,
  { proven, first, invalid }: Exploration,
  fits: Fits,
): Generator<JsonObject> {
  const taken = new Set<string>();
  yield* added(taken, first, fits, invalid);
  yield* added(taken, alternately(invalidInputs(parameters, proven)), fits, invalid);
}

/** The candidates that fit and were not taken before, until as many are taken as wanted. */
function* added(
  taken: Set<string>,
  candidates: Iterable<JsonObject>,
  fits: Fits,
  until: number,
): Generator<JsonObject> {
  if (taken.size >= until) return;
  let looked = 0;
  let characters = 0;
  for (const input of candidates) {
    if (taken.size >= until || looked >= MAX_CANDIDATES || characters >= MAX_CANDIDATE_CHARACTERS) return;
    looked += 1;
    const text = canonicalJson(input);
    characters += text.length;
    if (taken.has(text) || !fits(input)) continue;
    taken.add(text);
    yield input;
  }
}

interface Edge {
  readonly schema: Json;
  readonly values: readonly Json[];
}

type Edges = ReadonlyMap<string, Edge>;

function edgesByParameter(parameters: Json, proven: JsonObject): Edges {
  const edges = new Map<string, Edge & { readonly left: EdgeBudget }>();
  for (const all of alternativesOf(parameters, parameters)) {
    for (const name of memberNames(all, proven).slice(0, MAX_PARAMETERS)) {
      const schema = propertyTogether(all, name);
      const { values, left } = edges.get(name) ?? { values: [], left: edgeBudget() };
      edges.set(name, { schema, left, values: [...values, ...edgeValues(schema, name, parameters, left)] });
    }
  }
  return edges;
}

/** The values of each parameter that has a few: of an `enum`, or true and false. */
function listsIn(edges: Edges, root: Json): ReadonlyMap<string, readonly Json[]> {
  const lists = [...edges].map(([name, { schema, values }]) => {
    const [all = []] = alternativesOf(schema, root);
    const isListed = listedValues(all) !== null || sameJson(typesTogether(all) ?? [], ['boolean']);
    return [name, isListed ? values : []] as const;
  });
  return new Map(lists.filter(([, values]) => values.length > 1));
}

function* withEach(
  name: string,
  values: readonly Json[],
  bases: readonly JsonObject[],
): Generator<JsonObject> {
  for (const value of values) for (const base of bases) yield { ...base, [name]: value };
}

const MAX_WITH_LISTS = 400;

/** Each value of each list, with all of them at once; then every pair of two. */
function* withLists(
  lists: ReadonlyMap<string, readonly Json[]>,
  proven: JsonObject,
  longest: number,
  count: number,
): Generator<JsonObject> {
  for (let index = 0; index < count; index += 1) {
    const shift = 1 + Math.floor(index / longest);
    const chosen = [...lists].map(([name, list], place) => [
      name,
      list[(index + shift * place) % list.length] ?? null,
    ]);
    yield { ...proven, ...Object.fromEntries(chosen) };
  }
}

const MAX_WITH_NUMBERS = 8;

/** All numbers at the same edge: at their minimum, at their maximum, negative and so on. */
function withNumbers(edges: Edges, proven: JsonObject, fits: Fits): readonly JsonObject[] {
  const numbers = [...edges].flatMap(([name, { values }]) => {
    const isFitting = (value: Json) => typeof value === 'number' && fits({ ...proven, [name]: value });
    const fitting = firstOf(values, MAX_WITH_NUMBERS, isFitting);
    return fitting.length === 0 ? [] : [{ name, fitting }];
  });
  if (numbers.length < 2) return [];
  return Array.from({ length: MAX_WITH_NUMBERS }, (_, index) => {
    const chosen = numbers.map(({ name, fitting }) => [name, fitting[index % fitting.length] ?? null]);
    return { ...proven, ...Object.fromEntries(chosen) };
  });
}

/** With all parameters, without anything optional, and with and without one optional parameter. */
function withAndWithoutOptional(parameters: Json, proven: JsonObject) {
  const [keywords = []] = alternativesOf(parameters, parameters);
  const required = new Set(valuesOf(keywords, 'required').flat());
  const names = memberNames(keywords, proven).slice(0, MAX_PARAMETERS);
  const complete: JsonObject = Object.fromEntries(
    names.map((name) => [
      name,
      ownProperty(proven, name) ?? sampleValue(propertyTogether(keywords, name), name, parameters),
    ]),
  );
  const without = (input: JsonObject, left: (name: string) => boolean): JsonObject =>
    Object.fromEntries(Object.entries(input).filter(([name]) => !left(name)));
  const optional = names.filter((name) => !required.has(name));
  const least = without(complete, (name) => !required.has(name));
  const others = [
    ...optional.map((name) => ({ ...least, [name]: complete[name] ?? null })),
    ...optional.map((other) => without(complete, (name) => name === other)),
  ];
  return { complete, least, others };
}

const MAX_PAIRED = 4;
const MAX_PAIRS = 30;

/** Edges of all parameters at once, values of two parameters exchanged, and pairs of edges. */
function* together(edges: Edges, proven: JsonObject): Generator<JsonObject> {
  const names = [...edges.keys()];
  const valuesAt = (name: string): readonly Json[] => edges.get(name)?.values ?? [];
  for (let index = 0; index < MAX_PAIRED; index += 1)
    yield Object.fromEntries(
      names.flatMap((name) => {
        const own = valuesAt(name);
        return own.length === 0 ? [] : [[name, own[index % own.length] ?? null]];
      }),
    );
  const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other] as const));
  for (const [one, other] of pairs.slice(0, MAX_PAIRS)) {
    const [left, right] = [ownProperty(proven, one), ownProperty(proven, other)];
    if (left !== undefined && right !== undefined) yield { ...proven, [one]: right, [other]: left };
    for (const value of valuesAt(one).slice(0, MAX_PAIRED))
      for (const second of valuesAt(other).slice(0, MAX_PAIRED))
        yield { ...proven, [one]: value, [other]: second };
  }
}

/** Made when the first is asked for: making them takes longer than everything else. */
function* randomInputs(parameters: Json, seed: number, count: number): Generator<JsonObject> {
  const arbitrary = arbitraryOf(parameters, 'any');
  if (arbitrary !== null) yield* sample(arbitrary, { numRuns: count, seed }).filter(isJsonObject);
}
