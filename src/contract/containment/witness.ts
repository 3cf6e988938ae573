import { type MatchingBudget, matchingBudget, textMatching } from '../../inputs/text-for-pattern.ts';
import { canonicalJson, itemsOf, type Json, type JsonObject } from '../../json/json.ts';
import {
  alternativesOf,
  bound,
  itemTerm,
  NotDecided,
  numberRange,
  prefixLength,
  propertyTerm,
  requiredOf,
  SIZE_OF_STEP,
  shapesOf,
  sizeOf,
  type Term,
  type TypedShape,
  type Workshop,
} from './shapes.ts';
import { knownText } from './standalone.ts';

const MAX_DEPTH = 6;
/** Of each part of a value; parts are varied one at a time. */
const MAX_VARIATIONS = 40;
/** Of what only larger values would show, nothing is said: a schema may ask for a billion items. */
const MAX_CHARACTERS = 100_000;
const MAX_ITEMS = 10_000;
const MAX_PROPERTIES = 1000;
/** So many are tried also where no limit is near; more would take long for every list. */
const USUAL_COUNT = 50;
/** Each of them is looked for. */
const MAX_UNIQUE_ITEMS = 200;
/** Of all values and characters in a list: items may be lists. */
const MAX_SIZE = 200_000;
/** For members beyond those that are named. */
const OTHER_NAME = 'other';

/**
 * Values that the narrow term may accept, near the bounds of both: whoever looks for a value that the wide term refuses
 * validates each with both schemas.
 */
export class Candidates {
  readonly #shop: Workshop;
  readonly #samples = new Map<string, Json | undefined>();
  readonly #matching = matchingBudget();

  constructor(shop: Workshop) {
    this.#shop = shop;
  }

  *near(narrow: Term, wide: Term, depth = 0): Generator<Json> {
    if (depth > MAX_DEPTH) return;
    const hints = this.#hints(wide);
    for (const shape of shapesOf(narrow, this.#shop))
      yield* shape.kind === 'values'
        ? unlistedFirst(shape.values, hints.flat())
        : this.#ofShape(shape, hints, depth);
  }

  /** The alternatives of the other side. */
  #hints(wide: Term): readonly (readonly JsonObject[])[] {
    try {
      return alternativesOf(wide, this.#shop);
    } catch (error) {
      if (error instanceof NotDecided) return [[]];
      throw error;
    }
  }

  #ofShape(shape: TypedShape, hints: readonly (readonly JsonObject[])[], depth: number): Iterable<Json> {
    const around = hints.length === 0 ? [[]] : hints;
    switch (shape.type) {
      case 'string':
        return textsNear(shape, around.flat(), this.#matching);
      case 'array':
        return this.#listsNear(shape, around, depth);
      case 'object':
        return this.#objectsNear(shape, around, depth);
      default:
        return numbersNear(shape, around.flat());
    }
  }

  /** Some value of the term; undefined if none was found. */
  #sample(term: Term, depth: number): Json | undefined {
    const key = term.all.map(knownText).join('&');
    if (this.#samples.has(key)) return this.#samples.get(key);
    this.#samples.set(key, undefined);
    const found = this.#valuesOf(term, { ...term, all: [] }, depth, 1)[0];
    this.#samples.set(key, found);
    return found;
  }

  /** Candidates that the narrow term does accept. */
  #valuesOf(narrow: Term, wide: Term, depth: number, most: number): readonly Json[] {
    const { document, all } = narrow;
    const found: Json[] = [];
    let tried = 0;
    for (const value of this.near(narrow, wide, depth)) {
      tried += 1;
      if (all.every((one) => this.#shop.apply(one, document, value) === 'valid')) found.push(value);
      if (found.length >= most || tried >= 3 * MAX_VARIATIONS) break;
    }
    return found;
  }

  *#listsNear({ all, document }: TypedShape, hints: readonly (readonly JsonObject[])[], depth: number) {
    const other = hints.flat();
    const prefix = Math.max(prefixLength(all), prefixLength(other));
    const isUnique = all.some(({ uniqueItems }) => uniqueItems === true);
    const itemAt = (index: number): Term => itemTerm(all, index, document);
    const listOf = (length: number, isVaried: boolean): readonly Json[] | null =>
      this.#list(length, prefix, isVaried, itemAt, depth);
    const least = bound(all, 'minItems', 'largest') ?? 0;
    const mostUsed = isUnique ? MAX_UNIQUE_ITEMS : MAX_ITEMS;
    const most = Math.min(bound(all, 'maxItems', 'smallest') ?? mostUsed, mostUsed);
    if (least > most) return;
    const counts = nearCounts(least, most, other, 'minItems', 'maxItems');
    for (const length of [...counts, least + 1, least + 2, prefix, prefix + 1]) {
      if (length < least || length > most) continue;
      for (const isVaried of isUnique ? [true] : [false, true]) yield* given(listOf(length, isVaried));
    }
    for (let index = 0; index <= prefix && index < most; index += 1) {
      const base = listOf(Math.max(least, index + 1), isUnique);
      if (base === null) continue;
      for (const hint of hints)
        for (const item of this.#valuesOf(
          itemAt(index),
          itemTerm(hint, index, document),
          depth + 1,
          MAX_VARIATIONS,
        ))
          yield base.with(index, item);
    }
  }

  /** With so many items; null if none was found, or if it would be too large. */
  #list(
    length: number,
    prefix: number,
    isVaried: boolean,
    itemAt: (index: number) => Term,
    depth: number,
  ): readonly Json[] | null {
    if (length > (isVaried ? MAX_UNIQUE_ITEMS : MAX_ITEMS)) return null;
    const list: Json[] = [];
    const used = new Set<string>();
    let size = 0;
    let few: readonly Json[] = [];
    for (let index = 0; index < length; index += 1) {
      const isRest = index > prefix;
      if (isVaried && !isRest) few = this.#valuesOf(itemAt(index), itemAt(index), depth + 1, length);
      const other = isVaried ? few.find((one) => !used.has(canonicalJson(one))) : undefined;
      const item = other ?? (isRest && !isVaried ? list[prefix] : this.#sample(itemAt(index), depth + 1));
      if (item === undefined) return null;
      size += sizeOf(item);
      if (size > MAX_SIZE) return null;
      if (isVaried) used.add(canonicalJson(item));
      list.push(item);
    }
    this.#shop.spend(size / SIZE_OF_STEP);
    return list;
  }

  *#objectsNear(
    { all, document }: TypedShape,
    hints: readonly (readonly JsonObject[])[],
    depth: number,
  ): Generator<Json> {
    const memberTerm = (name: string): Term => propertyTerm(all, name, document, this.#shop);
    const required = [...requiredOf(all)];
    const least = Math.max(bound(all, 'minProperties', 'largest') ?? 0, required.length);
    if (least > MAX_PROPERTIES) return;
    const base = this.#members(required, memberTerm, depth);
    if (base === null) return;
    yield base;
    const other = hints.flat();
    const own = namesIn(all);
    const named = [
      ...new Set([...own, ...namesIn(other), ...requiredOf(other), ...exampleNames([...all, ...other])]),
    ];
    const names = [...named, unusedName(named)];
    const whole = this.#members([...new Set([...required, ...own])], memberTerm, depth);
    const filled = this.#filled(base, least, names, memberTerm, depth);
    if (least > required.length) yield filled;
    if (whole !== null) yield whole;
    // The first value of each member, then the second: one change is most often enough.
    const members = names.flatMap((name) => {
      const near = hints.map((hint) => propertyTerm(hint, name, document, this.#shop));
      return near.map((term) =>
        this.#valuesOf(memberTerm(name), term, depth + 1, MAX_VARIATIONS).map((value) => ({ name, value })),
      );
    });
    const bases = whole === null ? [filled] : [filled, whole];
    for (let index = 0; index < MAX_VARIATIONS; index += 1)
      for (const { name, value } of members.flatMap((values) => values[index] ?? []))
        yield* bases.map((one) => withMember(one, name, value));
    if (whole !== null)
      for (const name of names)
        if (Object.hasOwn(whole, name) && !required.includes(name)) yield without(whole, name);
    const most = Math.min(bound(all, 'maxProperties', 'smallest') ?? MAX_PROPERTIES, MAX_PROPERTIES);
    for (const count of nearCounts(least, most, other, 'minProperties', 'maxProperties'))
      yield this.#filled(base, Math.min(count, most), names, memberTerm, depth);
  }

  #members(names: readonly string[], termOf: (name: string) => Term, depth: number): JsonObject | null {
    const members: [string, Json][] = [];
    let size = 0;
    for (const name of names) {
      const value = this.#sample(termOf(name), depth + 1);
      if (value === undefined) return null;
      size += sizeOf(value);
      if (size > MAX_SIZE) return null;
      members.push([name, value]);
    }
    return Object.fromEntries(members);
  }

  /** With so many members, if there can be. */
  #filled(
    base: JsonObject,
    count: number,
    names: readonly string[],
    termOf: (name: string) => Term,
    depth: number,
  ): JsonObject {
    const filled = new Map(Object.entries(base));
    const more = Array.from({ length: count }, (_, index) => `${OTHER_NAME}${index + 1}`);
    let size = sizeOf(base);
    for (const name of [...names, ...more]) {
      if (filled.size >= count || size > MAX_SIZE) break;
      const value = filled.has(name) ? undefined : this.#sample(termOf(name), depth + 1);
      if (value === undefined) continue;
      filled.set(name, value);
      size += sizeOf(value);
    }
    this.#shop.spend(size / SIZE_OF_STEP);
    return Object.fromEntries(filled);
  }
}

/** Of thousands of values, those that the other side does not list are the likeliest. */
function unlistedFirst(values: readonly Json[], other: readonly JsonObject[]): readonly Json[] {
  const listed = new Set(other.flatMap((one) => itemsOf(one.enum).map(knownText)));
  const isListed = (value: Json): boolean => listed.has(knownText(value));
  return listed.size === 0 ? values : [...values.filter((one) => !isListed(one)), ...values.filter(isListed)];
}

function withMember(object: JsonObject, name: string, value: Json): JsonObject {
  return Object.fromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

function namesIn(all: readonly JsonObject[]): readonly string[] {
  return all.flatMap(({ properties }) => Object.keys(properties ?? {}));
}

function unusedName(names: readonly string[]): string {
  let name = OTHER_NAME;
  while (names.includes(name)) name += 's';
  return name;
}

function exampleNames(all: readonly JsonObject[]): readonly string[] {
  const patterns = all.flatMap(({ patternProperties }) => Object.keys(patternProperties ?? {}));
  return patterns.flatMap((pattern) => matchingText(pattern, 1, 20) ?? []);
}

function nearCounts(
  least: number,
  most: number,
  other: readonly JsonObject[],
  minimum: string,
  maximum: string,
): readonly number[] {
  const others = other.flatMap((one) => {
    const [min, max] = [one[minimum], one[maximum]];
    return [
      ...(typeof min === 'number' ? [min - 1, min] : []),
      ...(typeof max === 'number' ? [max, max + 1] : []),
    ];
  });
  return [
    ...new Set(
      [least, ...others, Math.min(most, USUAL_COUNT)].filter((count) => count >= 0 && count <= most),
    ),
  ];
}

function* textsNear(
  { all }: TypedShape,
  other: readonly JsonObject[],
  budget: MatchingBudget,
): Generator<Json> {
  const least = bound(all, 'minLength', 'largest') ?? 0;
  const most = Math.min(bound(all, 'maxLength', 'smallest') ?? MAX_CHARACTERS, MAX_CHARACTERS);
  if (least > MAX_CHARACTERS) return;
  const patterns = all.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []));
  const counts = nearCounts(least, most, other, 'minLength', 'maxLength');
  for (const pattern of patterns)
    for (const count of counts)
      for (const seed of [0, 1, 2, 3])
        yield* given(matchingText(pattern, Math.max(least, count), most, seed, budget));
  const listed = other.flatMap((one) => itemsOf(one.enum)).filter((one) => typeof one === 'string');
  for (const count of [...counts, 1, 2, 5])
    for (const letter of ['x', 'A', '0', ' '])
      if (count >= least && count <= most) yield letter.repeat(count);
  for (const text of listed) yield* [text, `${text}x`];
  yield* ['a b', 'é', '-', '/', 'a@b', '\n'];
}

function given(value: Json): readonly Json[] {
  return value === null ? [] : [value];
}

function matchingText(
  pattern: string,
  least: number,
  most: number,
  seed = 0,
  budget = matchingBudget(),
): string | null {
  let next = seed;
  const random = (below: number): number => {
    next += 1;
    return next % below;
  };
  return textMatching(pattern, random, { least, most }, budget);
}

function* numbersNear(shape: TypedShape, other: readonly JsonObject[]): Generator<Json> {
  // A huge or tiny step multiplies to more than a double holds.
  for (const value of multiplesNear(shape, other)) if (Number.isFinite(value)) yield value;
}

function* multiplesNear(shape: TypedShape, other: readonly JsonObject[]): Generator<number> {
  const { isWhole } = numberRange(shape);
  const bounds = [...shape.all, ...other].flatMap((one) =>
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(
      (keyword) => one[keyword],
    ),
  );
  const listed = other.flatMap((one) => itemsOf(one.enum));
  const points = [0, 1, ...bounds, ...listed].filter((one) => typeof one === 'number');
  const steps = shape.all.flatMap(({ multipleOf }) => (typeof multipleOf === 'number' ? [multipleOf] : []));
  for (const point of points) {
    yield* isWhole
      ? [point, point + 1, point - 1]
      : [point, point + 1, point - 1, point + 0.5, point - 0.5, point + 0.01];
    for (const step of steps) {
      const nearest = Math.round(point / step);
      for (const factor of [nearest, nearest + 1, nearest - 1, nearest + 2]) yield factor * step;
    }
  }
  yield* [1000, -1000, 1e6, -1e6, ...(isWhole ? [] : [1e-3, 1e20])];
}
