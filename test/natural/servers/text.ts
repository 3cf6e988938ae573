import { createHash } from 'node:crypto';
import { type Members, Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { flag, integer, list, object, text } from '../shapes.ts';

export const graphemes = natural({
  name: 'graphemes',
  description: 'Text as people see it, not as code units.',
  open: () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const split = (given: string): string[] => [...segmenter.segment(given)].map(({ segment }) => segment);
    const input = text('Any text, emoji included');
    return [
      {
        name: 'countGraphemes',
        description: 'Number of visible characters.',
        parameters: object({ text: input }),
        returns: object({ graphemes: integer('Visible characters.'), utf16: integer('Code units.') }),
        examples: [{ text: '👨‍👩‍👧 café' }],
        run: ({ text: given }: { text: string }) => ({ graphemes: split(given).length, utf16: given.length }),
      },
      {
        name: 'reverseText',
        description: 'Text backwards, with accents and flags left whole.',
        parameters: object({ text: input }),
        returns: object({ reversed: text('The text backwards.') }),
        run: ({ text: given }: { text: string }) => ({ reversed: split(given).toReversed().join('') }),
      },
    ];
  },
});

export const markdown = natural({
  name: 'markdown',
  description: 'Renders a little Markdown.',
  open: () => {
    const escapeHtml = (given: string): string =>
      given.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return [
      {
        name: 'renderMarkdown',
        description: 'Turns Markdown into HTML.',
        parameters: object({ markdown: text('Source'), inline: flag('Leave the paragraph out') }, ['inline']),
        returns: object({ html: text('Safe HTML.'), title: text('Text of the first heading.') }, ['title']),
        examples: [{ markdown: '# Hello\n*world*' }],
        run: ({ markdown: source, inline = false }: { markdown: string; inline?: boolean }): Members => {
          const title = /^# (.+)$/m.exec(source)?.[1];
          const html = escapeHtml(source)
            .replaceAll(/^# (.+)$/gm, '<h1>$1</h1>')
            .replaceAll(/\*([^*\n]+)\*/g, '<em>$1</em>');
          return { html: inline ? html : `<p>${html}</p>`, ...(title === undefined ? {} : { title }) };
        },
      },
    ];
  },
});

export const regexTester = natural({
  name: 'regex-tester',
  description: 'Tries regular expressions on text.',
  undecidedInA: ['testPattern'],
  open: () => [
    {
      name: 'testPattern',
      description: 'All matches of a pattern. A pattern that cannot be compiled is refused.',
      parameters: object(
        {
          pattern: text('JavaScript syntax', { maxLength: 200 }),
          text: text('Where to look'),
          flags: text('Of gimsu', { pattern: '^[gimsu]*$' }),
        },
        ['flags'],
      ),
      returns: object({
        matches: list(object({ text: text('What matched.'), index: integer('Where.') }), 'In order.'),
        matched: flag('There is at least one.'),
      }),
      run: ({ pattern, text: subject, flags = '' }: { pattern: string; text: string; flags?: string }) => {
        let compiled: RegExp;
        try {
          compiled = new RegExp(pattern, [...new Set(`${flags}g`)].join(''));
        } catch (error) {
          throw new Refused('BAD_PATTERN', (error as Error).message, 422);
        }
        const matches = [...subject.matchAll(compiled)]
          .slice(0, 100)
          .map((match) => ({ text: match[0], index: match.index }));
        return { matches, matched: matches.length > 0 };
      },
    },
  ],
});

export const jsonDiff = natural({
  name: 'json-diff',
  description: 'Compares two JSON documents.',
  undecidedInA: ['diff'],
  open: () => {
    const changesBetween = (before: Members, after: Members): Members[] =>
      [...new Set([...Object.keys(before), ...Object.keys(after)])]
        .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
        .map((key) => ({
          op: !Object.hasOwn(before, key) ? 'add' : !Object.hasOwn(after, key) ? 'remove' : 'replace',
          path: `/${key}`,
          ...(Object.hasOwn(after, key) ? { value: after[key] } : {}),
        }));
    return [
      {
        name: 'diff',
        description: 'Changes that lead from one object to the other, in the manner of JSON Patch.',
        parameters: object({
          before: { type: 'object', description: 'The old document' },
          after: { type: 'object', description: 'The new document' },
        }),
        returns: object({
          changes: list(
            object({ op: text('add, remove or replace.'), path: text('Pointer.') }),
            'None when they are equal.',
          ),
        }),
        run: ({ before, after }: { before: Members; after: Members }) => ({
          changes: changesBetween(before, after),
        }),
      },
    ];
  },
});

export const translator = natural({
  name: 'phrasebook',
  description: 'Translates common phrases.',
  undecidedInA: ['translate'],
  open: () => {
    const phrases: Record<string, Record<string, string>> = {
      hello: { de: 'Hallo', fr: 'Bonjour', ja: 'こんにちは' },
      'thank you': { de: 'Danke', fr: 'Merci', ja: 'ありがとう' },
    };
    return [
      {
        name: 'translate',
        description: 'Translates an English phrase. translation is null when the phrase is not in the book.',
        parameters: object({
          phrase: text('English phrase'),
          target: text('Language', { enum: ['de', 'fr', 'ja'] }),
        }),
        returns: object({ translation: { type: ['string', 'null'] }, target: text('Language.') }),
        run: ({ phrase, target }: { phrase: string; target: string }) => ({
          translation: Object.hasOwn(phrases, phrase.toLowerCase())
            ? (phrases[phrase.toLowerCase()]?.[target] ?? null)
            : null,
          target,
        }),
      },
      {
        name: 'languages',
        description: 'Languages of the book.',
        parameters: object({}),
        returns: object({ languages: list({ type: 'string' }, 'Codes.') }),
        run: () => ({ languages: ['de', 'fr', 'ja'] }),
      },
    ];
  },
});

export const quotes = natural({
  name: 'quotes',
  description: 'Random quotes.',
  open: () => {
    const all = [
      { author: 'Ada Lovelace', text: 'That brain of mine is something more than merely mortal.' },
      { author: 'Grace Hopper', text: 'A ship in port is safe.', year: 1987 },
      { text: 'Premature optimization is the root of all evil.', author: 'Donald Knuth', year: 1974 },
    ];
    return [
      {
        name: 'randomQuote',
        description: 'A quote, another each time. The year is given when it is known.',
        parameters: object({}),
        returns: object({ author: text('Who said it.'), text: text('The words.'), year: integer('When.') }, [
          'year',
        ]),
        run: () => ({ ...all[Math.floor(Math.random() * all.length)] }),
      },
    ];
  },
});

export const memoHash = natural({
  name: 'slow-hash',
  description: 'Stretches keys; results are remembered for each input.',
  undecidedInA: ['stretch'],
  open: () => {
    const memo = new Map<string, string>();
    return [
      {
        name: 'stretch',
        description: 'Hashes a text many times.',
        parameters: object({
          text: text('Secret'),
          rounds: integer('How often', { minimum: 1, maximum: 5000 }),
        }),
        returns: object({ hash: text('Hex digits.'), cached: flag('It was remembered.') }),
        run: ({ text: secret, rounds }: { text: string; rounds: number }) => {
          const key = JSON.stringify([secret, rounds]);
          const known = memo.get(key);
          if (known !== undefined) return { hash: known, cached: true };
          let hash = secret;
          for (let round = 0; round < rounds; round += 1)
            hash = createHash('sha256').update(hash).digest('hex');
          memo.set(key, hash);
          return { hash, cached: false };
        },
      },
    ];
  },
});
