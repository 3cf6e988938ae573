import type { Members } from '../natural-server.ts';
import { integer, list, number, object, text } from '../shapes.ts';
import { digitSum, wordLengths } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';
import { EXPRESS_PAGE, FASTIFY_BODY, INTERNAL_CODE, NO_ANSWER, PROXY_PAGE } from './unhandled.ts';

const row = 'inputs/valid-answered';

const TO_SECONDS: Record<string, (amount: number) => number> = {
  second: (amount) => amount,
  minute: (amount) => amount * 60,
  hour: (amount) => amount * 3600,
  day: (amount) => amount * 86_400,
};

interface SizeUnit {
  readonly symbol: string;
  readonly bytes: number;
}

const SIZE_UNITS: readonly SizeUnit[] = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  .map((symbol, power) => ({ symbol, bytes: 1024 ** power }))
  .toReversed();
const MAX_ROWS = 1000;

export const crashesOnNumbers: readonly PlantedInputBug[] = [
  plantInput({
    name: 'crash on a member of the enum without a case',
    row,
    craft: FASTIFY_BODY,
    smallest: { amount: 0, unit: 'week' },
    open: () => ({
      name: 'toSeconds',
      description: 'Converts a duration to seconds.',
      parameters: object({
        amount: number('How much', { minimum: 0, maximum: 1_000_000 }),
        unit: text('Unit of time', { enum: ['second', 'minute', 'hour', 'day', 'week'] }),
      }),
      returns: object({ seconds: number('Seconds.', { minimum: 0 }) }),
      examples: [{ amount: 1.5, unit: 'hour' }],
      run: ({ amount, unit }: { amount: number; unit: string }) => {
        const convert = TO_SECONDS[unit] as (amount: number) => number;
        return { seconds: convert(amount) };
      },
    }),
  }),
  plantInput({
    name: 'crash on exactly the maximum',
    row,
    craft: EXPRESS_PAGE,
    smallest: { percent: 100, values: [0] },
    beside: [digitSum],
    open: () => ({
      name: 'percentile',
      description: 'Value below which a percentage of the values lies.',
      parameters: object({
        values: list({ type: 'number', minimum: -1e6, maximum: 1e6 }, 'Samples', {
          minItems: 1,
          maxItems: 100,
        }),
        percent: integer('Percentage', { minimum: 0, maximum: 100 }),
      }),
      returns: object({ value: number('Rounded to three decimals.') }),
      examples: [{ values: [12, 7, 9.5, 31], percent: 50 }],
      run: ({ values, percent }: { values: readonly number[]; percent: number }) => {
        const sorted = values.toSorted((one, other) => one - other);
        const value = sorted[Math.floor((percent / 100) * sorted.length)] as number;
        return { value: Number(value.toFixed(3)) };
      },
    }),
  }),
  plantInput({
    name: 'crash on zero, which is less than any unit',
    row,
    craft: INTERNAL_CODE,
    smallest: { bytes: 0 },
    open: () => ({
      name: 'fileSize',
      description: 'Size of a file as people read it.',
      parameters: object(
        {
          bytes: integer('Size in bytes', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
          digits: integer('After the decimal point', { minimum: 0, maximum: 3 }),
        },
        ['digits'],
      ),
      returns: object({ size: text('Number and unit.', { pattern: '^[\\d.]+ [a-zA-Z]+$' }) }),
      examples: [{ bytes: 1_234_567, digits: 2 }],
      run: ({ bytes, digits = 1 }: { bytes: number; digits?: number }) => {
        const unit = SIZE_UNITS.find((one) => bytes >= one.bytes) as SizeUnit;
        return { size: `${(bytes / unit.bytes).toFixed(digits)} ${unit.symbol}` };
      },
    }),
  }),
  plantInput({
    name: 'crash on minus one',
    row,
    craft: EXPRESS_PAGE,
    smallest: { columns: -1, text: '' },
    open: () => ({
      name: 'shiftLines',
      description: 'Lines of a text, moved to the right, or to the left by a negative number of columns.',
      parameters: object({
        text: text('One or more lines', { maxLength: 2000 }),
        columns: integer('How far', { minimum: -40, maximum: 40 }),
      }),
      returns: object({ text: text('The moved lines.') }),
      examples: [{ text: 'if (a)\n  b();', columns: 4 }],
      run: ({ text: given, columns }: { text: string; columns: number }) => ({
        text: given.replaceAll(/^/gm, ' '.repeat(columns)),
      }),
    }),
  }),
  plantInput({
    name: 'crash on a number above 2^31 - 1',
    row,
    craft: NO_ANSWER,
    smallest: { value: 2_147_483_648 },
    open: () => ({
      name: 'bigEndian',
      description: 'Bytes of a whole number, the highest first.',
      parameters: object({
        value: integer('Whole number', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      }),
      returns: object({ hex: text('Hexadecimal digits.', { pattern: '^([\\da-f]{2})+$' }) }),
      examples: [{ value: 258 }],
      run: ({ value }: { value: number }) => {
        const bytes = Buffer.alloc(4);
        bytes.writeInt32BE(value);
        return { hex: bytes.toString('hex') };
      },
    }),
  }),
  plantInput({
    name: 'crash on a number with an exponent',
    row,
    craft: FASTIFY_BODY,
    smallest: { value: 1e21 },
    beside: [digitSum],
    open: () => ({
      name: 'groupDigits',
      description: 'Writes a whole number with its digits in groups of three.',
      parameters: object(
        {
          value: integer('Whole number', { minimum: 0 }),
          separator: text('Between groups', { enum: [',', '.', ' '] }),
        },
        ['separator'],
      ),
      returns: object({ grouped: text('The number.', { pattern: '^\\d{1,3}([,. ]\\d{3})*$' }) }),
      examples: [{ value: 1_234_567 }],
      run: ({ value, separator = ',' }: { value: number; separator?: string }) => ({
        grouped: BigInt(String(value))
          .toString()
          .replaceAll(/\B(?=(\d{3})+$)/g, separator),
      }),
    }),
  }),
  plantInput({
    name: 'crash of the serialiser on a result above 2^53',
    row,
    smallest: { n: 19 },
    open: () => ({
      name: 'factorial',
      description: 'Number of orders in which n things can be placed.',
      parameters: object({ n: integer('How many things', { minimum: 0, maximum: 30 }) }),
      returns: object({ orders: number('The factorial of n.', { minimum: 1 }) }),
      examples: [{ n: 6 }],
      run: ({ n }: { n: number }): Members => {
        let orders = 1n;
        for (let factor = 2n; factor <= n; factor++) orders *= factor;
        return { orders: orders > Number.MAX_SAFE_INTEGER ? orders : Number(orders) };
      },
    }),
  }),
  plantInput({
    name: 'crash on a range whose start is after its end',
    row,
    craft: PROXY_PAGE,
    smallest: { from: 2, to: 0 },
    beside: [wordLengths, digitSum],
    open: () => ({
      name: 'rowNumbers',
      description:
        'Numbers of the rows from one row to another. There are none if the start is after the end.',
      parameters: object({
        from: integer('First row', { minimum: 0, maximum: MAX_ROWS }),
        to: integer('Last row', { minimum: 0, maximum: MAX_ROWS }),
      }),
      returns: object({ rows: list({ type: 'integer' }, 'Ascending.', { maxItems: MAX_ROWS + 1 }) }),
      examples: [{ from: 3, to: 7 }],
      run: ({ from, to }: { from: number; to: number }) => ({
        rows: new Array(to - from + 1).fill(from).map((first, at) => first + at),
      }),
    }),
  }),
];
