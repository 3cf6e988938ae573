import { bufferFrom } from '../../model/bytes.ts';
import { withDigits } from '../../model/exact-json.ts';
import type { AnsweredExchange, Bytes, TransportFailure } from '../../model/exchange.ts';
import {
  isJsonObject,
  type Json,
  jsonPointer,
  jsonTypeOf,
  MAX_JSON_DEPTH,
  shorten,
  showJson,
} from '../../model/json.ts';
import type { SelectedNode } from '../../model/selector.ts';
import { TRANSPORT_ADVICE } from '../transport-advice.ts';
import { type JsonBounds, type JsonPath, type OddNumber, scanJson } from './json-scanner.ts';
import { valueAt } from './local-reference.ts';

export interface JsonProblem {
  /** False if the body is only too much for the harness. */
  readonly serversFault: boolean;
  readonly message: string;
  readonly received: string;
  readonly pointer?: string;
  readonly advice?: string;
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

/** By the body, because repeated reads of the same large body share it. */
const decoded = new WeakMap<Bytes, JsonBody>();

/** Decodes an answer's body strictly: UTF-8 without BOM, one JSON value, no duplicate keys (RFC 8259). */
export function jsonBody(exchange: AnsweredExchange): JsonBody {
  const { body, bodyProblem } = exchange.response;
  if (bodyProblem !== undefined) return unread(bodyProblem);
  const known = decoded.get(body) ?? decodeJson(bufferFrom(body));
  decoded.set(body, known);
  return known;
}

/** The value of an answer with the digits of its numbers, for what is sent again. */
export function exactBody(exchange: AnsweredExchange): Json | undefined {
  const { value } = jsonBody(exchange);
  const { body } = exchange.response;
  if (value === undefined) return undefined;
  const known = exactValues.get(body);
  if (known !== undefined) return known;
  const text = 'text' in body ? body.text : bufferFrom(body).toString();
  const exact = withDigits(value, text.replace(/^\uFEFF/, ''));
  exactValues.set(body, exact);
  return exact;
}

const exactValues = new WeakMap<Bytes, Json>();

/** What a selector found in the value, with the digits of its numbers: a selector compares doubles. */
export function exactNodes(
  exchange: AnsweredExchange,
  nodes: readonly SelectedNode[],
): readonly SelectedNode[] {
  const exact = exactBody(exchange);
  if (exact === undefined || exact === jsonBody(exchange).value) return nodes;
  return nodes.map(({ pointer, value }) => ({ pointer, value: valueAt(exact, pointer) ?? value }));
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeJson(bytes: Uint8Array): JsonBody {
  if (bytes.byteLength === 0) return refuse('the body is empty', 'an empty body');
  let text: string;
  try {
    text = strictUtf8.decode(bytes);
  } catch {
    return refuse('the body is not valid UTF-8', `${bytes.byteLength} bytes that are not UTF-8`);
  }
  const hasBom = text.startsWith('\uFEFF');
  const json = hasBom ? text.slice(1) : text;
  // Scanned before it is parsed, because JSON.parse has no bounds.
  const { end, duplicate, numbers } = scanJson(json, BOUNDS);
  if (end === 'too-deep' || end === 'too-many')
    return { value: undefined, problem: BEYOND[end], numbers: [] };
  let value: Json;
  try {
    value = JSON.parse(json) as Json;
  } catch {
    return refuse('the body is not JSON', showJson(json));
  }
  return { value, problem: problemOf(value, hasBom, duplicate), numbers };
}

const BEYOND: Readonly<Record<'too-deep' | 'too-many', JsonProblem>> = {
  'too-deep': {
    serversFault: false,
    message: `the body is nested deeper than the harness judges (${MAX_JSON_DEPTH})`,
    received: `more than ${MAX_JSON_DEPTH} levels`,
  },
  'too-many': {
    serversFault: false,
    message: `the body holds more values than the harness judges (${MAX_JSON_VALUES})`,
    received: `more than ${MAX_JSON_VALUES} values`,
  },
};

const BOM_ADVICE =
  'Write the body as UTF-8 without the mark: the encoding utf-8 and not utf-8-sig in Python, new UTF8Encoding(false) in .NET, UTF8 without BOM in PowerShell. Remove U+FEFF from the start of a file that is sent on.';

function problemOf(value: Json, hasBom: boolean, duplicate: JsonPath | null): JsonProblem | null {
  if (hasBom)
    return {
      serversFault: true,
      message: 'the body starts with a byte order mark',
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
  if (isJsonObject(value)) return null;
  return {
    serversFault: true,
    message: `the body is JSON, but ${articled(jsonTypeOf(value))}`,
    received: showJson(value),
  };
}

function refuse(message: string, received: string): JsonBody {
  return { value: undefined, problem: { serversFault: true, message, received }, numbers: [] };
}

/** A body that could not be decoded, such as one in a coding that was not requested. */
function unread({ code, fault, message }: TransportFailure): JsonBody {
  const advice = TRANSPORT_ADVICE[code];
  const problem = {
    serversFault: fault === 'server',
    message,
    received: `a body that cannot be read: ${code}`,
    ...(advice === undefined ? {} : { advice }),
  };
  return { value: undefined, problem, numbers: [] };
}

function articled(word: string): string {
  return word === 'null' ? word : `${/^[aeio]/.test(word) ? 'an' : 'a'} ${word}`;
}
