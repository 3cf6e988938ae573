import {
  type Arbitrary,
  array,
  constantFrom,
  type DoubleConstraints,
  date,
  double,
  integer,
  ipV4,
  ipV6,
  nat,
  oneof,
  type StringConstraints,
  string,
  uuid,
} from 'fast-check';
import type { Json } from '../json/json.ts';
import type { Conjunction } from './keywords-together.ts';
import { boundOf, countsOf, valuesOf } from './keywords-together.ts';
import { type MatchingBudget, type Random, textsMatching } from './text-for-pattern.ts';

/**
 * `plain`: short and ordinary values, without anything optional. `any`: whatever the schema allows, within bounds.
 */
export type Variety = 'plain' | 'any';

export interface Making {
  readonly root: Json;
  readonly depth: number;
  readonly variety: Variety;
  /** How often the part may be repeated: the lists around it take their share. */
  readonly repeated: number;
  /** Parts of the schema, characters that texts must have, and steps of matching that may still be spent. */
  readonly left: MatchingBudget & { parts: number; characters: number };
  /** Parts of the schema that may still be looked at for alternatives. */
  readonly alternatives: { parts: number };
}

const MAX_INTEGER = 2 ** 31 - 1;
const MAX_PLAIN_INTEGER = 99;

export function numberArbitrary(all: Conjunction, whole: boolean, variety: Variety): Arbitrary<Json> | null {
  const above = boundOf(all, 'exclusiveMinimum', 'largest') ?? -Infinity;
  const below = boundOf(all, 'exclusiveMaximum', 'smallest') ?? Infinity;
  const low = Math.max(boundOf(all, 'minimum', 'largest') ?? -Infinity, above);
  const high = Math.min(boundOf(all, 'maximum', 'smallest') ?? Infinity, below);
  const steps = valuesOf(all, 'multipleOf').filter(
    (step) => typeof step === 'number' && step > 0,
  ) as number[];
  if (low > high) return null;
  if (whole || steps.length > 0) {
    const step = commonMultiple(whole ? [1, ...steps] : steps);
    const first = low === above ? Math.floor(low / step) + 1 : Math.ceil(low / step);
    const last = high === below ? Math.ceil(high / step) - 1 : Math.floor(high / step);
    const [min, max] = windowOf(first, last, variety === 'plain' ? MAX_PLAIN_INTEGER : MAX_INTEGER);
    if (min > max) return null;
    return integer({ min, max }).map((count) => inDecimals(count * step));
  }
  const [first, last] = [Math.floor(low) + 1, Math.ceil(high) - 1];
  if (variety === 'plain' && first <= last) {
    const [min, max] = windowOf(first, last, MAX_PLAIN_INTEGER);
    if (min <= max) return integer({ min, max });
  }
  return doublesWithin({
    ...(low > -Infinity ? { min: low, minExcluded: low === above } : {}),
    ...(high < Infinity ? { max: high, maxExcluded: high === below } : {}),
  });
}

/** Without the error of the last digit: 3 * 0.1 is not what a schema in steps of 0.1 means. */
export function inDecimals(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

function doublesWithin(range: DoubleConstraints): Arbitrary<Json> | null {
  try {
    // JSON has no negative zero.
    return double({ ...range, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  } catch {
    // No double is between the bounds.
    return null;
  }
}

/** The part of a range that integers can be drawn from, nearest to zero. */
function windowOf(first: number, last: number, reach: number): readonly [number, number] {
  const min = Math.max(first, Math.min(-reach, last - reach));
  const max = Math.min(last, Math.max(reach, first + reach));
  return [Math.max(min, Number.MIN_SAFE_INTEGER), Math.min(max, Number.MAX_SAFE_INTEGER)];
}

const MAX_FACTOR = 10_000;

function commonMultiple(steps: readonly number[]): number {
  return steps.reduce((left, right) => {
    for (let factor = 1; factor <= MAX_FACTOR; factor += 1) {
      const multiple = Number((left * factor).toPrecision(15));
      if (Number.isInteger(Number((multiple / right).toPrecision(12)))) return multiple;
    }
    return left;
  });
}

const MAX_TEXT_CHARACTERS = 1000;

export function textArbitrary(all: Conjunction, making: Making): Arbitrary<Json> | null {
  const { variety, repeated } = making;
  const spread = Math.ceil(MAX_TEXT_CHARACTERS / repeated);
  const { least, most } = countsOf(all, 'minLength', 'maxLength', spread);
  if (least > most) return null;
  making.left.characters -= least * repeated;
  if (making.left.characters < 0) return null;
  const patterns = valuesOf(all, 'pattern').filter((value) => typeof value === 'string');
  if (patterns.length > 0)
    return oneof(
      ...patterns.map((pattern) => {
        const text = textsMatching(pattern, { least, most }, making.left);
        return choices().map((random) => text(random) ?? '');
      }),
    );
  const [format] = valuesOf(all, 'format').filter((value) => typeof value === 'string');
  const formatted = format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format]?.() : undefined;
  if (formatted !== undefined) return formatted;
  if (variety === 'plain')
    return nat({ max: 99 }).map((number) => `probity-${number}`.padEnd(least, 'x').slice(0, most));
  const bounds: StringConstraints = {
    minLength: least,
    maxLength: Math.min(most, least + spread),
  };
  return oneof(
    { weight: 3, arbitrary: string(bounds) },
    { weight: 1, arbitrary: string({ ...bounds, unit: constantFrom(...WORLD) }) },
    { weight: 1, arbitrary: string({ ...bounds, unit: anyCharacter() }) },
  );
}

/** Letters that change in case and in number of bytes, a pair of surrogates, marks, blanks and what markup reads. */
const WORLD = [...'éßİ東عक😀', ...'\u0301\u200b\u00a0\n\0', ...'"\\<&%\';'] as const;

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

function anyCharacter(): Arbitrary<string> {
  return nat({ max: 0x10ffff - SURROGATES }).map((number) =>
    String.fromCodePoint(number < SURROGATES_FROM ? number : number + SURROGATES),
  );
}

const MAX_CHOICES = 60;
const MAX_CHOICE = 9999;

/** A list of choices that shrinks to shorter and smaller ones, and so does what is made by them. */
function choices(): Arbitrary<Random> {
  return array(nat({ max: MAX_CHOICE }), { maxLength: MAX_CHOICES, size: 'max' }).map((numbers) => {
    let next = 0;
    return (below) => {
      const number = numbers[next % Math.max(1, numbers.length)] ?? 0;
      next += 1;
      return number % below;
    };
  });
}

const instants = (): Arbitrary<string> =>
  date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }).map((at) =>
    at.toISOString(),
  );

const numbered = (text: (number: number) => string): Arbitrary<string> => nat({ max: 9999 }).map(text);

const pages = (): Arbitrary<string> => numbered((number) => `https://example.com/${number}`);

const FORMATS: Readonly<Record<string, () => Arbitrary<string>>> = {
  'date-time': instants,
  date: () => instants().map((text) => text.slice(0, 10)),
  time: () => instants().map((text) => text.slice(11)),
  duration: () => numbered((minutes) => `PT${minutes}M`),
  email: () => numbered((number) => `someone-${number}@example.com`),
  'idn-email': () => numbered((number) => `someone-${number}@example.com`),
  hostname: () => numbered((number) => `host-${number}.example.com`),
  ipv4: () => ipV4(),
  ipv6: () => ipV6(),
  uri: pages,
  url: pages,
  'uri-reference': pages,
  iri: pages,
  'iri-reference': pages,
  uuid: () => uuid(),
  regex: () => constantFrom('^a+$', '.*', '[0-9]{2}'),
  'json-pointer': () => constantFrom('', '/a', '/a/0', '/a~1b'),
};
