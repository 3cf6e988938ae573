import {
  isFiniteWithin,
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
  ownProperty,
} from '../../json/json.ts';
import type { SchemaEvaluator, SchemaVerdict } from '../../model/schema-evaluator.ts';
import { knownText, type PlainSchema, REFERENCE, type Standalone } from './standalone.ts';

/** Everything that a proof may take: schemas opened, pairs compared, values applied. */
const MAX_STEPS = 20_000;
/** Alternatives of one schema; `anyOf` beside `anyOf` multiplies them. */
const MAX_ALTERNATIVES = 64;

/** The proof takes too long, or the schema refers to itself without a value between. */
export class NotDecided extends Error {}

export const TOO_MUCH = 'too much changed to compare all of it';

/** The steps that all questions of a comparison may still take together. */
export interface ProofBudget {
  steps: number;
}

/** Counts what one question takes, and applies schemas to values. */
export class Workshop {
  #left = MAX_STEPS;
  readonly #budget: ProofBudget;
  readonly #evaluator: SchemaEvaluator;
  readonly #appliers = new Map<PlainSchema, (value: Json) => SchemaVerdict>();
  readonly #lists = new Map<object, ReadonlySet<string> | undefined>();
  readonly #plain = new Map<JsonObject, JsonObject>();

  constructor(evaluator: SchemaEvaluator, budget: ProofBudget) {
    this.#evaluator = evaluator;
    this.#budget = budget;
  }

  spend(steps = 1): void {
    this.#left -= steps;
    this.#budget.steps -= steps;
    if (this.#budget.steps < 0) throw new NotDecided(TOO_MUCH);
    if (this.#left < 0) throw new NotDecided(`it takes more than ${MAX_STEPS} steps`);
  }

  /** What a schema of the document says of a value. */
  apply(schema: PlainSchema, { defs }: Standalone, value: Json): SchemaVerdict['kind'] {
    if (typeof schema === 'boolean') return schema ? 'valid' : 'invalid';
    const isListed = this.#isListed(schema, value);
    if (isListed === false) return 'invalid';
    const isOnlyList = isListed === true && Object.keys(schema).length === 1;
    if (isOnlyList) return 'valid';
    const large = Math.max(0, knownText(schema).length - FREE_CHARACTERS) / CHARACTERS_OF_STEP;
    this.spend(1 + large + sizeOf(value) / SIZE_OF_STEP);
    const known = this.#appliers.get(schema) ?? this.#applier({ ...schema, $schema: DIALECT, $defs: defs });
    this.#appliers.set(schema, known);
    return known(value).kind;
  }

  /** Whether the value is in `enum`: a list of thousands is compared with another one by its texts. */
  #isListed({ enum: listed }: JsonObject, value: Json): boolean | undefined {
    if (!Array.isArray(listed) || !isFiniteWithin(value, MAX_JSON_DEPTH)) return undefined;
    const known = this.#lists.get(listed) ?? textsOf(listed);
    this.#lists.set(listed, known);
    this.spend((1 + sizeOf(value)) / SIZE_OF_STEP);
    return known?.has(knownText(value));
  }

  /** Throws NotDecided where it is not known which names a pattern matches. */
  matches(pattern: string, name: string): boolean {
    const verdict = this.apply({ pattern }, { schema: true, defs: {} }, name);
    if (verdict === 'undecided') throw new NotDecided(`it uses the pattern ${JSON.stringify(pattern)}`);
    return verdict === 'valid';
  }

  /** The schema without references and choices; the same object each time. */
  plain(schema: JsonObject): JsonObject {
    const known = this.#plain.get(schema) ?? withoutChoices(schema);
    this.#plain.set(schema, known);
    return known;
  }

  #applier(schema: JsonObject): (value: Json) => SchemaVerdict {
    const usable = this.#evaluator.foreign(schema);
    if (usable.kind === 'usable') return usable.apply;
    return () => ({ kind: 'undecided', reason: 'the schema cannot be applied' });
  }
}

/** None of a list with numbers that no double holds, whose texts are the same for different ones. */
function textsOf(listed: readonly Json[]): ReadonlySet<string> | undefined {
  const isExact = isFiniteWithin(listed, MAX_JSON_DEPTH);
  return isExact ? new Set(listed.map(knownText)) : undefined;
}

/** So many values, or ten times as many characters, take as long as a step. */
export const SIZE_OF_STEP = 100;

export function sizeOf(value: Json): number {
  if (typeof value === 'string') return 1 + value.length / 10;
  if (Array.isArray(value)) return itemsOf(value).reduce<number>((sum, one) => sum + sizeOf(one), 1);
  if (!isJsonObject(value)) return 1;
  return Object.entries(value).reduce((sum, [name, one]) => sum + name.length / 10 + sizeOf(one), 1);
}

/** A value may be compared with everything that a large schema lists. */
const FREE_CHARACTERS = 4000;
const CHARACTERS_OF_STEP = 500;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Schemas of one document, all of which a value must match. */
export interface Term {
  readonly document: Standalone;
  readonly all: readonly PlainSchema[];
}

export type ShapeType = 'number' | 'integer' | 'string' | 'array' | 'object';

/** A part of the values of a term: those of a short list, or those of one type that match all of some schemas. */
export type Shape =
  | { readonly kind: 'values'; readonly values: readonly Json[] }
  | {
      readonly kind: 'typed';
      readonly type: ShapeType;
      readonly document: Standalone;
      /** Without `$ref`, `allOf`, `anyOf` and `oneOf`. */
      readonly all: readonly JsonObject[];
    };
export type TypedShape = Extract<Shape, { kind: 'typed' }>;

const ALL_TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;

/** Every value of the term is in one of these shapes, but not only those: `oneOf`, `not` and the like are left out. */
export function shapesOf(term: Term, shop: Workshop): readonly Shape[] {
  return alternativesOf(term, shop).flatMap((all) => shapesOfOne(all, term.document, shop));
}

function shapesOfOne(all: readonly JsonObject[], document: Standalone, shop: Workshop): readonly Shape[] {
  const fits = (value: Json): boolean => all.every((one) => shop.apply(one, document, value) !== 'invalid');
  const listing = all.find((one) => one.enum !== undefined);
  if (listing !== undefined) return [{ kind: 'values', values: itemsOf(listing.enum).filter(fits) }];
  const types = typesOfAll(all);
  const few = [...(types.has('null') ? [null] : []), ...(types.has('boolean') ? [true, false] : [])];
  return [
    ...(few.length === 0 ? [] : [{ kind: 'values', values: few.filter(fits) } as const]),
    ...(['number', 'integer', 'string', 'array', 'object'] as const)
      .filter((type) => types.has(type))
      .map((type) => ({ kind: 'typed', type, document, all }) as const),
  ];
}

/** `integer` only without `number`. */
export function typesOfAll(all: readonly JsonObject[]): ReadonlySet<string> {
  let types: readonly string[] = ALL_TYPES;
  for (const { type } of all) {
    if (type === undefined) continue;
    const given = itemsOf(type).filter((one) => typeof one === 'string');
    types = [
      ...types.filter((one) => given.includes(one) || (one === 'integer' && given.includes('number'))),
      ...(types.includes('number') && !given.includes('number') && given.includes('integer')
        ? ['integer']
        : []),
    ];
  }
  return new Set(types);
}

/** The term without references and choices: its values are those of the alternatives together, or fewer. */
export function alternativesOf({ document, all }: Term, shop: Workshop): readonly (readonly JsonObject[])[] {
  let alternatives: readonly (readonly JsonObject[])[] = [[]];
  for (const schema of all) alternatives = times(alternatives, opened(schema, document, shop, new Set()));
  return alternatives;
}

type Alternatives = readonly (readonly JsonObject[])[];

function opened(
  schema: PlainSchema,
  document: Standalone,
  shop: Workshop,
  within: ReadonlySet<string>,
): Alternatives {
  shop.spend();
  if (typeof schema === 'boolean') return schema ? [[]] : [];
  const { $ref, allOf, anyOf, oneOf } = schema;
  const open = (one: Json): Alternatives => opened(one as PlainSchema, document, shop, within);
  let alternatives: Alternatives = [Object.keys(schema).length === 0 ? [] : [shop.plain(schema)]];
  if (typeof $ref === 'string') {
    if (within.has($ref)) throw new NotDecided('it refers to itself without end');
    const target = referenced($ref, document);
    alternatives = times(alternatives, opened(target, document, shop, new Set([...within, $ref])));
  }
  for (const one of itemsOf(allOf)) alternatives = times(alternatives, open(one));
  for (const choice of [anyOf, oneOf])
    if (choice !== undefined) alternatives = times(alternatives, itemsOf(choice).flatMap(open));
  return alternatives;
}

/** `oneOf` stays: the alternatives do not say that there is only one. So does all that `unevaluated…` depends on. */
function withoutChoices(schema: JsonObject): JsonObject {
  const { $ref, allOf, anyOf, oneOf, ...plain } = schema;
  if (schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined)
    return { ...plain, [WHOLE]: schema };
  return oneOf === undefined ? plain : { ...plain, [ONE_OF]: oneOf };
}

/** No keywords of a schema, which ignores them. */
export const WHOLE = '(whole)';
export const ONE_OF = '(oneOf)';

export function referenced($ref: string, { defs }: Standalone): PlainSchema {
  return defs[$ref.slice(REFERENCE.length)] ?? true;
}

function times(left: Alternatives, right: Alternatives): Alternatives {
  if (left.length * right.length > MAX_ALTERNATIVES)
    throw new NotDecided(`it has more than ${MAX_ALTERNATIVES} alternatives`);
  return left.flatMap((one) => right.map((other) => [...one, ...other]));
}

/** What all schemas ask of a member of an object. */
export function propertyTerm(
  all: readonly JsonObject[],
  name: string,
  document: Standalone,
  shop: Workshop,
): Term {
  const asked = all.flatMap((schema) => {
    const own = ownProperty(schema.properties, name);
    const patterns = isJsonObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
    const found = [
      ...(own === undefined ? [] : [own]),
      ...patterns.filter(([pattern]) => shop.matches(pattern, name)).map(([, one]) => one),
    ];
    if (found.length > 0) return found;
    return schema.additionalProperties === undefined ? [] : [schema.additionalProperties];
  });
  return { document, all: asked as readonly PlainSchema[] };
}

/** What all schemas ask of the item at an index. */
export function itemTerm(all: readonly JsonObject[], index: number, document: Standalone): Term {
  const asked = all.flatMap((schema) => {
    const own = itemsOf(schema.prefixItems)[index] ?? schema.items;
    return own === undefined ? [] : [own];
  });
  return { document, all: asked as readonly PlainSchema[] };
}

export function prefixLength(all: readonly JsonObject[]): number {
  return Math.max(0, ...all.map((schema) => itemsOf(schema.prefixItems).length));
}

/** The largest or smallest of a bound, if any schema has it. */
export function bound(
  all: readonly JsonObject[],
  keyword: string,
  pick: 'largest' | 'smallest',
): number | null {
  const given = all.map((schema) => schema[keyword]).filter((one) => typeof one === 'number');
  if (given.length === 0) return null;
  return pick === 'largest' ? Math.max(...given) : Math.min(...given);
}

export function requiredOf(all: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(all.flatMap(({ required }) => itemsOf(required).filter((name) => typeof name === 'string')));
}

export interface NumberRange {
  readonly low: number;
  readonly high: number;
  /** The bound itself is not in the range. */
  readonly isLowOpen: boolean;
  readonly isHighOpen: boolean;
  readonly isWhole: boolean;
}

export function numberRange({ all, type }: TypedShape): NumberRange {
  const isWhole = type === 'integer' || all.some(({ multipleOf }) => Number.isInteger(multipleOf));
  const [min, above] = [bound(all, 'minimum', 'largest'), bound(all, 'exclusiveMinimum', 'largest')];
  const [max, below] = [bound(all, 'maximum', 'smallest'), bound(all, 'exclusiveMaximum', 'smallest')];
  const low = Math.max(min ?? -Infinity, above ?? -Infinity);
  const high = Math.min(max ?? Infinity, below ?? Infinity);
  const isLowOpen = above !== null && above >= low;
  const isHighOpen = below !== null && below <= high;
  // Beyond the safe integers, the next whole number is the same double.
  if (!isWhole || !isSafe(low) || !isSafe(high)) return { low, high, isLowOpen, isHighOpen, isWhole };
  return {
    low: isLowOpen ? Math.floor(low) + 1 : Math.ceil(low),
    high: isHighOpen ? Math.ceil(high) - 1 : Math.floor(high),
    isLowOpen: false,
    isHighOpen: false,
    isWhole,
  };
}

function isSafe(value: number): boolean {
  return Math.abs(value) < Number.MAX_SAFE_INTEGER || !Number.isFinite(value);
}
