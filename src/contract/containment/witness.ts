import { matchingBudget, textMatching } from '../../inputs/text-for-pattern.ts';
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
  shapesOf,
  type Term,
  type TypedShape,
  type Workshop,
} from './shapes.ts';

const MAX_DEPTH = 6;
/** Of each part of a value; parts are varied one at a time. */
const MAX_VARIATIONS = 40;
const MAX_CHARACTERS = 1000;
const MAX_ITEMS = 50;
/** For members beyond those that are named. */
const OTHER_NAME = 'other';

/**
 * Values that the narrow term may accept, near the bounds of both: whoever looks for a value that the wide term refuses
 * validates each with both schemas.
 */
export class Candidates {
  readonly #shop: Workshop;
  readonly #samples = new Map<string, Json | undefined>();

  constructor(shop: Workshop) {
    this.#shop = shop;
  }

  *near(narrow: Term, wide: Term, depth = 0): Generator<Json> {
    if (depth > MAX_DEPTH) return;
    const hints = this.#hints(wide);
    for (const shape of shapesOf(narrow, this.#shop))
      yield* shape.kind === 'values' ? shape.values : this.#ofShape(shape, hints, depth);
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
        return textsNear(shape, around.flat());
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
    const key = canonicalJson(term.all as Json);
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
    const listOf = (length: number, isVaried: boolean): readonly Json[] | null => {
      const list: Json[] = [];
      const used = new Set<string>();
      for (let index = 0; index < length; index += 1) {
        const few = isVaried ? this.#valuesOf(itemAt(index), itemAt(index), depth + 1, length) : [];
        const item =
          few.find((one) => !used.has(canonicalJson(one))) ?? this.#sample(itemAt(index), depth + 1);
        if (item === undefined) return null;
        used.add(canonicalJson(item));
        list.push(item);
      }
      return list;
    };
    const least = bound(all, 'minItems', 'largest') ?? 0;
    const most = Math.min(bound(all, 'maxItems', 'smallest') ?? MAX_ITEMS, MAX_ITEMS);
    const counts = nearCounts(least, most, other, 'minItems', 'maxItems');
    for (const length of [...counts, least + 1, least + 2, prefix, prefix + 1]) {
      if (length < least || length > most) continue;
      for (const isVaried of isUnique ? [true] : [false, true]) yield* [listOf(length, isVaried) ?? []];
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

  *#objectsNear(
    { all, document }: TypedShape,
    hints: readonly (readonly JsonObject[])[],
    depth: number,
  ): Generator<Json> {
    const memberTerm = (name: string): Term => propertyTerm(all, name, document, this.#shop);
    const required = [...requiredOf(all)];
    const base = this.#members(required, memberTerm, depth);
    if (base === null) return;
    yield base;
    const other = hints.flat();
    const own = namesIn(all);
    const named = [
      ...new Set([...own, ...namesIn(other), ...requiredOf(other), ...exampleNames([...all, ...other])]),
    ];
    const names = [...named, unusedName(named)];
    const least = Math.max(bound(all, 'minProperties', 'largest') ?? 0, required.length);
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
    const most = Math.min(bound(all, 'maxProperties', 'smallest') ?? MAX_ITEMS, MAX_ITEMS);
    for (const count of nearCounts(least, most, other, 'minProperties', 'maxProperties'))
      yield this.#filled(base, Math.min(count, most), names, memberTerm, depth);
  }

  #members(names: readonly string[], termOf: (name: string) => Term, depth: number): JsonObject | null {
    const members: [string, Json][] = [];
    for (const name of names) {
      const value = this.#sample(termOf(name), depth + 1);
      if (value === undefined) return null;
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
    let filled = base;
    const more = Array.from({ length: count }, (_, index) => `${OTHER_NAME}${index + 1}`);
    for (const name of [...names, ...more]) {
      if (Object.keys(filled).length >= count) break;
      const value = Object.hasOwn(filled, name) ? undefined : this.#sample(termOf(name), depth + 1);
      if (value !== undefined) filled = withMember(filled, name, value);
    }
    return filled;
  }
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
  return [...new Set([least, ...others, most].filter((count) => count >= 0 && count <= MAX_CHARACTERS))];
}

function* textsNear({ all }: TypedShape, other: readonly JsonObject[]): Generator<Json> {
  const least = bound(all, 'minLength', 'largest') ?? 0;
  const most = Math.min(bound(all, 'maxLength', 'smallest') ?? MAX_CHARACTERS, MAX_CHARACTERS);
  const patterns = all.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []));
  const counts = nearCounts(least, most, other, 'minLength', 'maxLength');
  for (const pattern of patterns)
    for (const count of counts)
      for (const seed of [0, 1, 2, 3])
        yield* given(matchingText(pattern, Math.max(least, count), most, seed));
  const listed = other.flatMap((one) => itemsOf(one.enum)).filter((one) => typeof one === 'string');
  for (const count of [...counts, 1, 2, 5])
    for (const letter of ['x', 'A', '0', ' '])
      if (count >= least && count <= most) yield letter.repeat(count);
  for (const text of listed) yield* [text, `${text}x`];
  yield* ['a b', 'é', '-', '/', 'a@b', '\n'];
}

function given(text: string | null): readonly Json[] {
  return text === null ? [] : [text];
}

function matchingText(pattern: string, least: number, most: number, seed = 0): string | null {
  let next = seed;
  const random = (below: number): number => {
    next += 1;
    return next % below;
  };
  return textMatching(pattern, random, { least, most }, matchingBudget());
}

function* numbersNear(shape: TypedShape, other: readonly JsonObject[]): Generator<Json> {
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
