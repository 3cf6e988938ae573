import type { Members } from '../natural-server.ts';
import { flag, integer, list, number, object, text } from '../shapes.ts';
import { clockFace, digitSum } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';
import { EMPTY_BODY, EXPRESS_PAGE, FASTIFY_BODY, INTERNAL_CODE, NO_ANSWER, PROXY_PAGE } from './unhandled.ts';

const row = 'inputs/valid-answered';

const PAGE_SIZE = 100;
const WEIGHTS = [3, 1];

function checkDigitOf(value: number): number {
  const digits = [...String(value)].reverse().map(Number);
  const sum = digits.reduce((total, digit, at) => total + digit * (WEIGHTS[at % 2] ?? 1), 0);
  return (10 - (sum % 10)) % 10;
}

interface Bounds {
  readonly above?: number;
  readonly below?: number;
}

const FILTERS: Record<string, (value: number, bounds: Bounds) => boolean> = {
  '': () => true,
  above: (value, { above = 0 }) => value > above,
  below: (value, { below = 0 }) => value < below,
};

export const crashesOnListsAndOptions: readonly PlantedInputBug[] = [
  plantInput({
    name: 'crash on two equal items',
    row,
    craft: EXPRESS_PAGE,
    smallest: { names: ['', ''] },
    beside: [digitSum],
    open: () => ({
      name: 'alphabeticalPlaces',
      description: 'Places of names in alphabetical order.',
      parameters: object({ names: list({ type: 'string' }, 'Names', { maxItems: 50 }) }),
      returns: object({ places: list({ type: 'integer', minimum: 1 }, 'Old places, in the new order.') }),
      examples: [{ names: ['Noor', 'Ada', 'Kim'] }],
      run: ({ names }: { names: readonly string[] }) => {
        const left = new Map(names.map((name, at) => [name, { place: at + 1 }]));
        const takePlace = (name: string): number => {
          const { place } = left.get(name) as { place: number };
          left.delete(name);
          return place;
        };
        return { places: names.toSorted().map(takePlace) };
      },
    }),
  }),
  plantInput({
    name: 'crash on the 101st item',
    row,
    craft: NO_ANSWER,
    smallest: { numbers: new Array(101).fill(0) },
    open: () => ({
      name: 'checkDigits',
      description: 'Check digits of article numbers.',
      parameters: object({
        numbers: list({ type: 'integer', minimum: 0, maximum: 999_999 }, 'Article numbers', {
          maxItems: 250,
        }),
      }),
      returns: object({
        digits: list({ type: 'integer', minimum: 0, maximum: 9 }, 'In the same order.', { maxItems: 250 }),
      }),
      examples: [{ numbers: [4006, 381, 333_931] }],
      run: ({ numbers }: { numbers: readonly number[] }) => {
        const pages = [numbers.slice(0, PAGE_SIZE).map(checkDigitOf)];
        const digitAt = (at: number): number => {
          const page = pages[Math.floor(at / PAGE_SIZE)] as number[];
          return page[at % PAGE_SIZE] as number;
        };
        return { digits: numbers.map((_, at) => digitAt(at)) };
      },
    }),
  }),
  plantInput({
    name: 'crash on an optional parameter that is given',
    row,
    craft: INTERNAL_CODE,
    smallest: { locale: '', value: 0 },
    beside: [clockFace],
    open: () => ({
      name: 'formatAmount',
      description: 'Writes a number as in a language. An unknown language is treated as English.',
      parameters: object(
        {
          value: number('Any number'),
          locale: text('Tag of the language', { maxLength: 35 }),
          decimals: integer('After the decimal point', { minimum: 0, maximum: 10 }),
        },
        ['locale', 'decimals'],
      ),
      returns: object({ formatted: text('The number.', { minLength: 1 }) }),
      examples: [{ value: 1234.5 }],
      run: ({
        value,
        locale = 'en',
        decimals = 2,
      }: {
        value: number;
        locale?: string;
        decimals?: number;
      }) => ({
        formatted: new Intl.NumberFormat(locale, { maximumFractionDigits: decimals }).format(value),
      }),
    }),
  }),
  plantInput({
    name: 'crash on null, which the schema allows',
    row,
    craft: FASTIFY_BODY,
    smallest: { name: '', title: null },
    open: () => ({
      name: 'salutation',
      description: 'Begins a letter to a person.',
      parameters: object(
        {
          name: text('Last name'),
          title: { type: ['string', 'null'], description: 'Null if there is none' },
        },
        ['title'],
      ),
      returns: object({ salutation: text('First line of a letter.') }),
      examples: [{ name: 'Hopper', title: 'Admiral' }],
      run: ({ name, title }: { name: string; title?: string }) => ({
        salutation: title === undefined ? `Dear ${name},` : `Dear ${title.trim()} ${name},`,
      }),
    }),
  }),
  plantInput({
    name: 'crash on a nested object without its optional part',
    row,
    craft: PROXY_PAGE,
    smallest: { address: { city: '' } },
    open: () => ({
      name: 'addressLine',
      description: 'Last line of an address, as it is printed on a letter.',
      parameters: object({
        address: object(
          {
            city: text('City'),
            country: object({ code: text('Two letters', { pattern: '^[A-Z]{2}$' }), name: text('Name') }, [
              'name',
            ]),
          },
          ['country'],
        ),
      }),
      returns: object({ line: text('The line.') }),
      examples: [{ address: { city: 'Bruges', country: { code: 'BE' } } }],
      run: ({ address }: { address: { city: string; country: { code: string; name?: string } } }) => {
        const { code, name = code } = address.country;
        return { line: `${code}-${address.city} (${name})` };
      },
    }),
  }),
  plantInput({
    name: 'crash on false, which is treated as missing',
    row,
    craft: INTERNAL_CODE,
    smallest: { ascending: false, values: [] },
    beside: [clockFace],
    open: () => ({
      name: 'inOrder',
      description: 'Numbers in ascending or descending order.',
      parameters: object({
        values: list({ type: 'number' }, 'Numbers', { maxItems: 200 }),
        ascending: flag('The smallest first'),
      }),
      returns: object({ values: list({ type: 'number' }, 'The same numbers.') }),
      examples: [{ values: [3, 1, 2], ascending: true }],
      run: (input: Members) => {
        for (const key of ['values', 'ascending']) {
          if (!input[key]) throw new TypeError(`${key} is missing`);
        }
        return { values: (input.values as number[]).toSorted((one, other) => one - other) };
      },
    }),
  }),
  plantInput({
    name: 'crash on two optional parameters at once',
    row,
    craft: EMPTY_BODY,
    smallest: { above: 0, below: 0, values: [0] },
    open: () => ({
      name: 'valuesBetween',
      description: 'Values that are above one limit and below another. Both limits are optional.',
      parameters: object(
        {
          values: list({ type: 'number' }, 'Values', { maxItems: 200 }),
          above: number('Lower limit'),
          below: number('Upper limit'),
        },
        ['above', 'below'],
      ),
      returns: object({ values: list({ type: 'number' }, 'In the same order.') }),
      examples: [{ values: [1, 2, 3], above: 1.5 }],
      run: ({ values, ...bounds }: { values: readonly number[] } & Bounds) => {
        const given = [bounds.above !== undefined && 'above', bounds.below !== undefined && 'below'];
        const filter = FILTERS[given.filter(Boolean).join(' and ')] as (typeof FILTERS)[string];
        return { values: values.filter((value) => filter(value, bounds)) };
      },
    }),
  }),
];
