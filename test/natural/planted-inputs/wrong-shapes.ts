import { integer, list, object, text } from '../shapes.ts';
import { readDay, refuseLastYear, writeDay } from './days.ts';
import { clockFace, digitSum } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';

const row = 'inputs/result-matches-returns';

const DAYS = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'];
const DAY_MS = 86_400_000;
const ALIGNMENTS: Record<string, string> = { ltr: 'left' };
const MAX_PAGE = 10;

/** JSON leaves out a key whose value is undefined. */
export const wrongShapes: readonly PlantedInputBug[] = [
  plantInput({
    name: 'a list that is longer than declared',
    row,
    smallest: { values: new Array(MAX_PAGE + 1).fill(0) },
    beside: [digitSum],
    open: () => ({
      name: 'firstPage',
      description: 'First page of a list of numbers.',
      parameters: object(
        {
          values: list({ type: 'integer' }, 'All numbers', { maxItems: 100 }),
          pageSize: integer('Numbers of a page', { minimum: 1, maximum: MAX_PAGE }),
        },
        ['pageSize'],
      ),
      returns: object({ values: list({ type: 'integer' }, 'Of the page.', { maxItems: MAX_PAGE }) }),
      examples: [{ values: [5, 4, 3, 2], pageSize: 3 }],
      run: ({ values, pageSize }: { values: readonly number[]; pageSize?: number }) => ({
        values: values.slice(0, pageSize),
      }),
    }),
  }),
  plantInput({
    name: 'a text for the count of the word "constructor"',
    row,
    smallest: { text: 'constructor' },
    open: () => ({
      name: 'wordCounts',
      description: 'How often each word of a text is used.',
      parameters: object({ text: text('Any text', { maxLength: 2000 }) }),
      returns: object({
        counts: {
          type: 'object',
          additionalProperties: { type: 'integer', minimum: 1 },
          description: 'By the word in lower case.',
        },
      }),
      examples: [{ text: 'To be or not to be' }],
      run: ({ text: given }: { text: string }) => {
        const counts: Record<string, number> = {};
        for (const word of given.toLowerCase().split(/\s+/)) {
          if (word !== '') counts[word] = (counts[word] ?? 0) + 1;
        }
        return { counts };
      },
    }),
  }),
  plantInput({
    name: 'no weekday for a day before 1970',
    row,
    smallest: { day: '1969-12-31' },
    beside: [clockFace],
    open: () => ({
      name: 'weekdayOf',
      description: 'Weekday of a day in the Gregorian calendar.',
      parameters: object({ day: text('Day of the calendar', { format: 'date' }) }),
      returns: object({ weekday: text('Its English name.', { enum: DAYS }), day: text('The day.') }),
      examples: [{ day: '2026-01-31' }],
      run: ({ day: given }: { day: string }) => {
        readDay(given);
        return { weekday: DAYS[(Date.parse(`${given}T00:00:00Z`) / DAY_MS) % 7], day: given };
      },
    }),
  }),
  plantInput({
    name: 'no alignment for a text from right to left',
    row,
    smallest: { text: 'א' },
    open: () => ({
      name: 'directionOf',
      description: 'Direction in which a text is written, and the side at which its lines begin.',
      parameters: object({ text: text('Any text') }),
      returns: object({
        direction: text('Of the text.', { enum: ['ltr', 'rtl'] }),
        alignment: text('Side of the page.', { enum: ['left', 'right'] }),
      }),
      examples: [{ text: 'Good morning' }],
      run: ({ text: given }: { text: string }) => {
        const direction = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(given) ? 'rtl' : 'ltr';
        return { direction, alignment: ALIGNMENTS[direction] };
      },
    }),
  }),
  plantInput({
    name: 'no anniversary of 29 February',
    row,
    smallest: { day: '2000-02-29' },
    beside: [clockFace],
    open: () => ({
      name: 'anniversaryOf',
      description: 'First anniversary of a day. That of 29 February is on 1 March.',
      parameters: object({ day: text('Day of the calendar', { format: 'date' }) }),
      returns: object({ anniversary: text('A year later.', { format: 'date' }) }),
      examples: [{ day: '2025-06-30' }],
      run: ({ day: given }: { day: string }) => {
        const day = readDay(given);
        refuseLastYear(day);
        return { anniversary: writeDay({ ...day, year: day.year + 1 }) };
      },
    }),
  }),
];
