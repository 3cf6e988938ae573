import { Refused } from '../natural-server.ts';
import { integer, list, object, text } from '../shapes.ts';
import { digitSum } from './neighbours.ts';
import { type PlantedInputBug, plantInput } from './plant-input.ts';
import { EMPTY_BODY, EXPRESS_PAGE, FASTIFY_BODY, INTERNAL_CODE, NO_ANSWER, PROXY_PAGE } from './unhandled.ts';

const row = 'inputs/valid-answered';

const TYPES_OF_EXTENSIONS: Record<string, readonly string[]> = {
  jpg: ['image/jpeg'],
  js: ['text/javascript', 'application/javascript'],
  txt: ['text/plain'],
};

export const crashesOnTexts: readonly PlantedInputBug[] = [
  plantInput({
    name: 'crash on an empty text',
    row,
    craft: EXPRESS_PAGE,
    smallest: { name: '' },
    open: () => ({
      name: 'initials',
      description: 'Initials of a name.',
      parameters: object({ name: text('Full name'), separator: text('Between two', { maxLength: 3 }) }, [
        'separator',
      ]),
      returns: object({ initials: text('Capital letters.') }),
      examples: [{ name: 'Grace Brewster Hopper', separator: '.' }],
      run: ({ name, separator = '' }: { name: string; separator?: string }) => {
        const words = name.trim().split(/\s+/);
        return { initials: words.map((word) => ([...word][0] as string).toUpperCase()).join(separator) };
      },
    }),
  }),
  plantInput({
    name: 'crash on a text that is one space',
    row,
    craft: FASTIFY_BODY,
    smallest: { text: ' ' },
    open: () => ({
      name: 'longestWord',
      description: 'Longest word of a text, empty if the text is empty.',
      parameters: object({ text: text('Any text') }),
      returns: object({ word: text('The first of the longest.'), length: integer('Code units.') }),
      examples: [{ text: 'a stitch in time' }],
      run: ({ text: given }: { text: string }) => {
        if (given === '') return { word: '', length: 0 };
        const words = given.split(/\s+/).filter((word) => word !== '');
        const longest = words.reduce((best, word) => (word.length > best.length ? word : best));
        return { word: longest, length: longest.length };
      },
    }),
  }),
  plantInput({
    name: 'crash on a text of punctuation only',
    row,
    craft: PROXY_PAGE,
    smallest: { title: '!' },
    beside: [digitSum],
    open: () => ({
      name: 'slug',
      description: 'Slug of a title, for the end of an address.',
      parameters: object(
        {
          title: text('Title of an article'),
          maxLength: integer('Longest slug', { minimum: 10, maximum: 200 }),
        },
        ['maxLength'],
      ),
      returns: object({ slug: text('Lower case, with hyphens.', { maxLength: 200 }) }),
      examples: [{ title: 'Ten years of SQLite' }],
      run: ({ title, maxLength = 80 }: { title: string; maxLength?: number }) => {
        if (title.trim() === '') return { slug: '' };
        const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) as RegExpMatchArray;
        return { slug: [...words.join('-')].slice(0, maxLength).join('') };
      },
    }),
  }),
  plantInput({
    name: 'crash on a surrogate pair that is cut in half',
    row,
    craft: EXPRESS_PAGE,
    smallest: { title: '😀' },
    open: () => ({
      name: 'shelfOf',
      description: 'Path of the shelf on which a title is listed, by its first letter.',
      parameters: object(
        {
          title: text('Title of a book'),
          kind: text('Kind of list', { enum: ['title', 'series'], default: 'title' }),
        },
        ['kind'],
      ),
      returns: object({ path: text('Path with escapes.', { pattern: '^/(title|series)/' }) }),
      examples: [{ title: 'Émile', kind: 'title' }],
      run: ({ title, kind = 'title' }: { title: string; kind?: string }) => ({
        path: `/${kind}/${encodeURIComponent(title.slice(0, 1).toLowerCase())}`,
      }),
    }),
  }),
  plantInput({
    name: 'crash on a percent sign',
    row,
    craft: NO_ANSWER,
    smallest: { value: '%' },
    open: () => ({
      name: 'decodeField',
      description: 'Decodes one field of a form. A percent sign without two digits stands for itself.',
      parameters: object({ value: text('Field as it was sent', { maxLength: 2000 }) }),
      returns: object({ decoded: text('The field as it was typed.') }),
      examples: [{ value: 'fish+%26+chips' }],
      run: ({ value }: { value: string }) => ({ decoded: decodeURIComponent(value.replaceAll('+', ' ')) }),
    }),
  }),
  plantInput({
    name: 'crash on a quotation mark or a backslash',
    row,
    craft: FASTIFY_BODY,
    smallest: { label: '"' },
    open: () => ({
      name: 'badge',
      description: 'Describes a badge in the form of a badge service.',
      parameters: object(
        {
          label: text('Left part'),
          colour: text('Of the right part', { enum: ['green', 'orange', 'red'] }),
        },
        ['colour'],
      ),
      returns: object({ schemaVersion: integer('Always 1.'), label: text('Label.'), color: text('Colour.') }),
      examples: [{ label: 'build' }],
      run: ({ label, colour = 'green' }: { label: string; colour?: string }) =>
        JSON.parse(`{ "schemaVersion": 1, "label": "${label}", "color": "${colour}" }`),
    }),
  }),
  plantInput({
    name: 'crash on a key of Object.prototype',
    row,
    craft: INTERNAL_CODE,
    smallest: { extension: '__proto__' },
    open: () => ({
      name: 'mediaTypes',
      description: 'Looks up the media types of the extension of a file name, in any case of letters.',
      parameters: object({ extension: text('Without the dot') }),
      returns: object({ types: list({ type: 'string' }, 'Best first.', { minItems: 1 }) }),
      examples: [{ extension: 'TXT' }],
      run: ({ extension }: { extension: string }) => {
        const types = TYPES_OF_EXTENSIONS[extension.toLowerCase()];
        if (types === undefined) throw new Refused('UNKNOWN_EXTENSION', 'No type is known.', 404);
        return { types: types.slice(0, 5) };
      },
    }),
  }),
  plantInput({
    name: 'crash on a text of more than 255 characters',
    row,
    craft: EMPTY_BODY,
    smallest: { text: 'a'.repeat(256) },
    open: () => ({
      name: 'tagBytes',
      description: 'Bytes of a tag: the number of characters, then the characters in UTF-8.',
      parameters: object({ text: text('Text of the tag') }),
      returns: object({ base64: text('The bytes in Base64.') }),
      examples: [{ text: 'Łódź' }],
      run: ({ text: given }: { text: string }) => {
        const head = Buffer.alloc(1);
        head.writeUInt8(given.length);
        return { base64: Buffer.concat([head, Buffer.from(given)]).toString('base64') };
      },
    }),
  }),
  plantInput({
    name: 'crash on a NUL character',
    row,
    craft: EXPRESS_PAGE,
    smallest: { text: '\0' },
    beside: [digitSum],
    open: () => ({
      name: 'hashText',
      description: 'Hash of a text by the function djb2 of the C library.',
      parameters: object({ text: text('Any text'), seed: integer('First value', { minimum: 0 }) }, ['seed']),
      returns: object({ hash: integer('Of 32 bits.', { minimum: 0, maximum: 4_294_967_295 }) }),
      examples: [{ text: 'hello' }],
      run: ({ text: given, seed = 5381 }: { text: string; seed?: number }) => {
        if (given.includes('\0')) throw new TypeError('embedded null character');
        return { hash: Buffer.from(given).reduce((hash, byte) => (hash * 33 + byte) >>> 0, seed >>> 0) };
      },
    }),
  }),
  plantInput({
    name: 'crash on a combining mark at the start',
    row,
    craft: FASTIFY_BODY,
    smallest: { text: '\u0301' },
    open: () => ({
      name: 'letters',
      description: 'Letters of a text, each with its accents.',
      parameters: object({ text: text('Any text') }),
      returns: object({ letters: list({ type: 'string' }, 'In order.'), count: integer('How many.') }),
      examples: [{ text: 'cafe\u0301' }],
      run: ({ text: given }: { text: string }) => {
        const letters: string[][] = [];
        for (const character of given) {
          if (/\p{M}/u.test(character)) (letters.at(-1) as string[]).push(character);
          else letters.push([character]);
        }
        return { letters: letters.map((letter) => letter.join('')), count: letters.length };
      },
    }),
  }),
];
