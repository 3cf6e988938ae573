import {
  canonicalJson,
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  ownProperty,
} from '../../json/json.ts';
import { isApart } from './apart.ts';
import { isEmpty } from './empty.ts';
import {
  bound,
  itemTerm,
  numberRange,
  ONE_OF,
  prefixLength,
  propertyTerm,
  referenced,
  requiredOf,
  shapesOf,
  type Term,
  type TypedShape,
  WHOLE,
  type Workshop,
} from './shapes.ts';
import { knownText, type PlainSchema, type Standalone } from './standalone.ts';

// A proof takes the narrow term apart into shapes, and checks for each that every keyword of the wide schemas accepts all of
// its values. What cannot be shown is not claimed: the caller looks for a value that disproves it.

/** Shows that every value of one term is one of the other. `false` says only that it could not be shown. */
export class Prover {
  readonly #shop: Workshop;
  /**
   * Pairs that are being proved, or were proved from these. Whoever comes to such a pair again is at a smaller value, and
   * may take it as proved; when a pair fails, all that was proved since is given up with it.
   */
  readonly #assumed = new Set<string>();
  readonly #failed = new Set<string>();

  constructor(shop: Workshop) {
    this.#shop = shop;
  }

  holds(narrow: Term, wide: Term): boolean {
    this.#shop.spend();
    if (wide.all.every(acceptsAll)) return true;
    const pair = `${keyOf(narrow)}\n${keyOf(wide)}`;
    if (this.#assumed.has(pair)) return true;
    if (this.#failed.has(pair)) return false;
    const before = this.#assumed.size;
    this.#assumed.add(pair);
    const isHeld = shapesOf(narrow, this.#shop).every(
      (shape) =>
        wide.all.every((schema) =>
          shape.kind === 'values'
            ? shape.values.every((value) => this.#shop.apply(schema, wide.document, value) === 'valid')
            : this.#covers(shape, schema, wide.document, new Set()),
        ) || isEmpty(shape, this.#shop),
    );
    if (isHeld) return true;
    for (const later of [...this.#assumed].slice(before)) this.#assumed.delete(later);
    this.#failed.add(pair);
    return false;
  }

  #covers(shape: TypedShape, schema: PlainSchema, of: Standalone, within: ReadonlySet<string>): boolean {
    this.#shop.spend();
    if (typeof schema === 'boolean') return schema;
    const { $ref } = schema;
    if (typeof $ref === 'string') {
      if (within.has($ref)) return false;
      if (!this.#covers(shape, referenced($ref, of), of, new Set([...within, $ref]))) return false;
    }
    const covers = (one: Json): boolean => this.#covers(shape, one as PlainSchema, of, within);
    if (!itemsOf(schema.allOf).every(covers)) return false;
    if (schema.anyOf !== undefined && !itemsOf(schema.anyOf).some(covers)) return false;
    return (
      this.#coversOneOf(shape, schema, of, covers) &&
      this.#coversNot(shape, schema, of) &&
      this.#coversOthers(shape, schema, of) &&
      this.#coversOwn(shape, schema, of)
    );
  }

  #coversOneOf(
    shape: TypedShape,
    schema: JsonObject,
    of: Standalone,
    covers: (one: Json) => boolean,
  ): boolean {
    if (schema.oneOf === undefined || isSame(shape, of, ONE_OF, schema.oneOf)) return true;
    const branches = itemsOf(schema.oneOf) as readonly PlainSchema[];
    return branches.some(
      (branch) =>
        covers(branch) &&
        branches.every((other) => other === branch || isApart(shape, other, of, this.#shop)),
    );
  }

  #coversNot(shape: TypedShape, schema: JsonObject, of: Standalone): boolean {
    if (schema.not === undefined || isSame(shape, of, 'not', schema.not)) return true;
    return isApart(shape, schema.not as PlainSchema, of, this.#shop);
  }

  /** Keywords that are only understood where the narrow schema has the same. */
  #coversOthers({ type, ...shape }: TypedShape, schema: JsonObject, of: Standalone): boolean {
    if (schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined)
      return isSame(shape, of, WHOLE, schema);
    const groups: readonly (readonly string[])[] = [
      ['if', 'then', 'else'],
      ...(type === 'array' ? [['contains', 'minContains', 'maxContains']] : []),
      ...(type === 'object' ? [['propertyNames'], ['dependentSchemas']] : []),
    ];
    return groups.every((keywords) => {
      if (schema[keywords[0] as string] === undefined) return true;
      return shape.all.some(
        (one) =>
          canBeCompared(shape.document, of, schema) && keywords.every((key) => sameMember(one, schema, key)),
      );
    });
  }

  #coversOwn(shape: TypedShape, schema: JsonObject, of: Standalone): boolean {
    const { type, all } = shape;
    const types = schema.type === undefined ? [type] : itemsOf(schema.type);
    const isOfType =
      types.includes(type) ||
      (type === 'integer' && types.includes('number')) ||
      (type === 'number' && types.includes('integer') && numberRange(shape).isWhole);
    if (!isOfType || schema.enum !== undefined) return false;
    if (type === 'string') return withinString(all, schema);
    if (type === 'array') return this.#coversArray(shape, schema, of);
    return type === 'object' ? this.#coversObject(shape, schema, of) : withinNumber(shape, schema);
  }

  #coversArray({ all, document }: TypedShape, schema: JsonObject, of: Standalone): boolean {
    const most = bound(all, 'maxItems', 'smallest') ?? Infinity;
    const isUnique = most <= 1 || all.some(({ uniqueItems }) => uniqueItems === true);
    if (!withinCounts(bound(all, 'minItems', 'largest') ?? 0, most, schema, 'minItems', 'maxItems'))
      return false;
    if (schema.uniqueItems === true && !isUnique) return false;
    const prefix = Math.max(prefixLength(all), prefixLength([schema]));
    for (let index = 0; index <= prefix && index < most; index += 1)
      if (!this.holds(itemTerm(all, index, document), itemTerm([schema], index, of))) return false;
    return true;
  }

  #coversObject(shape: TypedShape, schema: JsonObject, of: Standalone): boolean {
    const { all, document } = shape;
    const required = requiredOf(all);
    if (![...requiredOf([schema])].every((name) => required.has(name))) return false;
    const least = Math.max(required.size, bound(all, 'minProperties', 'largest') ?? 0);
    const most = Math.min(closedSize(all), bound(all, 'maxProperties', 'smallest') ?? Infinity);
    if (!withinCounts(least, most, schema, 'minProperties', 'maxProperties')) return false;
    const names = new Set([...all, schema].flatMap(({ properties }) => Object.keys(properties ?? {})));

    const termOf = (name: string): Term => propertyTerm(all, name, document, this.#shop);
    const areHeld = [...names].every((name) =>
      this.holds(termOf(name), propertyTerm([schema], name, of, this.#shop)),
    );
    if (!areHeld || !this.#coversDependents(all, schema, required, termOf)) return false;
    return this.#coversOtherNames(shape, schema, of);
  }

  #coversDependents(
    all: readonly JsonObject[],
    schema: JsonObject,
    required: ReadonlySet<string>,
    termOf: (name: string) => Term,
  ): boolean {
    const lists = isJsonObject(schema.dependentRequired) ? Object.entries(schema.dependentRequired) : [];
    return lists.every(
      ([name, names]) =>
        itemsOf(names).every((one) => typeof one === 'string' && required.has(one)) ||
        all.some(({ dependentRequired: own }) => isSameList(ownProperty(own, name), names)) ||
        shapesOf(termOf(name), this.#shop).length === 0,
    );
  }

  /** Members that neither side names: each group of them must fit whatever the wide schema may ask of it. */
  #coversOtherNames({ all, document }: TypedShape, schema: JsonObject, of: Standalone): boolean {
    const rest = all.flatMap((one) => one.additionalProperties ?? []) as readonly PlainSchema[];
    const groups: readonly { readonly pattern: string | null; readonly asked: readonly PlainSchema[] }[] = [
      { pattern: null, asked: rest },
      ...all.flatMap((one) => patternsOf(one).map(([pattern, asked]) => ({ pattern, asked: [asked] }))),
    ];
    const narrowPatterns = new Set(groups.map(({ pattern }) => pattern));
    const widePatterns = patternsOf(schema);
    return groups.every(({ pattern, asked }) => {
      const isKnown = widePatterns.some(([other]) => other === pattern);
      const wanted = [
        ...widePatterns
          .filter(([other]) => pattern !== null || !narrowPatterns.has(other))
          .map(([, one]) => one),
        ...(isKnown ? [] : [schema.additionalProperties ?? true]),
      ] as readonly PlainSchema[];
      return this.holds({ document, all: asked }, { document: of, all: wanted });
    });
  }
}

function acceptsAll(schema: PlainSchema): boolean {
  return schema === true || (typeof schema === 'object' && Object.keys(schema).length === 0);
}

const keys = new WeakMap<object, string>();

function keyOf({ document, all }: Term): string {
  return `${documentKey(document)}${[...new Set(all.map(knownText))].sort().join('&')}`;
}

/** Two documents with the same definitions mean the same by the same text. */
function documentKey({ defs }: Standalone): string {
  const key = keys.get(defs) ?? canonicalJson({ ...defs });
  keys.set(defs, key);
  return key;
}

function canBeCompared(left: Standalone, right: Standalone, schema: Json): boolean {
  return !knownText(schema).includes('"$ref"') || documentKey(left) === documentKey(right);
}

function isSameList(own: Json | undefined, other: Json): boolean {
  return own !== undefined && knownText(own) === knownText(other);
}

function sameMember(one: JsonObject, other: JsonObject, key: string): boolean {
  const [left, right] = [ownProperty(one, key), ownProperty(other, key)];
  if (left === undefined || right === undefined) return left === right;
  return knownText(left) === knownText(right);
}

/** Whether one of the narrow schemas has the same keyword, in words that mean the same. */
function isSame(
  { all, document }: Pick<TypedShape, 'all' | 'document'>,
  of: Standalone,
  keyword: string,
  value: Json,
): boolean {
  if (!canBeCompared(document, of, value)) return false;
  const text = knownText(value);
  return all.some((one) => one[keyword] !== undefined && knownText(one[keyword]) === text);
}

function patternsOf({ patternProperties }: JsonObject): readonly (readonly [string, PlainSchema])[] {
  return isJsonObject(patternProperties)
    ? (Object.entries(patternProperties) as [string, PlainSchema][])
    : [];
}

/** How many members an object can have at most. */
function closedSize(all: readonly JsonObject[]): number {
  const closed = all.filter((one) => one.additionalProperties === false && patternsOf(one).length === 0);
  return Math.min(Infinity, ...closed.map(({ properties }) => Object.keys(properties ?? {}).length));
}

function withinCounts(
  least: number,
  most: number,
  schema: JsonObject,
  minimum: string,
  maximum: string,
): boolean {
  const [min, max] = [schema[minimum], schema[maximum]];
  return (typeof min !== 'number' || least >= min) && (typeof max !== 'number' || most <= max);
}

function withinString(all: readonly JsonObject[], schema: JsonObject): boolean {
  const least = bound(all, 'minLength', 'largest') ?? 0;
  const most = bound(all, 'maxLength', 'smallest') ?? Infinity;
  if (!withinCounts(least, most, schema, 'minLength', 'maxLength')) return false;
  return schema.pattern === undefined || all.some(({ pattern }) => pattern === schema.pattern);
}

function withinNumber(shape: TypedShape, schema: JsonObject): boolean {
  const { low, high, isLowOpen, isHighOpen, isWhole } = numberRange(shape);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === 'number' && low < minimum) return false;
  if (typeof maximum === 'number' && high > maximum) return false;
  if (
    typeof exclusiveMinimum === 'number' &&
    !(low > exclusiveMinimum || (low === exclusiveMinimum && isLowOpen))
  )
    return false;
  if (
    typeof exclusiveMaximum === 'number' &&
    !(high < exclusiveMaximum || (high === exclusiveMaximum && isHighOpen))
  )
    return false;
  if (multipleOf === undefined || (multipleOf === 1 && isWhole)) return true;
  return shape.all.some(
    ({ multipleOf: own }) =>
      own === multipleOf ||
      (Number.isSafeInteger(own) &&
        Number.isSafeInteger(multipleOf) &&
        (own as number) % (multipleOf as number) === 0),
  );
}
