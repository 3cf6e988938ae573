import { isExactNumber, numberFrom } from './exact-number.ts';
import type { Json } from './json.ts';

// JSON.parse and JSON.stringify do the work, because they are fast and bounded by nothing of ours. Only for a text with a
// number that a double changes, both run on a text in which every string value has a mark before it: `s` for a string,
// `n` for a number.

/** A string with the colon of a key after it, or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** In every number that a double changes, and in few other texts. */
const MANY_DIGITS = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** Like JSON.parse, but keeps the digits of each number. */
export function parseExactly(text: string): Json {
  return withDigits(JSON.parse(text) as Json, text);
}

/** The value that JSON.parse made of the text, with the digits that it lost. */
export function withDigits(value: Json, text: string): Json {
  if (!MANY_DIGITS.test(text)) return value;
  let isChanged = false;
  const marked = text.replaceAll(TOKEN, (token, colon?: string) => {
    if (token.startsWith('"')) return colon === undefined ? `"s${token.slice(1)}` : token;
    if (!isExactNumber(numberFrom(token))) return token;
    isChanged = true;
    return `"n${token}"`;
  });
  if (!isChanged) return value;
  return JSON.parse(marked, (_key, part: unknown) => {
    if (typeof part !== 'string') return part;
    return part.startsWith('n') ? numberFrom(part.slice(1)) : part.slice(1);
  }) as Json;
}

/** Like JSON.stringify, but writes the digits of each number. */
export function stringifyExactly(value: unknown, indentation = 0): string {
  if (!holdsExactNumber(value)) return JSON.stringify(value, null, indentation);
  const mark = (_key: string, part: unknown): unknown => {
    if (isExactNumber(part)) return `n${String(part)}`;
    return typeof part === 'string' ? `s${part}` : part;
  };
  return JSON.stringify(value, mark, indentation).replaceAll(TOKEN, (token, colon?: string) => {
    if (!token.startsWith('"') || colon !== undefined) return token;
    return token[1] === 'n' ? token.slice(2, -1) : `"${token.slice(2)}`;
  });
}

/** The same value with the nearest doubles. */
export function withDoubles<Value>(value: Value): Value {
  return holdsExactNumber(value) ? (JSON.parse(stringifyExactly(value)) as Value) : value;
}

function holdsExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isExactNumber(value) || Object.values(value).some(holdsExactNumber);
}
