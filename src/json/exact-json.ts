import { isExactNumber, numberFrom } from './exact-number.ts';
import type { Json } from './json.ts';

// JSON.parse and JSON.stringify do the work, because they are fast. Only where a double changes a number, the number goes
// through them as a string with the mark `#n` before its digits, and a string that could be taken for one with `#s`.

/** A string or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const COLON = /\s*:/y;
/** In every number that a double changes, and in few other texts. */
const MANY_DIGITS = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** Like JSON.parse, but keeps the digits of each number. */
export function parseExactly(text: string): Json {
  return withDigits(JSON.parse(text) as Json, text);
}

/** The value that JSON.parse made of the text, with the digits that it lost. */
export function withDigits(value: Json, text: string): Json {
  if (!MANY_DIGITS.test(text)) return value;
  let marked = '';
  let end = 0;
  let isChanged = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isString = token.startsWith('"');
    if (
      isString ? !mayBeMarked(token) || isKey(text, index + token.length) : !isExactNumber(numberFrom(token))
    )
      continue;
    isChanged ||= !isString;
    marked += `${text.slice(end, index)}${isString ? `"#s${token.slice(1)}` : `"#n${token}"`}`;
    end = index + token.length;
  }
  return isChanged ? (unmarked(JSON.parse(marked + text.slice(end))) as Json) : value;
}

/** It starts with the mark, or with an escape, which may stand for it. */
function mayBeMarked(token: string): boolean {
  return token[1] === '#' || token[1] === '\\';
}

function isKey(text: string, end: number): boolean {
  COLON.lastIndex = end;
  return COLON.test(text);
}

/** In place: as a reviver of JSON.parse it would take several times as long. */
function unmarked(part: unknown): unknown {
  if (typeof part === 'string') {
    if (part.startsWith('#n')) return numberFrom(part.slice(2));
    return part.startsWith('#s') ? part.slice(2) : part;
  }
  if (typeof part !== 'object' || part === null) return part;
  const container = part as Record<string, unknown>;
  for (const key of Object.keys(container)) container[key] = unmarked(container[key]);
  return container;
}

/** Like JSON.stringify, but writes the digits of each number. */
export function stringifyExactly(value: unknown, indentation = 0): string {
  if (!holdsExactNumber(value)) return JSON.stringify(value, null, indentation);
  const mark = (_key: string, part: unknown): unknown => {
    if (isExactNumber(part)) return `#n${String(part)}`;
    return typeof part === 'string' && part.startsWith('#') ? `#s${part}` : part;
  };
  const marked = JSON.stringify(value, mark, indentation);
  return marked.replaceAll(TOKEN, (token, index: number) => {
    if (!token.startsWith('"#') || isKey(marked, index + token.length)) return token;
    return token[2] === 'n' ? token.slice(3, -1) : `"${token.slice(3)}`;
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
