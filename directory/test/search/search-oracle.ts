import type { NewEntry } from '../../src/entries/put-entries.ts';

/*
 * The rules of a search:
 *
 * - Names and values are percent-decoded like forms: `+` is a space, an invalid encoding is literal text, and bytes
 *   that are not UTF-8 become U+FFFD.
 * - There are ten parameters, and `tags[]` for `tags`; any other name is refused. Only tags may be repeated. An empty
 *   value, or a blank text, filters nothing.
 * - q and category have at most 200 characters; they and tags contain no control characters. At most 20 tags.
 * - Numbers are decimal, with an optional fraction and exponent: minUptime from 0 to 100, maxResponseTime from 0. limit
 *   (1 to 100) and offset (0 to 2147483647) are whole and have at most 16 digits. Flags are true or false.
 * - A search finds listed entries. q: each word must be the beginning of a word of name, description or tags. Words
 *   consist of letters and digits; only their first 100 characters count. Scripts without spaces are apart from others:
 *   each four consecutive characters of such a word must be anywhere in a word, or all of it if it is shorter. A text
 *   without words finds nothing. Category and tags are compared whole; `\\,` is a comma within a tag.
 *   Case and Unicode composition are ignored; accents, marks and strokes count in labels, not in words.
 * - Entries whose names contain all words come first; then entries are ordered by name, without case, by code points;
 *   then by id.
 */

export type Expected =
  | { readonly status: 400 }
  | {
      readonly status: 200;
      readonly ids: readonly string[];
      readonly pagination: {
        readonly total: number;
        readonly limit: number;
        readonly offset: number;
        readonly hasNext: boolean;
      };
    };

interface Known {
  readonly id: string;
  readonly order: Buffer;
  readonly words: readonly string[];
  readonly nameWords: readonly string[];
  readonly category: string;
  readonly tags: readonly string[];
  readonly listing: NewEntry['listing'];
}

export function createOracle(entries: readonly NewEntry[]): (query: string) => Expected {
  const known = entries
    .filter(({ first }) => first.decision === 'list')
    .map(({ listing }): Known => {
      const { name, description, tags } = listing;
      return {
        id: listing.id,
        order: Buffer.from(label(name)),
        nameWords: wordsIn(name),
        words: [name, description, ...tags].flatMap(wordsIn),
        category: label(listing.category),
        tags: tags.map(label),
        listing,
      };
    })
    .sort((one, other) => Buffer.compare(one.order, other.order) || (one.id < other.id ? -1 : 1));
  return (query) => {
    const parameters = decode(query);
    if (isRefused(parameters)) return { status: 400 };
    const first = (name: string): string => parameters.find(([given]) => given === name)?.[1] ?? '';
    const words = wordsIn(first('q'));
    const isText = first('q').trim() !== '';
    const category = label(first('category'));
    const tags = tagsIn(parameters);
    const limit = first('limit') === '' ? 20 : Number(first('limit'));
    const offset = Math.abs(Number(first('offset')));
    const fitting = known.filter(
      (entry) =>
        (!isText || (words.length > 0 && holdsAll(entry.words, words))) &&
        (category === '' || entry.category === category) &&
        tags.every((tag) => entry.tags.includes(tag)) &&
        (first('transport') === '' || entry.listing.transport.some((one) => one === first('transport'))) &&
        (first('minUptime') === '' || (entry.listing.uptime ?? 0) >= Number(first('minUptime'))) &&
        (first('maxResponseTime') === '' ||
          (entry.listing.responseTime ?? 0) <= Number(first('maxResponseTime'))) &&
        (first('audited') === '' || String(entry.listing.audited) === first('audited')) &&
        (first('openSource') === '' || String(entry.listing.openSource) === first('openSource')),
    );
    const isFirst = (entry: Known): boolean => words.length > 0 && holdsAll(entry.nameWords, words);
    const ordered = [...fitting.filter(isFirst), ...fitting.filter((entry) => !isFirst(entry))];
    return {
      status: 200,
      ids: ordered.slice(offset, offset + limit).map(({ id }) => id),
      pagination: { total: ordered.length, limit, offset, hasNext: offset + limit < ordered.length },
    };
  };
}

function holdsAll(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((word) =>
    isUnspaced(word)
      ? fours(word).every((part) => words.some((other) => other.includes(part)))
      : words.some((other) => other.startsWith(word)),
  );
}

function fours(word: string): readonly string[] {
  const characters = [...word];
  const starts = characters.slice(0, Math.max(1, characters.length - 3));
  return starts.map((_, at) => characters.slice(at, at + 4).join(''));
}

function isUnspaced(text: string): boolean {
  return /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u.test(
    text,
  );
}

type GivenParameters = readonly (readonly [string, string])[];

function decode(query: string): GivenParameters {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at === -1
        ? [decodePart(part), '']
        : [decodePart(part.slice(0, at)), decodePart(part.slice(at + 1))];
    });
}

function decodePart(text: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.slice(at + 1, at + 3);
    if (
      text[at] === '%' &&
      code.length === 2 &&
      [...code].every((digit) => '0123456789abcdefABCDEF'.includes(digit))
    ) {
      bytes.push(Number.parseInt(code, 16));
      at += 2;
    } else bytes.push(text[at] === '+' ? 0x20 : text.charCodeAt(at));
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

function isRefused(parameters: GivenParameters): boolean {
  const names = [
    'q',
    'category',
    'transport',
    'minUptime',
    'maxResponseTime',
    'audited',
    'openSource',
    'limit',
    'offset',
  ];
  const isTags = (name: string): boolean => name === 'tags' || name === 'tags[]';
  if (parameters.some(([name]) => !names.includes(name) && !isTags(name))) return true;
  if (names.some((name) => parameters.filter(([given]) => given === name).length > 1)) return true;
  if (tagsIn(parameters).length > 20) return true;
  return parameters.some(([name, value]) => {
    if (value === '') return false;
    switch (name) {
      case 'q':
      case 'category':
        return Array.from(value).length > 200 || holdsControl(value);
      case 'tags':
      case 'tags[]':
        return holdsControl(value);
      case 'transport':
        return !['http', 'websocket'].includes(value);
      case 'audited':
      case 'openSource':
        return !['true', 'false'].includes(value);
      case 'minUptime':
        return !isDecimal(value) || Number(value) < 0 || Number(value) > 100;
      case 'maxResponseTime':
        return !isDecimal(value) || Number(value) < 0 || Number(value) === Number.POSITIVE_INFINITY;
      case 'limit':
        return !isWhole(value) || Number(value) < 1 || Number(value) > 100;
      default:
        return !isWhole(value) || Number(value) < 0 || Number(value) > 2_147_483_647;
    }
  });
}

function tagsIn(parameters: GivenParameters): readonly string[] {
  return parameters
    .filter(([name]) => name === 'tags' || name === 'tags[]')
    .flatMap(([, value]) =>
      // A character that no tag contains stands for the comma within one.
      value
        .replaceAll('\\,', '\u0001')
        .split(',')
        .map((tag) => tag.replaceAll('\u0001', ',')),
    )
    .map(label)
    .filter((tag) => tag !== '');
}

function holdsControl(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}

function isWhole(text: string): boolean {
  const digits = text.startsWith('-') ? text.slice(1) : text;
  return digits.length >= 1 && digits.length <= 16 && isDigits(digits);
}

function isDecimal(text: string): boolean {
  const [mantissa = '', exponent, ...more] = (text.startsWith('-') ? text.slice(1) : text).split(/[eE]/);
  const [whole = '', fraction, ...others] = mantissa.split('.');
  if (more.length > 0 || others.length > 0 || !isDigits(whole)) return false;
  if (fraction !== undefined && !isDigits(fraction)) return false;
  return exponent === undefined || isDigits('+-'.includes(exponent[0] ?? 'x') ? exponent.slice(1) : exponent);
}

function isDigits(text: string): boolean {
  return text !== '' && [...text].every((character) => character >= '0' && character <= '9');
}

/** Folds case like Unicode: ß becomes ss, and a final sigma becomes an ordinary one. */
function folded(text: string): string {
  return [...text]
    .map((character) => character.toLowerCase().toUpperCase().toLowerCase())
    .join('')
    .replaceAll('ς', 'σ');
}

function label(text: string): string {
  return folded(text.normalize('NFKC')).normalize('NFKC').trim();
}

const STROKES: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', æ: 'ae', ħ: 'h' };

function wordsIn(text: string): readonly string[] {
  const plain = [...folded(text.normalize('NFKD')).normalize('NFKD')]
    .filter((character) => !/^\p{M}$/u.test(character))
    .flatMap((character) => [...(STROKES[character] ?? character)]);
  const words: string[][] = [];
  let before: 'none' | 'spaced' | 'unspaced' = 'none';
  for (const character of plain) {
    const isLetter = /^[\p{L}\p{N}]$/u.test(character);
    const kind = isLetter ? (isUnspaced(character) ? 'unspaced' : 'spaced') : 'none';
    if (kind !== 'none' && kind !== before) words.push([]);
    if (kind !== 'none') words.at(-1)?.push(character);
    before = kind;
  }
  return words.map((word) => (isUnspaced(word[0] ?? '') ? word : word.slice(0, 100)).join(''));
}
