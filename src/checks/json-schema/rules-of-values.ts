import { type ExactNumber, isExactNumber } from '../../json/exact-number.ts';
import { type Json, jsonTypeOf } from '../../json/json.ts';
import {
  canonicalText,
  comparableNumber,
  compareJson,
  isMultipleAfterRounding,
  isMultipleOf,
  MAX_COMPARED_DEPTH,
} from './compare.ts';
import { invalid, type Outcome, undecided, VALID } from './outcome.ts';
import type { MakeRule, Rule } from './schema-node.ts';

const TOO_LARGE = 'a number is too large for a double';

export const typeRule: MakeRule = (operand, { schema }) => {
  const types = new Set(Array.isArray(operand) ? (operand as readonly Json[]) : [operand]);
  return (value) => (isOneOf(types, value) ? VALID : invalid('type', schema, value));
};

/** A number too large for a double is of no type: programs in JavaScript cannot use it. */
function isOneOf(types: ReadonlySet<Json>, value: Json): boolean {
  if (!isNumber(value)) return types.has(jsonTypeOf(value));
  const number = Number(value);
  return (
    (types.has('number') && Number.isFinite(number)) || (types.has('integer') && Number.isInteger(number))
  );
}

function isNumber(value: Json): value is number | ExactNumber {
  return typeof value === 'number' || isExactNumber(value);
}

export const constRule: MakeRule = (operand, { schema }) => compared('const', schema, [operand]);

export const enumRule: MakeRule = (operand, { schema }) =>
  Array.isArray(operand) ? compared('enum', schema, operand as readonly Json[]) : null;

function compared(keyword: string, schema: Json, choices: readonly Json[]): Rule {
  const isPlain = (value: Json) =>
    typeof value !== 'object' && (value === null || Number.isFinite(value) || typeof value !== 'number');
  const plain = new Set(choices.filter(isPlain));
  const others = choices.filter((choice) => !isPlain(choice));
  return (value, run): Outcome => {
    if (plain.has(value)) return VALID;
    let outcome = invalid(keyword, schema, value);
    for (const choice of isExactNumber(value) ? choices : others) {
      const comparison = compareJson(choice, value, run.spend);
      if (comparison === 'same') return VALID;
      if (comparison === 'unknown') outcome = undecided(TOO_LARGE);
    }
    return outcome;
  };
}

function bound(
  keyword: string,
  measure: (value: Json) => number | bigint,
  keeps: (measured: number | bigint, limit: number | bigint) => boolean,
): MakeRule {
  return (operand, { schema }) => {
    if (!isNumber(operand)) return null;
    const limit = comparableNumber(operand);
    return (value, run) => {
      if (typeof value === 'string') run.spend(value.length >> 5);
      return keeps(measure(value), limit) ? VALID : invalid(keyword, schema, value);
    };
  };
}

const itself = (value: Json): number | bigint => comparableNumber(value as number | ExactNumber);
const itemCount = (value: Json): number => (value as readonly Json[]).length;
const propertyCount = (value: Json): number => Object.keys(value as object).length;
const atMost = (measured: number | bigint, limit: number | bigint): boolean => measured <= limit;
const atLeast = (measured: number | bigint, limit: number | bigint): boolean => measured >= limit;

/** Characters: a surrogate pair counts as one. */
function characterCount(value: Json): number {
  const text = value as string;
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800 || (text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00)
      continue;
    count -= 1;
    index += 1;
  }
  return count;
}

export const maximumRule = bound('maximum', itself, atMost);
export const minimumRule = bound('minimum', itself, atLeast);
export const exclusiveMaximumRule = bound('exclusiveMaximum', itself, (value, limit) => value < limit);
export const exclusiveMinimumRule = bound('exclusiveMinimum', itself, (value, limit) => value > limit);
export const maxLengthRule = bound('maxLength', characterCount, atMost);
export const minLengthRule = bound('minLength', characterCount, atLeast);
export const maxItemsRule = bound('maxItems', itemCount, atMost);
export const minItemsRule = bound('minItems', itemCount, atLeast);
export const maxPropertiesRule = bound('maxProperties', propertyCount, atMost);
export const minPropertiesRule = bound('minProperties', propertyCount, atLeast);

export const multipleOfRule: MakeRule = (operand, { schema }) => {
  if (!isNumber(operand) || Number(operand) <= 0) return null;
  const divisor = Number(operand);
  return (value) => {
    const number = Number(value);
    if (!Number.isFinite(number) || !Number.isFinite(divisor))
      return number === 0 ? VALID : undecided(TOO_LARGE);
    if (isMultipleOf(value as number | ExactNumber, operand)) return VALID;
    // Validators that divide the doubles accept it: 18.400000000000002 / 0.1 is 184.
    return isMultipleAfterRounding(number, divisor)
      ? undecided(`${number} is a multiple of ${divisor} only after rounding`)
      : invalid('multipleOf', schema, value);
  };
};

export const uniqueItemsRule: MakeRule = (operand, { schema }) => {
  if (operand !== true) return null;
  return (value, run) => {
    const indexes = new Map<string, number>();
    let outcome = VALID;
    for (const [index, item] of (value as readonly Json[]).entries()) {
      const canonical = canonicalText(item, run.spend);
      if (canonical === null) {
        outcome = undecided(`an item is nested more than ${MAX_COMPARED_DEPTH} levels deep`);
        continue;
      }
      const first = indexes.get(canonical.text);
      if (first === undefined) indexes.set(canonical.text, index);
      else if (canonical.isExact)
        return invalid('uniqueItems', schema, value, { kind: 'same items', first, second: index });
      else outcome = undecided(TOO_LARGE);
    }
    return outcome;
  };
};

export const patternRule: MakeRule = (operand, { schema, pattern }) => {
  if (typeof operand !== 'string') return null;
  const { match } = pattern(operand);
  return (value, run) => {
    const found = match(value as string, run.spend);
    if (found.kind === 'undecided') return undecided(found.reason);
    return found.kind === 'match' ? VALID : invalid('pattern', schema, value);
  };
};
