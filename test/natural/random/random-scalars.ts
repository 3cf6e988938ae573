import {
  type Arbitrary,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
  subarray,
} from 'fast-check';
import { type Made, made } from './made.ts';

const WORDS = ['red', 'green', 'blue', 'small', 'LARGE', 'in-stock', 'sold out', 'été', 'N/A', ''] as const;
const TEXTS = ['Ada Lovelace', 'x', 'Zürich, Seestrasse 12', '東京', 'line one\nline two', '42'] as const;

const PATTERNS: readonly (readonly [pattern: string, ...values: string[]])[] = [
  ['^[A-Z]{2}-\\d{3}$', 'AB-123', 'ZZ-000'],
  ['^[a-z][a-z0-9_]*$', 'a', 'user_1'],
  ['^\\d{4}$', '0000', '1234'],
  ['^#([0-9a-f]{3}|[0-9a-f]{6})$', '#fff', '#00ff7f'],
  ['^(?!admin$)[a-z]+$', 'ada', 'adminx'],
  ['[aeiou]', 'tea', 'xyza'],
  ['^v?\\d+\\.\\d+(\\.\\d+)?$', '1.0', 'v2.13.4'],
  ['^[^\\s@]+@[^\\s@]+$', 'a@b', 'ada@example.com'],
  ['^\\p{Lu}\\p{L}*$', 'Ärger', 'Ada'],
  ['^(\\+|00)[1-9][0-9 ]{5,14}$', '+41 44 123', '0049301234567'],
  ['^.{1,8}$', 'a', 'abcdefgh'],
  ['^(GET|POST|PUT)\\b', 'GET', 'POST /a'],
];

const FORMATS: readonly (readonly [format: string, ...values: string[]])[] = [
  ['date', '2026-01-31', '2024-02-29'],
  ['date-time', '2026-01-31T12:00:00Z'],
  ['time', '12:00:00Z'],
  ['email', 'ada@example.com'],
  ['uri', 'https://example.com/a?b=c'],
  ['uuid', '123e4567-e89b-42d3-a456-426614174000'],
  ['ipv4', '192.0.2.1'],
  ['hostname', 'example.com'],
  ['currency-code', 'EUR'],
];

function sometimes<T>(value: Arbitrary<T>): Arbitrary<T | undefined> {
  return oneof(constant(undefined), value);
}

function freeText(): Arbitrary<Made> {
  const lengths = {
    minLength: sometimes(integer({ min: 0, max: 12 })),
    more: sometimes(integer({ min: 0, max: 60 })),
  };
  return record(lengths).map(({ minLength, more }) => {
    const maxLength = more === undefined ? undefined : (minLength ?? 0) + more;
    const fitting = TEXTS.map((text) => [...text.padEnd(minLength ?? 0, 'x')].slice(0, maxLength).join(''));
    return made({ type: 'string', minLength, maxLength }, fitting);
  });
}

function text(): Arbitrary<Made> {
  return oneof(
    { weight: 4, arbitrary: freeText() },
    {
      weight: 2,
      arbitrary: constantFrom(...PATTERNS).map(([pattern, ...values]) =>
        made({ type: 'string', pattern }, values),
      ),
    },
    {
      weight: 2,
      arbitrary: constantFrom(...FORMATS).map(([format, ...values]) =>
        made({ type: 'string', format }, values),
      ),
    },
  );
}

function listed(): Arbitrary<Made> {
  const words = subarray([...WORDS], { minLength: 1, maxLength: 5 });
  return oneof(
    words.map((list) => made({ type: 'string', enum: list }, list)),
    words.map((list) => made({ enum: list }, list)),
    subarray([1, 2, 3, 5, 8, 13], { minLength: 1 }).map((list) =>
      made({ type: 'integer', enum: list }, list),
    ),
    subarray(['auto', 0, 1, null, true], { minLength: 1 }).map((list) => made({ enum: list }, list)),
    constantFrom<unknown>('v1', 7, false, null, { unit: 'm' }, [1]).map((value) =>
      made({ const: value }, [value]),
    ),
  );
}

/** Bounds around multiples of a step, so that there are values between them. */
function numeric(type: 'integer' | 'number', steps: readonly (number | undefined)[]): Arbitrary<Made> {
  return record({
    step: constantFrom(...steps),
    first: integer({ min: -200, max: 200 }),
    count: constantFrom(0, 1, 2, 10, 99, 100_000),
    low: constantFrom('minimum', 'exclusiveMinimum', 'none'),
    high: constantFrom('maximum', 'exclusiveMaximum', 'none'),
  }).map(({ step, first, count, low, high }) => {
    const by = step ?? 1;
    const ends = { minimum: 0, exclusiveMinimum: -by, maximum: 0, exclusiveMaximum: by, none: 0 };
    return made(
      {
        type,
        multipleOf: step,
        ...(low === 'none' ? {} : { [low]: decimal(first * by + ends[low]) }),
        ...(high === 'none' ? {} : { [high]: decimal((first + count) * by + ends[high]) }),
      },
      [
        ...[0, 1, count].filter((index) => index <= count).map((index) => decimal((first + index) * by)),
        // As a handler computes it.
        ...(count < 2 ? [] : [(first + 2) * by]),
      ],
    );
  });
}

/** As authors write it: 18.4, not 18.400000000000002. */
function decimal(value: number): number {
  return Number(value.toPrecision(12));
}

/** Schemas of texts, numbers, flags and listed values. */
export function scalar(): Arbitrary<Made> {
  const plain = oneof(
    { weight: 4, arbitrary: text() },
    { weight: 3, arbitrary: numeric('integer', [undefined, undefined, 1, 2, 5, 12]) },
    { weight: 3, arbitrary: numeric('number', [undefined, undefined, 0.01, 0.1, 0.25, 0.5, 10]) },
    { weight: 2, arbitrary: constant(made({ type: 'boolean' }, [true, false])) },
    { weight: 3, arbitrary: listed() },
  );
  return record({ one: plain, isNullable: boolean(), byType: boolean() }).map(
    ({ one, isNullable, byType }) =>
      isNullable && 'type' in one.schema && !('enum' in one.schema) ? nullable(one, byType) : one,
  );
}

function nullable({ schema, values }: Made, byType: boolean): Made {
  return byType
    ? made({ ...schema, type: [schema.type, 'null'] }, [null, ...values])
    : made({ anyOf: [schema, { type: 'null' }] }, [null, ...values]);
}
