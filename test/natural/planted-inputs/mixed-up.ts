import type { Members, NaturalFunction } from '../natural-server.ts';
import { integer, list, number, object, text } from '../shapes.ts';
import { clockFace, digitSum } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';

const row = 'inputs/callers-apart';

const KEY_LENGTH = 16;
const DEFAULT_WIDTH = 20;

/** Keeps the results of a function by a key of the input. */
function cached(fn: NaturalFunction, keyOf: (input: Record<string, string>) => string): NaturalFunction {
  const cache = new Map<string, Members>();
  return {
    ...fn,
    run: async (input: Members) => {
      const key = keyOf(input as Record<string, string>);
      const result = cache.get(key) ?? (await fn.run(input as never));
      cache.set(key, result);
      return result;
    },
  };
}

const hashtag: NaturalFunction = {
  name: 'hashtag',
  description: 'Hashtag of a name, with its letters as they are.',
  parameters: object({ name: text('Name of a person or thing') }),
  returns: object({ name: text('The name.'), hashtag: text('With a number sign.', { pattern: '^#' }) }),
  examples: [{ name: 'Open Source' }],
  run: ({ name }: { name: string }) => ({ name, hashtag: `#${name.replaceAll(/\s/g, '')}` }),
};

const describeText: NaturalFunction = {
  name: 'describeText',
  description: 'Length of a text and its last character.',
  parameters: object({ text: text('Any text', { maxLength: 2000 }) }),
  returns: object({ text: text('The text.'), length: integer('Code points.'), last: text('May be empty.') }),
  examples: [{ text: 'Call me Ishmael.' }],
  run: ({ text: given }: { text: string }) => {
    const characters = [...given];
    return { text: given, length: characters.length, last: characters.at(-1) ?? '' };
  },
};

const codePoints: NaturalFunction = {
  name: 'codePoints',
  description: 'Unicode code points of a word.',
  parameters: object({ word: text('Word', { maxLength: 80 }) }),
  returns: object({ word: text('The word.'), codePoints: list({ type: 'integer' }, 'In order.') }),
  examples: [{ word: 'naïve' }],
  run: ({ word }: { word: string }) => ({
    word,
    codePoints: [...word].map((character) => character.codePointAt(0)),
  }),
};

const centred: NaturalFunction = {
  name: 'centred',
  description: 'A text in the middle of a line.',
  parameters: object(
    { text: text('Text', { maxLength: 80 }), width: integer('Of the line', { minimum: 1, maximum: 120 }) },
    ['width'],
  ),
  returns: object({ line: text('The line.'), width: integer('Width that was used.') }),
  examples: [{ text: 'Chapter 1' }],
  run: ({ text: given, width = DEFAULT_WIDTH }: { text: string; width?: number }) => {
    const left = Math.max(Math.floor((width - given.length) / 2), 0);
    return { line: `${' '.repeat(left)}${given}`, width };
  },
};

const byline: NaturalFunction = {
  name: 'byline',
  description: 'Name of a person as in a list of sources.',
  parameters: object({
    first: text('First name', { maxLength: 80 }),
    last: text('Last name', { maxLength: 80 }),
  }),
  returns: object({ first: text('First name.'), last: text('Last name.'), byline: text('Last name first.') }),
  examples: [{ first: 'Grace', last: 'Hopper' }],
  run: ({ first, last }: { first: string; last: string }) => ({ first, last, byline: `${last}, ${first}` }),
};

const mapTile: NaturalFunction = {
  name: 'mapTile',
  description: 'Looks up the tile of a map that shows a place.',
  parameters: object({
    latitude: number('Degrees north', { minimum: -90, maximum: 90 }),
    longitude: number('Degrees east', { minimum: -180, maximum: 180 }),
  }),
  returns: object({ latitude: number('Degrees.'), longitude: number('Degrees.'), tile: text('Its name.') }),
  examples: [{ latitude: 51.2, longitude: 3.22 }],
  run: ({ latitude, longitude }: { latitude: number; longitude: number }) => ({
    latitude,
    longitude,
    tile: `${Math.floor((latitude + 90) * 4)}-${Math.floor((longitude + 180) * 4)}`,
  }),
};

interface Style {
  readonly unit: string;
  readonly digits: number;
}

export const mixedUp: readonly PlantedInputBug[] = [
  plantInput({
    name: 'the key of a cache ignores an optional parameter',
    row,
    smallest: [{ text: '' }, { text: '', width: 1 }],
    open: () => cached(centred, ({ text: given = '' }) => given),
  }),
  plantInput({
    name: 'the key of a cache has only 16 characters',
    row,
    smallest: [{ text: 'a'.repeat(KEY_LENGTH) }, { text: 'a'.repeat(KEY_LENGTH + 1) }],
    beside: [digitSum],
    open: () => cached(describeText, ({ text: given = '' }) => given.slice(0, KEY_LENGTH)),
  }),
  plantInput({
    name: 'the key of a cache is in lower case',
    row,
    smallest: [{ name: 'A' }, { name: 'a' }],
    beside: [clockFace],
    open: () => cached(hashtag, ({ name = '' }) => name.toLowerCase()),
  }),
  plantInput({
    // The sign for kelvins is equivalent to the letter.
    name: 'the key of a cache is in a Unicode normal form',
    row,
    smallest: [{ word: '\u212a' }, { word: 'K' }],
    open: () => cached(codePoints, ({ word = '' }) => word.normalize('NFC')),
  }),
  plantInput({
    name: 'the key of a cache joins two texts without a separator',
    row,
    smallest: [
      { first: '', last: 'a' },
      { first: 'a', last: '' },
    ],
    open: () => cached(byline, ({ first = '', last = '' }) => first + last),
  }),
  plantInput({
    name: 'the key of a cache has rounded numbers',
    row,
    smallest: [
      { latitude: 0, longitude: 0 },
      { latitude: 0.1, longitude: 0 },
    ],
    beside: [clockFace, digitSum],
    open: () =>
      cached(
        mapTile,
        ({ latitude, longitude }) => `${Math.round(Number(latitude))} ${Math.round(Number(longitude))}`,
      ),
  }),
  plantInput({
    name: 'an optional parameter that is left out keeps its last value',
    row,
    smallest: [{ text: '', width: 1 }, { text: '' }],
    open: () => {
      let lastWidth: number | undefined;
      return {
        ...centred,
        run: (input: { text: string; width?: number }) => {
          lastWidth = input.width ?? lastWidth;
          return centred.run({ ...input, width: lastWidth } as never);
        },
      };
    },
  }),
  plantInput({
    name: 'calls extend the default list',
    row,
    smallest: [{ ignore: [''], text: '' }, { text: '' }],
    beside: [digitSum],
    open: () => {
      const ignored = ['a', 'the'];
      return {
        name: 'keywords',
        description: 'Words of a text without those that are ignored.',
        parameters: object(
          {
            text: text('Any text', { maxLength: 2000 }),
            ignore: list({ type: 'string' }, 'Further words', { maxItems: 10 }),
          },
          ['ignore'],
        ),
        returns: object({
          keywords: list({ type: 'string' }, 'In order.'),
          ignored: list({ type: 'string' }, 'Words that were left out.'),
        }),
        examples: [{ text: 'the cat and the fiddle' }],
        run: ({ text: given, ignore = [] }: { text: string; ignore?: readonly string[] }) => {
          ignored.push(...ignore);
          return { keywords: given.split(/\s+/).filter((word) => !ignored.includes(word)), ignored };
        },
      };
    },
  }),
  plantInput({
    name: 'options of a call are written into the default options',
    row,
    smallest: [{ options: { digits: 0 }, value: 0 }, { value: 0 }],
    open: () => {
      const defaults: Style = { unit: 'm', digits: 2 };
      return {
        name: 'measure',
        description: 'Writes a length with its unit.',
        parameters: object(
          {
            value: number('Length', { minimum: 0, maximum: 1e9 }),
            options: object(
              {
                unit: text('Unit', { enum: ['m', 'km'] }),
                digits: integer('Decimals', { minimum: 0, maximum: 6 }),
              },
              ['unit', 'digits'],
            ),
          },
          ['options'],
        ),
        returns: object({
          written: text('Number and unit.'),
          unit: text('Unit.'),
          digits: integer('Digits.'),
        }),
        examples: [{ value: 12.5 }],
        run: ({ value, options = {} }: { value: number; options?: Partial<Style> }) => {
          const { unit, digits } = Object.assign(defaults, options);
          return { written: `${value.toFixed(digits)} ${unit}`, unit, digits };
        },
      };
    },
  }),
];
