import { jsonPointer, shorten } from './json.ts';

// Finds in a text what JSON.parse does not say: it keeps the last of two equal keys, rounds large numbers, and knows no
// bounds.

export interface JsonBounds {
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** A number that changes when it is read as a double; it is legal all the same (RFC 8259, section 6). */
export interface OddNumber {
  readonly pointer: string;
  /** As it was written, shortened. */
  readonly literal: string;
  /** Too large for a double, or an integer between two doubles. */
  readonly kind: 'overflow' | 'inexact';
}

/** Keys and indices from the root. */
export type JsonPath = readonly (string | number)[];

/** What the scanned part of a text contains. */
export interface JsonScan {
  /** The text is JSON to its end, is not JSON, or passed a bound first. */
  readonly end: 'whole' | 'broken' | 'too-deep' | 'too-many';
  /** Where the value ended although more text follows; null otherwise. */
  readonly valueEnd: number | null;
  /** How many values there are, members and items alike. */
  readonly values: number;
  readonly depth: number;
  /** The first key that occurs twice in one object. */
  readonly duplicate: JsonPath | null;
  /** The first few. */
  readonly numbers: readonly OddNumber[];
}

const MAX_NUMBERS = 3;
const MAX_LITERAL_CHARACTERS = 40;

/** A list or an object that is not empty and not closed yet. */
interface OpenContainer {
  /** The closing character, which also tells a list from an object. */
  readonly closing: typeof CLOSE_LIST | typeof CLOSE_OBJECT;
  /** Of an object: the keys seen so far; created with the first. */
  keys: Set<string> | null;
  /** Of an object: the key of the value that is being read. */
  key: string | null;
  /** The number of its values before the one that is being read. */
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

/** No valid token starts here. Infinity is past the end of any text, so nothing is found after it either. */
const NONE = Number.POSITIVE_INFINITY;

/**
 * Checks the grammar of JSON without making any value, and stops at the first error or bound: JSON.parse turns 8 MB of
 * brackets into hundreds of megabytes. Also reports what JSON.parse hides. Takes any text, does not recurse, and reads
 * each character a fixed number of times.
 */
export function scanJson(text: string, { maxDepth, maxValues }: JsonBounds): JsonScan {
  const open: OpenContainer[] = [];
  const numbers: OddNumber[] = [];
  let duplicate: JsonPath | null = null;
  let values = 0;
  let depth = 0;
  const path = (): JsonPath => open.map(({ key, index }) => key ?? index);
  const ended = (end: JsonScan['end'], valueEnd: number | null = null): JsonScan => ({
    end,
    valueEnd,
    values,
    depth,
    duplicate,
    numbers,
  });

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
    // A value begins here, after white space.
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
    // The value ends here. Containers may end with it; otherwise a comma follows.
    at = pastSpace(text, at);
    let container = open.at(-1);
    while (container !== undefined && text.charCodeAt(at) === container.closing) {
      open.pop();
      container = open.at(-1);
      at = pastSpace(text, at + 1);
    }
    if (container === undefined) return at === text.length ? ended('whole') : ended('broken', at);
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

/** The key of a string token. Only tokens with escapes need JSON.parse, which is slow. */
function keyOf(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    // A control character is not allowed in a string, and NaN is the end of the text.
    if (!(code >= SPACE)) return NONE;
    if (code !== BACKSLASH) continue;
    const length = escapeLength(text, at + 1);
    if (length === 0) return NONE;
    at += length;
  }
}

const ESCAPED = new Set('"\\/bfnrt');

/** How many characters belong to the escape after a backslash; 0 if it is not an escape. */
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

/** Only integers must be exact: a number with a fraction or an exponent is meant as a double. */
function oddityOf(literal: string): OddNumber['kind'] | null {
  const value = Number(literal);
  if (!Number.isFinite(value)) return 'overflow';
  if (Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(literal)) return null;
  // At most 309 digits: a longer integer without leading zeros is too large for a double.
  return BigInt(literal) === BigInt(value) ? null : 'inexact';
}
