import { type ExactNumber, isExactNumber } from './exact-number.ts';

/** A JSON value as parsed from text (RFC 8259). What is judged of an answer has no ExactNumber, only what is sent. */
export type Json = null | boolean | number | ExactNumber | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Deeper values are not judged, so that code may recurse over values. */
export const MAX_JSON_DEPTH = 256;

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isExactNumber(value)) return 'number';
  return typeof value as 'boolean' | 'number' | 'string' | 'object';
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** An object's own property, never an inherited one, because targets send names such as `toString`. */
export function ownProperty(value: unknown, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Such a property, if it is a text. */
export function ownText(value: unknown, name: string): string | null {
  const text = ownProperty(value, name);
  return typeof text === 'string' ? text : null;
}

/** The items of such a property; none if it is no list. */
export function ownItems(value: unknown, name: string): readonly Json[] {
  return itemsOf(ownProperty(value, name));
}

/** None of what is no list. */
export function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Null for a text that is not JSON. */
export function jsonOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** Like JSON.stringify, but writes numbers too large for a double as words instead of null. */
export function jsonText(value: Json): string {
  return write(value, (keys) => keys);
}

/** The same text for the same value, independent of the order of keys. */
export function canonicalJson(value: Json): string {
  return write(value, (keys) => keys.sort());
}

function write(value: Json, inOrder: (keys: string[]) => string[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, inOrder)).join(',')}]`;
  if (isExactNumber(value)) return String(value);
  if (!isJsonObject(value)) return isTooLarge(value) ? `(${tooLargeWords(value)})` : JSON.stringify(value);
  const members = inOrder(Object.keys(value)).map(
    (key) => `${JSON.stringify(key)}:${write(value[key] as Json, inOrder)}`,
  );
  return `{${members.join(',')}}`;
}

/** JSON.parse reads 1e999 as Infinity. */
function isTooLarge(value: Json): value is number {
  return typeof value === 'number' && !Number.isFinite(value);
}

function tooLargeWords(value: number): string {
  return `a ${value < 0 ? 'negative ' : ''}number too large for a double`;
}

export function sameJson(left: Json, right: Json): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/** An RFC 6901 pointer from the steps of a path. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The steps of an RFC 6901 pointer. */
export function pointerSteps(pointer: string): readonly string[] {
  const [, ...steps] = pointer.split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The JSONPath of a pointer: "/notes/0/id" is "$.notes[0].id". */
export function jsonPathOf(pointer: string): string {
  return `$${pointerSteps(pointer).map(pathStep).join('')}`;
}

function pathStep(step: string): string {
  if (/^\d+$/.test(step)) return `[${step}]`;
  return /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

const SHOWN_CHARACTERS = 160;

/** A value with its JSON type, short enough for a line of a report: `"ok" (string)`. */
export function showJson(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  const type = jsonTypeOf(value);
  if (isTooLarge(value)) return tooLargeWords(value);
  return `${shorten(startOfText(value))} (${type})`;
}

/** The start of a value’s text, without serialising long or deep values completely. */
function startOfText(value: Json): string {
  let text = '';
  const isFull = (): boolean => text.length > SHOWN_CHARACTERS * 2;
  const writeStart = (part: Json): void => {
    if (isFull()) return;
    if (typeof part === 'string') text += JSON.stringify(start(part));
    else if (Array.isArray(part))
      writeParts('[', ']', part.keys(), (index) => writeStart(part[index] as Json));
    else if (isJsonObject(part)) {
      writeParts('{', '}', Object.keys(part), (key) => {
        text += `${JSON.stringify(key)}:`;
        writeStart(part[key] as Json);
      });
    } else text += jsonText(part);
  };
  const writeParts = <Step>(
    open: string,
    close: string,
    steps: Iterable<Step>,
    writePart: (step: Step) => void,
  ): void => {
    text += open;
    let separator = '';
    for (const step of steps) {
      if (isFull()) return;
      text += separator;
      separator = ',';
      writePart(step);
    }
    text += close;
  };
  writeStart(value);
  return text;
}

export function shorten(text: string, maxCharacters = SHOWN_CHARACTERS): string {
  const characters = [...start(text, maxCharacters)];
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

/** Code units for at least this many characters, or the whole text. */
function start(text: string, characters = SHOWN_CHARACTERS): string {
  return text.slice(0, characters * 2 + 2);
}

/** Whether all numbers are finite, and the nesting is at most `levels` deep. */
export function isFiniteWithin(value: Json, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value !== 'object' || isExactNumber(value)) return true;
  return levels > 0 && Object.values(value).every((one: Json) => isFiniteWithin(one, levels - 1));
}
