import { bufferFrom } from '../model/bytes.ts';
import type { AnsweredExchange } from '../model/exchange.ts';
import { isJsonObject, type Json, jsonPointer, jsonTypeOf, showJson } from '../model/json.ts';

export interface JsonProblem {
  /** False for what only the harness cannot stomach. */
  readonly serversFault: boolean;
  readonly message: string;
  readonly received: string;
  readonly pointer?: string;
}

/** The parsed value, also of a body with a BOM or duplicate keys, so that the rest can still be judged. */
export type JsonBody =
  | { readonly value: Json; readonly problem: JsonProblem | null }
  | { readonly value: undefined; readonly problem: JsonProblem };

/** Deeper answers are not judged: every walk over a value may recurse so deep and no deeper. */
export const MAX_JSON_DEPTH = 256;

/** Nor are larger ones: every check looks at every value, some at every pair of neighbours. */
export const MAX_JSON_VALUES = 250_000;

const decoded = new WeakMap<AnsweredExchange, JsonBody>();

/** Decodes an answer's body strictly: UTF-8 without BOM, one JSON value, no duplicate keys (RFC 8259). */
export function jsonBody(exchange: AnsweredExchange): JsonBody {
  const known = decoded.get(exchange);
  if (known !== undefined) return known;
  const body = decodeJson(bufferFrom(exchange.response.body));
  decoded.set(exchange, body);
  return body;
}

export function decodeJson(bytes: Uint8Array): JsonBody {
  if (bytes.byteLength === 0) return refuse('the body is empty', 'an empty body');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('the body is not valid UTF-8', `${bytes.byteLength} bytes that are not UTF-8`);
  }
  const hasBom = text.startsWith('\uFEFF');
  const json = hasBom ? text.slice(1) : text;
  let value: Json;
  try {
    value = JSON.parse(json) as Json;
  } catch {
    return refuse('the body is not JSON', showJson(json));
  }
  const { depth, duplicate, values } = scanJson(json);
  if (depth > MAX_JSON_DEPTH) {
    const message = `the body is nested ${depth} deep, which is more than the harness judges (${MAX_JSON_DEPTH})`;
    return {
      value: undefined,
      problem: { serversFault: false, message, received: `JSON nested ${depth} deep` },
    };
  }
  if (values > MAX_JSON_VALUES) {
    const message = `the body holds ${values} values, which is more than the harness judges (${MAX_JSON_VALUES})`;
    return {
      value: undefined,
      problem: { serversFault: false, message, received: `JSON of ${values} values` },
    };
  }
  if (hasBom)
    return {
      value,
      problem: {
        serversFault: true,
        message: 'the body starts with a byte order mark',
        received: 'EF BB BF before the JSON',
      },
    };
  if (duplicate !== null) {
    const pointer = jsonPointer(duplicate);
    const message = `the key ${JSON.stringify(duplicate.at(-1))} stands twice in one object`;
    return { value, problem: { serversFault: true, message, received: 'the same key twice', pointer } };
  }
  if (!isJsonObject(value)) {
    return {
      value,
      problem: {
        serversFault: true,
        message: `the body is JSON, but ${articled(jsonTypeOf(value))}`,
        received: showJson(value),
      },
    };
  }
  return { value, problem: null };
}

function refuse(message: string, received: string): JsonBody {
  return { value: undefined, problem: { serversFault: true, message, received } };
}

function articled(word: string): string {
  return word === 'null' ? word : `${/^[aeio]/.test(word) ? 'an' : 'a'} ${word}`;
}

interface JsonScan {
  /** How many values there are, members and items alike. */
  readonly values: number;
  readonly depth: number;
  readonly duplicate: readonly (string | number)[] | null;
}

interface OpenContainer {
  /** Keys seen so far; null for an array. */
  readonly keys: Set<string> | null;
  step: string | number;
}

/** What JSON.parse hides. Expects valid JSON; loops instead of recursing, so any depth is safe. */
export function scanJson(json: string): JsonScan {
  const open: OpenContainer[] = [];
  let depth = 0;
  let values = 1;
  let duplicate: (string | number)[] | null = null;
  let expectsKey = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    const container = open.at(-1);
    if (character === '{' || character === '[') {
      open.push({ keys: character === '{' ? new Set() : null, step: character === '{' ? '' : 0 });
      depth = Math.max(depth, open.length);
      values += 1;
      expectsKey = character === '{';
    } else if (character === '}' || character === ']') {
      open.pop();
      expectsKey = false;
    } else if (character === ',') {
      values += 1;
      if (container !== undefined && typeof container.step === 'number') container.step += 1;
      expectsKey = container?.keys !== null;
    } else if (character === '"') {
      const end = endOfString(json, index);
      if (expectsKey && container?.keys) {
        const key = JSON.parse(json.slice(index, end + 1)) as string;
        container.step = key;
        if (container.keys.has(key)) duplicate ??= open.map(({ step }) => step);
        container.keys.add(key);
        expectsKey = false;
      }
      index = end;
    }
  }
  return { depth, duplicate, values };
}

function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
}
