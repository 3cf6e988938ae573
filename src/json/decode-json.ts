import {
  isJsonObject,
  type Json,
  jsonPointer,
  jsonTypeOf,
  MAX_JSON_DEPTH,
  shorten,
  showJson,
} from './json.ts';
import { type JsonBounds, type JsonPath, type OddNumber, scanJson } from './json-scanner.ts';

export interface JsonProblem {
  /** False if the body is only too much for the harness. */
  readonly serversFault: boolean;
  readonly message: string;
  readonly received: string;
  readonly pointer?: string;
  readonly advice?: string | undefined;
}

/** The parsed value, also of a body with a BOM or duplicate keys, so that the rest can still be judged. */
export type JsonBody = {
  /** Numbers that `value` does not hold as they were written. They are legal. */
  readonly numbers: readonly OddNumber[];
} & (
  | { readonly value: Json; readonly problem: JsonProblem | null }
  | { readonly value: undefined; readonly problem: JsonProblem }
);

/** Larger answers are not judged, because each check reads every value. */
export const MAX_JSON_VALUES = 250_000;

const BOUNDS: JsonBounds = { maxDepth: MAX_JSON_DEPTH, maxValues: MAX_JSON_VALUES };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes the body of an answer strictly: UTF-8 without BOM, one JSON object, no duplicate keys (RFC 8259). */
export function decodeJson(bytes: Uint8Array): JsonBody {
  const body = decodeJsonValue(bytes, 'the body');
  if (body.value === undefined || body.problem !== null || isJsonObject(body.value)) return body;
  const problem = {
    serversFault: true,
    message: `the body is JSON, but ${articled(jsonTypeOf(body.value))}`,
    received: showJson(body.value),
  };
  return { ...body, problem };
}

/** The same for any JSON value; `what` names the text in problems. */
export function decodeJsonValue(bytes: Uint8Array, what: string): JsonBody {
  if (bytes.byteLength === 0) return refuse(`${what} is empty`, 'an empty body');
  let text: string;
  try {
    text = strictUtf8.decode(bytes);
  } catch {
    return refuse(`${what} is not valid UTF-8`, `${bytes.byteLength} bytes that are not UTF-8`);
  }
  const hasBom = text.startsWith('\uFEFF');
  const json = hasBom ? text.slice(1) : text;
  // Scanned before it is parsed, because JSON.parse has no bounds.
  const { end, duplicate, numbers } = scanJson(json, BOUNDS);
  if (end === 'too-deep' || end === 'too-many')
    return { value: undefined, problem: beyond(end, what), numbers: [] };
  let value: Json;
  try {
    value = JSON.parse(json) as Json;
  } catch {
    return refuse(`${what} is not JSON`, showJson(json));
  }
  return { value, problem: problemOf(hasBom, duplicate, what), numbers };
}

/** Whether the text is several JSON values, one after the other. */
export function holdsSeveralValues(text: string): boolean {
  const { valueEnd } = scanJson(text, BOUNDS);
  return valueEnd !== null && scanJson(text.slice(valueEnd), BOUNDS).values > 0;
}

function beyond(end: 'too-deep' | 'too-many', what: string): JsonProblem {
  const [words, most, unit] =
    end === 'too-deep'
      ? ['is nested deeper', MAX_JSON_DEPTH, 'levels']
      : ['holds more values', MAX_JSON_VALUES, 'values'];
  const message = `${what} ${words} than the harness judges (${most})`;
  return { serversFault: false, message, received: `more than ${most} ${unit}` };
}

const BOM_ADVICE =
  'Write the body as UTF-8 without the mark: the encoding utf-8 and not utf-8-sig in Python, new UTF8Encoding(false) in .NET, UTF8 without BOM in PowerShell. Remove U+FEFF from the start of a file that is sent on.';

function problemOf(hasBom: boolean, duplicate: JsonPath | null, what: string): JsonProblem | null {
  if (hasBom)
    return {
      serversFault: true,
      message: `${what} starts with a byte order mark`,
      received: 'EF BB BF before the JSON',
      advice: BOM_ADVICE,
    };
  if (duplicate !== null)
    return {
      serversFault: true,
      message: `the key ${shorten(JSON.stringify(duplicate.at(-1)))} occurs twice in one object`,
      received: 'the same key twice',
      pointer: jsonPointer(duplicate),
    };
  return null;
}

function refuse(message: string, received: string): JsonBody {
  return { value: undefined, problem: { serversFault: true, message, received }, numbers: [] };
}

function articled(word: string): string {
  return word === 'null' ? word : `${/^[aeio]/.test(word) ? 'an' : 'a'} ${word}`;
}
