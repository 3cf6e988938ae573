import type { NaturalFunction } from '../natural-server.ts';
import { integer, list, object, text } from '../shapes.ts';

/** Correct functions that a server has beside the one with the bug. */

export const wordLengths: NaturalFunction = {
  name: 'wordLengths',
  description: 'Number of characters of each word.',
  parameters: object({ sentence: text('Words with spaces between them') }),
  returns: object({ lengths: list({ type: 'integer', minimum: 1 }, 'In the order of the words.') }),
  examples: [{ sentence: 'so far so good' }],
  run: ({ sentence }: { sentence: string }) => ({
    lengths: sentence
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => [...word].length),
  }),
};

export const digitSum: NaturalFunction = {
  name: 'digitSum',
  description: 'Sum of the decimal digits of a whole number.',
  parameters: object({ value: integer('Whole number', { minimum: 0, maximum: 999_999_999 }) }),
  returns: object({ sum: integer('Sum of the digits.', { minimum: 0, maximum: 81 }) }),
  examples: [{ value: 4711 }],
  run: ({ value }: { value: number }) => ({
    sum: [...value.toFixed()].reduce((sum, digit) => sum + Number(digit), 0),
  }),
};

export const clockFace: NaturalFunction = {
  name: 'clockFace',
  description: 'Time of day after a number of minutes since midnight.',
  parameters: object({ minutes: integer('Since midnight', { minimum: 0, maximum: 1439 }) }),
  returns: object({ time: text('Hours and minutes.', { pattern: '^\\d\\d:\\d\\d$' }) }),
  examples: [{ minutes: 615 }],
  run: ({ minutes }: { minutes: number }) => {
    const twoDigits = (value: number): string => String(value).padStart(2, '0');
    return { time: `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}` };
  },
};
