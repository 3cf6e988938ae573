import { doubleOf } from '../../json/exact-number.ts';
import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  sameJson,
} from '../../json/json.ts';

/** Smaller variations of a failing input, the boldest first. Pure. */
export function* smallerInputs(input: JsonObject): Generator<JsonObject> {
  for (const smaller of smallerObjects(input)) if (isSmaller(smaller, input)) yield smaller;
}

/** By the length of its JSON, then by how plain its values are. */
export function isSmaller(one: Json, other: Json): boolean {
  const [left, right] = [jsonText(one), jsonText(other)];
  return left.length === right.length ? oddness(one) < oddness(other) : left.length < right.length;
}

/** How far texts are from "aaa" and numbers from 0. */
function oddness(value: Json): number {
  if (typeof value === 'string') {
    let odd = 0;
    for (const character of value) if (character !== 'a') odd += character === ' ' ? 2 : 1;
    return odd;
  }
  const double = doubleOf(value);
  if (double !== undefined)
    // Beside texts, the difference of 0 and 1 must not be lost in rounding.
    return Math.min(1, Math.log2(1 + Math.abs(double)) / MAX_BITS) + (double < 0 ? 1 : 0);
  if (value === true) return 1;
  if (Array.isArray(value))
    return (value as readonly Json[]).reduce<number>((sum, item) => sum + oddness(item), 0);
  return isJsonObject(value) ? Object.values(value).reduce<number>((sum, item) => sum + oddness(item), 0) : 0;
}

const MAX_BITS = 53;

function* smallerValues(value: Json): Generator<Json> {
  const double = doubleOf(value);
  if (typeof value === 'string') yield* smallerTexts(value);
  else if (double !== undefined) yield* smallerNumbers(double);
  else if (value === true) yield false;
  else if (Array.isArray(value)) yield* smallerLists(value as readonly Json[]);
  else if (isJsonObject(value)) yield* smallerObjects(value);
}

function* smallerObjects(value: JsonObject): Generator<JsonObject> {
  const entries = Object.entries(value);
  if (entries.length > 1) yield {};
  for (const [name] of entries) yield Object.fromEntries(entries.filter(([other]) => other !== name));
  for (const [name, member] of entries)
    for (const smaller of smallerValues(member)) yield { ...value, [name]: smaller };
}

function* smallerLists(list: readonly Json[]): Generator<readonly Json[]> {
  yield* withoutChunks(list, (from, to) => [...list.slice(0, from), ...list.slice(to)]);
  const [first] = list;
  if (first !== undefined && list.length > 1) {
    yield list.map(() => first);
    // Equal items may have to stay equal.
    if (list.every((item) => sameJson(item, first)))
      for (const smaller of smallerValues(first)) yield list.map(() => smaller);
  }
  for (const [index, item] of list.slice(0, MAX_PLACES).entries())
    for (const smaller of smallerValues(item))
      yield list.map((other, at) => (at === index ? smaller : other));
}

const MAX_PLACES = 40;

function* smallerTexts(text: string): Generator<string> {
  const characters = [...text];
  yield* withoutChunks(characters, (from, to) =>
    [...characters.slice(0, from), ...characters.slice(to)].join(''),
  );
  if (text !== 'a'.repeat(text.length)) yield 'a'.repeat(text.length);
  for (const [index, character] of characters.slice(0, MAX_PLACES).entries())
    if (character !== 'a')
      yield [...characters.slice(0, index), 'a', ...characters.slice(index + 1)].join('');
}

/** Nothing; then without a half, a quarter and so on, down to single parts. */
function* withoutChunks<T>(
  parts: { readonly length: number },
  without: (from: number, to: number) => T,
): Generator<T> {
  const { length } = parts;
  if (length === 0) return;
  yield without(0, length);
  for (let size = Math.ceil(length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    // The end first: what is at the beginning is more often needed.
    let places = 0;
    for (let to = length; to > 0 && places < MAX_PLACES; to -= size) {
      yield without(Math.max(0, to - size), to);
      places += 1;
    }
  }
}

const MAX_DIGITS = 6;

function* smallerNumbers(value: number): Generator<number> {
  if (value === 0) return;
  yield 0;
  yield 1;
  if (value < 0) yield -value;
  if (!Number.isInteger(value)) yield Math.trunc(value);
  yield Math.sign(value) * 10 ** Math.floor(Math.log10(Math.abs(value)));
  for (let digits = 1; digits <= MAX_DIGITS; digits += 1) {
    const rounded = Number(value.toPrecision(digits));
    if (Number.isFinite(rounded)) yield rounded;
  }
  // Towards a bound that lies between 0 and the value.
  for (let step = value / 2; Math.abs(step) >= 1; step /= 2) yield Math.trunc(value - step);
}

export class SmallerInputs {
  readonly #tried = new Set<string>();
  readonly #most: number;
  #candidates: Iterator<JsonObject>;
  number = 0;

  constructor(found: JsonObject, most: number) {
    this.#candidates = smallerInputs(found);
    this.#most = most;
  }

  /** Null if all were tried, or as many as allowed. */
  next(): JsonObject | null {
    while (this.number < this.#most) {
      const { value, done } = this.#candidates.next();
      if (done === true) return null;
      const text = canonicalJson(value);
      if (this.#tried.has(text)) continue;
      this.#tried.add(text);
      this.number += 1;
      return value;
    }
    return null;
  }

  /** Goes on from an input that fails. */
  accept(input: JsonObject): void {
    this.#candidates = smallerInputs(input);
  }
}
