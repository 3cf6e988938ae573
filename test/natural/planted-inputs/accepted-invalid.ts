import { type Members, type NaturalFunction, Refused } from '../natural-server.ts';
import { careful } from '../serve-natural.ts';
import { integer, list, number, object, text } from '../shapes.ts';
import { clockFace, digitSum } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';
import { EXPRESS_PAGE } from './unhandled.ts';

interface Unchecked {
  readonly name: string;
  readonly smallest: Members;
  readonly beside?: readonly NaturalFunction[];
  readonly fn: NaturalFunction;
  /** The schema that the validation of the author amounts to: without one rule of the declared one. */
  readonly checked: Members;
}

function unchecked({ fn, checked, ...rest }: Unchecked): PlantedInputBug {
  return plantInput({
    ...rest,
    row: 'inputs/invalid-refused',
    open: () => fn,
    craft: {
      refuseInvalid: (called, input) =>
        careful.refuseInvalid(called.name === fn.name ? { ...fn, parameters: checked } : called, input),
    },
  });
}

const UNITS = ['m', 'km', 'mile'];
const HEADLINE_LENGTH = 60;
const MAX_COLOURS = 5;

const metres = number('Metres', { minimum: 0, maximum: 1e6 });
const line = text('One line', { maxLength: 100 });
const pageSize = integer('Lines of a page', { minimum: 1, maximum: 50 });
const priceCents = integer('Full price', { minimum: 0, maximum: 1e9 });
const headline = text('Headline of an article');
const degrees = number('Degrees', { minimum: -500, maximum: 1e6 });
const ids = { type: 'integer', minimum: 0, maximum: 99 };
const day = integer('Day of the year', { minimum: 1, maximum: 366 });
const colour = text('Colour', { pattern: '^#[\\da-f]{6}$' });

export const acceptedInvalid: readonly PlantedInputBug[] = [
  unchecked({
    name: 'a number below the minimum is accepted',
    smallest: { line: '', times: 0 },
    fn: {
      name: 'repeatLine',
      description: 'A line, several times.',
      parameters: object({ line, times: integer('How often', { minimum: 1, maximum: 10 }) }),
      returns: object({ lines: list({ type: 'string' }, 'Equal lines.') }),
      examples: [{ line: 'All work and no play', times: 3 }],
      run: ({ line: given, times }: { line: string; times: number }) => ({
        lines: new Array(Math.max(times, 0)).fill(given),
      }),
    },
    checked: object({ line, times: integer('How often', { maximum: 10 }) }),
  }),
  unchecked({
    name: 'the exclusive maximum is accepted',
    smallest: { priceCents: 0, share: 1 },
    beside: [digitSum],
    fn: {
      name: 'discounted',
      description: 'Price after a discount.',
      parameters: object({
        priceCents,
        share: number('Part that is taken off', { minimum: 0, exclusiveMaximum: 1 }),
      }),
      returns: object({ priceCents: integer('Price to pay.', { minimum: 0 }) }),
      examples: [{ priceCents: 1999, share: 0.25 }],
      run: ({ priceCents: full, share }: { priceCents: number; share: number }) => ({
        priceCents: Math.round(full * (1 - share)),
      }),
    },
    checked: object({ priceCents, share: number('Part that is taken off', { minimum: 0, maximum: 1 }) }),
  }),
  unchecked({
    name: 'a text longer than maxLength is accepted',
    smallest: { headline: 'a'.repeat(HEADLINE_LENGTH + 1) },
    fn: {
      name: 'headlineWidth',
      description: 'Width of a headline in columns of a newspaper.',
      parameters: object({ headline: { ...headline, maxLength: HEADLINE_LENGTH } }),
      returns: object({ columns: integer('Columns.', { minimum: 0 }) }),
      examples: [{ headline: 'Man bites dog' }],
      run: ({ headline: given }: { headline: string }) => ({ columns: Math.ceil(given.length / 12) }),
    },
    checked: object({ headline }),
  }),
  unchecked({
    name: 'a text outside the enum is accepted',
    smallest: { degrees: 0, scale: '' },
    beside: [clockFace, digitSum],
    fn: {
      name: 'toFahrenheit',
      description: 'Converts a temperature to degrees Fahrenheit.',
      parameters: object({ degrees, scale: text('Its scale', { enum: ['celsius', 'kelvin'] }) }),
      returns: object({ fahrenheit: number('Degrees Fahrenheit.') }),
      examples: [{ degrees: 20, scale: 'celsius' }],
      run: ({ degrees: given, scale }: { degrees: number; scale: string }) => ({
        fahrenheit: (scale === 'kelvin' ? given - 273.15 : given) * 1.8 + 32,
      }),
    },
    checked: object({ degrees, scale: text('Its scale') }),
  }),
  unchecked({
    name: 'a text that only contains the pattern is accepted',
    smallest: { code: 'AA000' },
    fn: {
      name: 'gateOf',
      description: 'Looks up the terminal and the gate of a code on a boarding pass.',
      parameters: object({ code: text('Code', { pattern: '^[A-Z]{2}\\d{2}$' }) }),
      returns: object({ terminal: text('Terminal.'), gate: text('Gate.') }),
      examples: [{ code: 'BA12' }],
      run: ({ code }: { code: string }) => ({ terminal: code.slice(0, 2), gate: code.slice(2) }),
    },
    checked: object({ code: text('Code', { pattern: '[A-Z]{2}\\d{2}' }) }),
  }),
  unchecked({
    name: 'equal items of a list of unique items are accepted',
    smallest: { ids: [0, 0] },
    fn: {
      name: 'gaps',
      description: 'Seats between the first and the last of some seats that are not among them.',
      parameters: object({ ids: list(ids, 'Numbers of seats', { maxItems: 20, uniqueItems: true }) }),
      returns: object({ free: list(ids, 'Ascending.') }),
      examples: [{ ids: [4, 7, 5] }],
      run: ({ ids: taken }: { ids: readonly number[] }) => {
        const first = Math.min(...taken, 99);
        const all = Array.from({ length: Math.max(...taken, 0) - first + 1 }, (_, at) => first + at);
        return { free: all.filter((id) => !taken.includes(id)) };
      },
    },
    checked: object({ ids: list(ids, 'Numbers of seats', { maxItems: 20 }) }),
  }),
  unchecked({
    name: 'a fraction is accepted as a whole number',
    smallest: { page: 0.1 },
    beside: [clockFace],
    fn: {
      name: 'linesOfPage',
      description: 'First and last line of a page.',
      parameters: object({ page: integer('From 0', { minimum: 0, maximum: 1000 }), pageSize }, ['pageSize']),
      returns: object({ first: number('First line.'), last: number('Last line.') }),
      examples: [{ page: 2, pageSize: 20 }],
      run: ({ page, pageSize: size = 10 }: { page: number; pageSize?: number }) => ({
        first: page * size,
        last: (page + 1) * size - 1,
      }),
    },
    checked: object({ page: number('From 0', { minimum: 0, maximum: 1000 }), pageSize }, ['pageSize']),
  }),
  unchecked({
    name: 'an additional property of a nested object is accepted',
    smallest: { box: { '': 0, height: 0, width: 0 } },
    fn: {
      name: 'areaOf',
      description: 'Area of a rectangle.',
      parameters: object({
        box: { ...object({ width: metres, height: metres }), additionalProperties: false },
      }),
      returns: object({ squareMetres: number('Area.', { minimum: 0 }) }),
      examples: [{ box: { width: 2, height: 3.5 } }],
      run: ({ box }: { box: { width: number; height: number } }) => ({
        squareMetres: box.width * box.height,
      }),
    },
    checked: object({ box: object({ width: metres, height: metres }) }),
  }),
  unchecked({
    name: 'a nested object without a required key is accepted',
    smallest: { period: { from: 1 } },
    beside: [digitSum],
    fn: {
      name: 'daysOf',
      description: 'Number of days of a period, 0 if it ends before it starts.',
      parameters: object({ period: object({ from: day, to: day }) }),
      returns: object({ days: integer('Both ends are counted.', { minimum: 0 }) }),
      examples: [{ period: { from: 60, to: 91 } }],
      run: ({ period: { from, to = from } }: { period: { from: number; to?: number } }) => ({
        days: Math.max(to - from + 1, 0),
      }),
    },
    checked: object({ period: object({ from: day, to: day }, ['to']) }),
  }),
  unchecked({
    name: 'a list longer than maxItems is accepted',
    smallest: { colours: new Array(MAX_COLOURS + 1).fill('#000000') },
    fn: {
      name: 'gradient',
      description: 'Value of a style sheet for a gradient of colours.',
      parameters: object({ colours: list(colour, 'From top to bottom', { maxItems: MAX_COLOURS }) }),
      returns: object({ css: text('Value of background-image.') }),
      examples: [{ colours: ['#ff0000', '#0000ff'] }],
      run: ({ colours }: { colours: readonly string[] }) => ({
        css: `linear-gradient(${colours.join(', ')})`,
      }),
    },
    checked: object({ colours: list(colour, 'From top to bottom') }),
  }),
  plantInput({
    name: 'the refusal of a unit that is not a text crashes',
    row: 'inputs/invalid-refused',
    smallest: { options: { unit: 0 }, value: 0 },
    open: () => ({
      name: 'distance',
      description: 'Writes a distance with its unit.',
      parameters: object(
        {
          value: number('Distance', { minimum: 0 }),
          options: object({ unit: text('Unit', { enum: UNITS }) }, ['unit']),
        },
        ['options'],
      ),
      returns: object({ written: text('Number and unit.') }),
      examples: [{ value: 4.2, options: { unit: 'km' } }],
      run: ({ value, options = {} }: { value: number; options?: { unit?: string } }) => ({
        written: `${value} ${options.unit ?? 'm'}`,
      }),
    }),
    craft: {
      ...EXPRESS_PAGE,
      refuseInvalid: (called, input) => {
        const { unit } = Object(input.options) as { unit?: string };
        if (unit === undefined || UNITS.includes(unit)) return careful.refuseInvalid(called, input);
        careful.refuseInvalid(called, { ...input, options: {} });
        throw new Refused('UNKNOWN_UNIT', `${unit.toUpperCase()} is not one of ${UNITS.join(', ')}.`);
      },
    },
  }),
];
