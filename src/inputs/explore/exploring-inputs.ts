import { sample } from 'fast-check';
import { canonicalJson, isJsonObject, type Json, type JsonObject, ownProperty } from '../../model/json.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { alternativesOf } from '../alternatives.ts';
import { arbitraryOf } from '../arbitrary-of-schema.ts';
import { memberNames, propertyTogether, valuesOf } from '../keywords-together.ts';
import { sampleValue } from '../sample-value.ts';
import { alternately } from './alternately.ts';
import { edgeValues } from './edge-values.ts';
import { invalidInputs } from './invalid-inputs.ts';

/** Made while they are read, because the time for exploring often ends after the first of them. */
export interface ExploringInputs {
  /** The declared schema accepts them. */
  readonly valid: Iterable<JsonObject>;
  /** The declared schema refuses them. */
  readonly invalid: Iterable<JsonObject>;
}

export interface Exploration {
  /** An input that the function accepted. */
  readonly proven: JsonObject;
  /** Tried first: inputs that showed a fault before. */
  readonly first: readonly JsonObject[];
  readonly seed: number;
  /** Maximum numbers of inputs. */
  readonly valid: number;
  readonly invalid: number;
}

/** Share of the valid inputs that are random. */
const RANDOM_SHARE = 0.25;
const RANDOM_PER_WANTED = 3;
/** Descriptors may declare thousands of parameters, and each value is validated. */
const MAX_PARAMETERS = 40;
const MAX_CANDIDATES = 4000;

/**
 * Inputs to find faults with, the likeliest first: edges of one parameter at a time, of several at once, and random
 * ones. The same seed gives the same inputs. Empty if the schema cannot be applied. Pure.
 */
export function exploringInputs(
  parameters: Json,
  exploration: Exploration,
  schemas: SchemaEvaluator,
): ExploringInputs {
  const schema = schemas.foreign(parameters);
  if (schema.kind !== 'usable') return { valid: [], invalid: [] };
  const isOf = (kind: 'valid' | 'invalid') => (input: JsonObject) => schema.apply(input).kind === kind;
  return {
    valid: validInputs(parameters, exploration, isOf('valid')),
    invalid: wrongInputs(parameters, exploration, isOf('invalid')),
  };
}

type Fits = (input: JsonObject) => boolean;

function* validInputs(
  parameters: Json,
  { proven, first, seed, valid }: Exploration,
  fits: Fits,
): Generator<JsonObject> {
  const taken = new Set<string>();
  const random = Math.ceil(valid * RANDOM_SHARE);
  const shapes = withAndWithoutOptional(parameters, proven);
  yield* added(taken, [proven, ...first, ...shapes.all], fits, valid);
  const edges = edgesByParameter(parameters, proven, shapes.least);
  yield* added(taken, alternately([...edges.values()]), fits, valid - random);
  const mostTogether = Math.min(valid, taken.size + Math.ceil(random / 2));
  yield* added(taken, together(edges, proven), fits, mostTogether);
  yield* added(taken, randomInputs(parameters, seed, random * RANDOM_PER_WANTED), fits, valid);
  yield* added(taken, alternately([...edges.values()]), fits, valid);
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
  let looked = 0;
  for (const input of candidates) {
    if (taken.size >= until || looked >= MAX_CANDIDATES) return;
    looked += 1;
    const text = canonicalJson(input);
    if (taken.has(text) || !fits(input)) continue;
    taken.add(text);
    yield input;
  }
}

type Edges = ReadonlyMap<string, readonly JsonObject[]>;

/** For each parameter, the proven input with another value of it, alternately with and without what is optional. */
function edgesByParameter(parameters: Json, proven: JsonObject, least: JsonObject): Edges {
  const edges = new Map<string, readonly JsonObject[]>();
  for (const all of alternativesOf(parameters, parameters)) {
    for (const name of memberNames(all, proven).slice(0, MAX_PARAMETERS)) {
      const values = edgeValues(propertyTogether(all, name), name, parameters);
      edges.set(name, [
        ...(edges.get(name) ?? []),
        ...values.flatMap((value) => [
          { ...proven, [name]: value },
          { ...least, [name]: value },
        ]),
      ]);
    }
  }
  return edges;
}

interface Shapes {
  /** Without anything optional. */
  readonly least: JsonObject;
  readonly all: readonly JsonObject[];
}

function withAndWithoutOptional(parameters: Json, proven: JsonObject): Shapes {
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
  const all = [
    complete,
    least,
    ...optional.map((name) => ({ ...least, [name]: complete[name] ?? null })),
    ...optional.map((other) => without(complete, (name) => name === other)),
  ];
  return { least, all };
}

const MAX_PAIRED = 4;
const MAX_PAIRS = 30;

/** Edges of all parameters at once, values of two parameters exchanged, and pairs of edges. */
function* together(edges: Edges, proven: JsonObject): Generator<JsonObject> {
  const names = [...edges.keys()];
  const values = new Map(
    [...edges].map(([name, inputs]) => [name, inputs.flatMap((input) => ownProperty(input, name) ?? [])]),
  );
  const valuesAt = (name: string): readonly Json[] => values.get(name) ?? [];
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

function randomInputs(parameters: Json, seed: number, count: number): readonly JsonObject[] {
  const arbitrary = arbitraryOf(parameters, 'any');
  return arbitrary === null ? [] : sample(arbitrary, { numRuns: count, seed }).filter(isJsonObject);
}
