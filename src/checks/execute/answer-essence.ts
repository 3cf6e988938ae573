import { isExactNumber } from '../../json/exact-number.ts';
import { isJsonObject, type Json, jsonPointer, ownProperty } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import { isMessage, returnedIn, toolOutcome } from '../../wires/mcp/answer.ts';
import { parseIso8601 } from '../iso8601.ts';
import { exactBody, jsonBody } from '../json/json-body.ts';

/** What a call returns, in any wire; undefined in an error. */
export function payloadOf(answer: Answer): Json | undefined {
  return payloadIn(jsonBody(answer).value, answer);
}

/** The same with the digits of its numbers, for what is sent again. */
export function exactPayloadOf(answer: Answer): Json | undefined {
  return payloadIn(exactBody(answer), answer);
}

function payloadIn(body: Json | undefined, answer: Answer): Json | undefined {
  if (isMessage(answer)) return toolOutcome(answer).kind === 'result' ? returnedIn(body) : undefined;
  return ownProperty(body, 'output') ?? ownProperty(body, 'result');
}

/** The content of an answer to a call, without what differs from call to call: ids, durations and times. */
export function essenceOf(answer: Answer): Json | undefined {
  const { value } = jsonBody(answer);
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) return withoutTimes(value);
  // Of a message that refuses, the error, or the whole result with isError.
  const refusal =
    ownProperty(value, 'error') ?? (isMessage(answer) ? ownProperty(value, 'result') : undefined);
  return withoutTimes(payloadOf(answer) ?? refusal ?? null);
}

function withoutTimes(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutTimes);
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutTimes(inner)]));
  return isTime(value) ? TIME : value;
}

const TIME = '(a time)';

function isTime(value: Json): boolean {
  if (typeof value === 'number') return isUnixTime(value) || isUnixTime(value / 1000);
  return typeof value === 'string' && value.includes('T') && parseIso8601(value) !== undefined;
}

/** From 2017 to 2065: a number in this range is almost always a Unix time. */
function isUnixTime(seconds: number): boolean {
  return seconds > 1.5e9 && seconds < 3e9;
}

export interface Leaf {
  /** RFC 6901 pointer. */
  readonly pointer: string;
  readonly value: string | number | boolean | null;
  /** It is, or is within, an item of a list. */
  readonly inList: boolean;
}

/** Every text, number and literal of a value with its pointer; of an exact number, the double that is judged. */
export function leavesOf(value: Json, pointer = '', inList = false): readonly Leaf[] {
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((item, index) => leavesOf(item, `${pointer}/${index}`, true));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      leavesOf(inner, pointer + jsonPointer([key]), inList),
    );
  return [{ pointer, value: (isExactNumber(value) ? Number(value) : value) as Leaf['value'], inList }];
}

export function valuesByPointer(leaves: readonly Leaf[]): ReadonlyMap<string, Leaf['value']> {
  return new Map(leaves.map(({ pointer, value }) => [pointer, value]));
}

const MIN_DISTINCTIVE_DIGITS = 3;
const MIN_DISTINCTIVE_CHARACTERS = 10;

/** Whether a value is too specific to be equal by chance, unlike a digit, a boolean or a short word. */
export function isDistinctive(value: Json): boolean {
  return areDistinctive(leavesOf(value));
}

/** Whether two values differ in distinctive parts. */
export function differDistinctively(left: Json, right: Json): boolean {
  const [ofLeft, ofRight] = [leavesOf(left), leavesOf(right)];
  return areDistinctive(without(ofLeft, ofRight)) || areDistinctive(without(ofRight, ofLeft));
}

function without(leaves: readonly Leaf[], others: readonly Leaf[]): readonly Leaf[] {
  const known = valuesByPointer(others);
  return leaves.filter(({ pointer, value }) => known.get(pointer) !== value);
}

function areDistinctive(leaves: readonly Leaf[]): boolean {
  const digits = leaves.map(({ value }) => (typeof value === 'number' ? String(value).length : 0));
  return (
    digits.reduce((sum, count) => sum + count, 0) >= MIN_DISTINCTIVE_DIGITS ||
    leaves.some(({ value }) => typeof value === 'string' && value.length >= MIN_DISTINCTIVE_CHARACTERS)
  );
}
