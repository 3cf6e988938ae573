import { createHash } from 'node:crypto';
import { type Members, Refused } from '../natural-server.ts';
import { flag, integer, object, text } from '../shapes.ts';
import { clockFace, digitSum } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';

const row = 'inputs/same-kind';

const LONG_TEXT = 100;
const POOL_SIZE = 7;

const CURRENCIES = new Map<string, string | null>([
  ['EUR', 'Euro'],
  ['ISK', 'Icelandic króna'],
  ['DEM', null],
]);

const channel = integer('From none to full', { minimum: 0, maximum: 255 });

export const unsteady: readonly PlantedInputBug[] = [
  plantInput({
    name: 'a cached object is sent as text that holds JSON',
    row,
    smallest: new Array(2).fill({ blue: 0, green: 0, red: 0 }),
    open: () => {
      const cache = new Map<string, string>();
      return {
        name: 'describeColour',
        description: 'Writes a colour as in a style sheet, and its brightness.',
        parameters: object({ red: channel, green: channel, blue: channel }),
        returns: object({ colour: { description: 'Its hexadecimal digits and its brightness.' } }),
        examples: [{ red: 255, green: 128, blue: 0 }],
        run: ({ red, green, blue }: Record<'red' | 'green' | 'blue', number>): Members => {
          const digits = [red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('');
          const kept = cache.get(digits);
          if (kept !== undefined) return { colour: kept };
          const colour = { hex: `#${digits}`, brightness: Math.max(red, green, blue) };
          // Greys are requested so often that they are worth a cache.
          if (red === green && green === blue) cache.set(digits, JSON.stringify(colour));
          return { colour };
        },
      };
    },
  }),
  plantInput({
    name: 'every 7th call fails, because a pool is exhausted',
    row,
    smallest: new Array(POOL_SIZE).fill({ text: '' }),
    beside: [digitSum],
    open: () => {
      let taken = 0;
      return {
        name: 'vowels',
        description: 'Number of vowels in a text.',
        parameters: object({ text: text('Any text', { maxLength: 1000 }) }),
        returns: object({ vowels: integer('How many.', { minimum: 0 }) }),
        examples: [{ text: 'queueing' }],
        run: ({ text: given }: { text: string }) => {
          taken++;
          if (taken % POOL_SIZE === 0) throw new Error('the pool has no free connection');
          return { vowels: given.match(/[aeiou]/gi)?.length ?? 0 };
        },
      };
    },
  }),
  plantInput({
    name: 'the cached hash of a long text is a list of bytes',
    row,
    smallest: new Array(2).fill({ text: 'a'.repeat(LONG_TEXT + 1) }),
    open: () => {
      const cache = new Map<string, Buffer>();
      return {
        name: 'fingerprint',
        description: 'Fingerprint of a text, to compare it with another.',
        parameters: object({ text: text('Any text', { maxLength: 5000 }) }),
        returns: object({ sha256: { description: 'Hexadecimal digits.' } }),
        examples: [{ text: 'The quick brown fox' }],
        run: ({ text: given }: { text: string }): Members => {
          const kept = cache.get(given);
          if (kept !== undefined) return { sha256: kept };
          const hash = createHash('sha256').update(given).digest();
          if (given.length > LONG_TEXT) cache.set(given, hash);
          return { sha256: hash.toString('hex') };
        },
      };
    },
  }),
  plantInput({
    name: 'a failed look-up is cached as a result',
    row,
    smallest: new Array(2).fill({ code: 'AAA' }),
    beside: [clockFace],
    open: () => {
      const cache = new Map<string, string | null>();
      return {
        name: 'currencyName',
        description: 'Looks up the name of a currency; null for one that is no longer used.',
        parameters: object({ code: text('Code of the currency', { pattern: '^[A-Z]{3}$' }) }),
        returns: object({ code: text('The code.'), name: { type: ['string', 'null'] } }),
        examples: [{ code: 'ISK' }],
        run: ({ code }: { code: string }) => {
          const kept = cache.get(code);
          if (kept !== undefined) return { code, name: kept };
          const name = CURRENCIES.get(code);
          cache.set(code, name ?? null);
          if (name === undefined) throw new Refused('UNKNOWN_CURRENCY', 'There is no such currency.', 404);
          return { code, name };
        },
      };
    },
  }),
  plantInput({
    name: 'results keep the details that an earlier call requested',
    row,
    smallest: [{ text: '' }, { details: true, text: '' }, { text: '' }],
    open: () => {
      const fields = ['characters'];
      return {
        name: 'textSize',
        description: 'Size of a text, on request with details.',
        parameters: object({ text: text('Any text'), details: flag('Also count bytes and lines') }, [
          'details',
        ]),
        returns: object(
          {
            characters: integer('Code points.'),
            bytes: integer('In UTF-8.'),
            lines: integer('At least 1.'),
          },
          ['bytes', 'lines'],
        ),
        examples: [{ text: 'first\nsecond' }],
        run: ({ text: given, details = false }: { text: string; details?: boolean }) => {
          if (details) fields.push('bytes', 'lines');
          const sizes: Members = {
            characters: [...given].length,
            bytes: Buffer.byteLength(given),
            lines: given.split('\n').length,
          };
          return Object.fromEntries(fields.map((field) => [field, sizes[field]]));
        },
      };
    },
  }),
];
