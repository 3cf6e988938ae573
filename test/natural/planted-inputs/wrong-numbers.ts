import { flag, integer, list, number, object, text } from '../shapes.ts';
import { clockFace, digitSum } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';

const row = 'inputs/result-matches-returns';

const samples = list({ type: 'number', minimum: -1e9, maximum: 1e9 }, 'Samples', { maxItems: 100 });

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** JSON has no NaN and no infinity: both become null. */
export const wrongNumbers: readonly PlantedInputBug[] = [
  plantInput({
    name: 'null for the average of an empty list',
    row,
    smallest: { values: [] },
    open: () => ({
      name: 'average',
      description: 'Arithmetic mean of samples; 0 if there are none.',
      parameters: object({ values: samples }),
      returns: object({ average: number('The mean.'), count: integer('How many.') }),
      examples: [{ values: [1, 2, 4] }],
      run: ({ values }: { values: readonly number[] }) => ({
        average: sumOf(values) / values.length,
        count: values.length,
      }),
    }),
  }),
  plantInput({
    name: 'null for the deviation of a list of one',
    row,
    smallest: { values: [0] },
    beside: [digitSum],
    open: () => ({
      name: 'standardDeviation',
      description: 'Standard deviation of samples, 0 if there are fewer than two.',
      parameters: object({ values: samples, isPopulation: flag('They are all that exist') }, [
        'isPopulation',
      ]),
      returns: object({ deviation: number('Not negative.', { minimum: 0 }) }),
      examples: [{ values: [2, 4, 4, 5] }],
      run: ({ values, isPopulation = false }: { values: readonly number[]; isPopulation?: boolean }) => {
        if (values.length === 0) return { deviation: 0 };
        const mean = sumOf(values) / values.length;
        const squares = sumOf(values.map((value) => (value - mean) ** 2));
        return { deviation: Math.sqrt(squares / (isPopulation ? values.length : values.length - 1)) };
      },
    }),
  }),
  plantInput({
    name: 'null for a division by zero',
    row,
    smallest: { from: 0, to: 0 },
    open: () => ({
      name: 'growth',
      description: 'Growth of a count in percent; 0 if it starts at 0.',
      parameters: object({
        from: integer('Earlier count', { minimum: 0, maximum: 1_000_000 }),
        to: integer('Later count', { minimum: 0, maximum: 1_000_000 }),
      }),
      returns: object({ percent: number('Negative for a decline.', { minimum: -100 }) }),
      examples: [{ from: 80, to: 100 }],
      run: ({ from, to }: { from: number; to: number }) => ({ percent: ((to - from) / from) * 100 }),
    }),
  }),
  plantInput({
    name: 'null for a product that overflows',
    row,
    smallest: { price: 1e308, quantity: 2 },
    beside: [clockFace],
    open: () => ({
      name: 'priceOf',
      description:
        'Price of several pieces of the same article. The highest number stands for more than that.',
      parameters: object({
        price: number('Of one', { minimum: 0 }),
        quantity: integer('How many', { minimum: 1 }),
      }),
      returns: object({ total: number('Of all.', { minimum: 0 }) }),
      examples: [{ price: 2.5, quantity: 4 }],
      run: ({ price, quantity }: { price: number; quantity: number }) => ({ total: price * quantity }),
    }),
  }),
  plantInput({
    name: 'a text for a number with digits',
    row,
    smallest: { digits: 0, value: 0 },
    open: () => ({
      name: 'roundTo',
      description: 'Rounds a number, to a whole one if no digits are given.',
      parameters: object(
        {
          value: number('To be rounded', { minimum: -1e9, maximum: 1e9 }),
          digits: integer('After the decimal point', { minimum: 0, maximum: 6 }),
        },
        ['digits'],
      ),
      returns: object({ rounded: number('The result.') }),
      examples: [{ value: 2.75 }],
      run: ({ value, digits }: { value: number; digits?: number }) => ({
        rounded: digits === undefined ? Math.round(value) : value.toFixed(digits),
      }),
    }),
  }),
  plantInput({
    name: 'a fraction for a whole number',
    row,
    smallest: { from: 0, to: 1 },
    beside: [clockFace, digitSum],
    open: () => ({
      name: 'middlePage',
      description: 'Page in the middle of a chapter, the earlier one of two.',
      parameters: object({
        from: integer('First page', { minimum: 0, maximum: 100_000 }),
        to: integer('Last page', { minimum: 0, maximum: 100_000 }),
      }),
      returns: object({ page: integer('Where to open the book.') }),
      examples: [{ from: 11, to: 31 }],
      run: ({ from, to }: { from: number; to: number }) => ({ page: (from + to) / 2 }),
    }),
  }),
  plantInput({
    name: 'null for zero, which is treated as missing',
    row,
    smallest: { celsius: 0 },
    open: () => ({
      name: 'kelvin',
      description: 'Converts a temperature to kelvins.',
      parameters: object({ celsius: number('Degrees', { minimum: -273.15, maximum: 1_000_000 }) }),
      returns: object({ kelvin: number('Above absolute zero.', { minimum: 0 }), scale: text('Its name.') }),
      examples: [{ celsius: 21.5 }],
      run: ({ celsius }: { celsius: number }) => ({
        kelvin: celsius ? celsius + 273.15 : null,
        scale: 'kelvin',
      }),
    }),
  }),
];
