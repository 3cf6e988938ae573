import { jsonPointer, shorten } from '../../model/json.ts';

export interface JsonBounds {
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** A number that a reader with doubles does not get as it was written; legal all the same (RFC 8259, section 6). */
export interface OddNumber {
  readonly pointer: string;
  /** As it was written, shortened. */
  readonly literal: string;
  /** Past every double, or an integer that lies between two of them. */
  readonly kind: 'overflow' | 'inexact';
}

/** Keys and indices from the root. */
export type JsonPath = readonly (string | number)[];

/** What a text holds, as far as it was followed. */
export interface JsonScan {
  /** It is JSON to its end, or ceases to be, or passed a bound before it did either. */
  readonly end: 'whole' | 'broken' | 'too-deep' | 'too-many';
  /** How many values there are, members and items alike. */
  readonly values: number;
  readonly depth: number;
  /** The first key that stands twice in one object. */
  readonly duplicate: JsonPath | null;
  /** The first few. */
  readonly numbers: readonly OddNumber[];
}

const MAX_NUMBERS = 3;
const MAX_LITERAL_CHARACTERS = 40;

/** A list or an object that holds something and is not closed yet. */
interface OpenContainer {
  /** What closes it, and tells the two apart. */
  readonly closing: typeof CLOSE_LIST | typeof CLOSE_OBJECT;
  /** Of an object: keys seen so far, made with the first. */
  keys: Set<string> | null;
  /** Of an object: the key of the value that is being read. */
  key: string | null;
  /** So many values of it stand before the one that is being read. */
  index: number;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** No token starts here, or none that ends. Past the end of any text, so that nothing is found behind it either. */
const NONE = Number.POSITIVE_INFINITY;

/**
 * Follows the grammar of JSON without making any value, and stops where it is broken or a bound is passed: JSON.parse
 * makes hundreds of megabytes of eight that are brackets. Notes on the way what JSON.parse hides. Takes any text; loops
 * instead of recursing, and looks at each character a fixed number of times.
 */
export function scanJson(text: string, { maxDepth, maxValues }: JsonBounds): JsonScan {
  const open: OpenContainer[] = [];
  const numbers: OddNumber[] = [];
  let duplicate: JsonPath | null = null;
  let values = 0;
  let depth = 0;
  const path = (): JsonPath => open.map(({ key, index }) => key ?? index);
  const ended = (end: JsonScan['end']): JsonScan => ({ end, values, depth, duplicate, numbers });

  /** Takes a key with its colon, and returns where they end. */
  const takeKey = (container: OpenContainer, start: number): number => {
    const end = text.charCodeAt(start) === QUOTE ? endOfString(text, start) : NONE;
    if (end === NONE) return NONE;
    const key = keyOf(text.slice(start, end));
    container.key = key;
    if (duplicate === null) {
      container.keys ??= new Set();
      if (container.keys.has(key)) duplicate = path();
      container.keys.add(key);
    }
    const colon = pastSpace(text, end);
    return text.charCodeAt(colon) === COLON ? colon + 1 : NONE;
  };

  /** Takes a text, a number or a word, and returns where it ends. */
  const takeScalar = (start: number): number => {
    const code = text.charCodeAt(start);
    if (code === QUOTE) return endOfString(text, start);
    if (code !== MINUS && !isDigit(code)) return endOfWord(text, start);
    const end = endOfNumber(text, start);
    if (end === NONE || numbers.length === MAX_NUMBERS) return end;
    const literal = text.slice(start, end);
    const kind = oddityOf(literal);
    if (kind !== null) {
      const pointer = jsonPointer(path());
      numbers.push({ pointer, literal: shorten(literal, MAX_LITERAL_CHARACTERS), kind });
    }
    return end;
  };

  let at = 0;
  for (;;) {
    // A value begins here, white space aside.
    at = pastSpace(text, at);
    const code = text.charCodeAt(at);
    if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values += 1;
      depth = Math.max(depth, open.length + 1);
      if (depth > maxDepth) return ended('too-deep');
      if (values > maxValues) return ended('too-many');
      const closing = code === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT;
      const inside = pastSpace(text, at + 1);
      if (text.charCodeAt(inside) !== closing) {
        const container: OpenContainer = { closing, keys: null, key: null, index: 0 };
        open.push(container);
        at = closing === CLOSE_LIST ? inside : takeKey(container, inside);
        continue;
      }
      at = inside + 1;
    } else {
      at = takeScalar(at);
      if (at === NONE) return ended('broken');
      values += 1;
      if (values > maxValues) return ended('too-many');
    }
    // It has ended here: with it may end what holds it, or there is a comma.
    at = pastSpace(text, at);
    let container = open.at(-1);
    while (container !== undefined && text.charCodeAt(at) === container.closing) {
      open.pop();
      container = open.at(-1);
      at = pastSpace(text, at + 1);
    }
    if (container === undefined) return ended(at === text.length ? 'whole' : 'broken');
    if (text.charCodeAt(at) !== COMMA) return ended('broken');
    container.index += 1;
    at = container.closing === CLOSE_LIST ? at + 1 : takeKey(container, pastSpace(text, at + 1));
  }
}

function pastSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The key that a string token stands for. Few are written with escapes, and reading those costs most. */
function keyOf(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    // Neither control characters stand in a text, nor NaN, which is past the end.
    if (!(code >= SPACE)) return NONE;
    if (code !== BACKSLASH) continue;
    const length = escapeLength(text, at + 1);
    if (length === 0) return NONE;
    at += length;
  }
}

const ESCAPED = new Set('"\\/bfnrt');

/** How many characters belong to the escape behind a backslash; none if it is no escape. */
function escapeLength(text: string, at: number): number {
  const letter = text.charAt(at);
  if (ESCAPED.has(letter)) return 1;
  return letter === 'u' && /[0-9A-Fa-f]{4}/.test(text.slice(at + 1, at + 5)) ? 5 : 0;
}

function endOfWord(text: string, start: number): number {
  const word = ['true', 'false', 'null'].find((candidate) => text.startsWith(candidate, start));
  return word === undefined ? NONE : start + word.length;
}

function endOfNumber(text: string, start: number): number {
  const whole = text.charCodeAt(start) === MINUS ? start + 1 : start;
  let at = pastDigits(text, whole);
  if (at === whole || (text.charCodeAt(whole) === ZERO && at > whole + 1)) return NONE;
  if (text.charCodeAt(at) === POINT) {
    const fraction = at + 1;
    at = pastDigits(text, fraction);
    if (at === fraction) return NONE;
  }
  if (text.charAt(at) !== 'e' && text.charAt(at) !== 'E') return at;
  const sign = text.charCodeAt(at + 1);
  const exponent = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
  at = pastDigits(text, exponent);
  return at === exponent ? NONE : at;
}

function pastDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Only integers are held to their digits: who writes a fraction or an exponent speaks of a double. */
function oddityOf(literal: string): OddNumber['kind'] | null {
  const value = Number(literal);
  if (!Number.isFinite(value)) return 'overflow';
  if (Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(literal)) return null;
  // No more than 309 digits: what is longer, and has no zero in front, is past every double.
  return BigInt(literal) === BigInt(value) ? null : 'inexact';
}
