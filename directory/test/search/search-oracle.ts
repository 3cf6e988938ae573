import type { RandomEntry } from './random-directory.ts';

/*
 * The rules of a search:
 *
 * - Names and values are percent-decoded like forms: `+` is a space, an invalid encoding is literal text, and bytes
 *   that are not UTF-8 become U+FFFD.
 * - There are fourteen parameters, and `tags[]` for `tags`; any other name is refused. Only tags and status may be
 *   repeated. An empty value, or a blank text, filters nothing. Values of status are separated with commas, too.
 * - q and category have at most 200 characters; they and tags contain no control characters. At most 20 tags.
 * - Numbers are decimal, with an optional fraction and exponent: minUptime from 0 to 100, maxResponseTime from 0. limit
 *   (1 to 100) and offset (0 to 2147483647) are whole and have at most 16 digits. Flags are true or false.
 * - A search finds listed entries. q: each word must be the beginning of a word of name, description or tags. Words
 *   consist of letters and digits; only their first 100 characters count. Scripts without spaces are apart from others:
 *   each four consecutive characters of such a word must be anywhere in a word, or all of it if it is shorter. A text
 *   without words finds nothing. Category and tags are compared whole; `\\,` is a comma within a tag.
 *   Case and Unicode composition are ignored; accents, marks and strokes count in labels, not in words.
 *   A word that begins with a letter and is followed by ++ or # is one with it, and then is no word without it. Words
 *   that begin with a letter and are joined by dots, or begin with a dot, are words together, too. A search for such a
 *   word also finds what has all of its parts; a part of one letter must be a whole word.
 * - Without sort: what has the words as they are written comes before what has parts, in each of the two groups what
 *   has them in its name comes first, and equals are ordered by name. With sort: by figure, observed before claimed,
 *   missing last. Names are compared without case, by code points, runs of digits by their value; then ids are.
 * - Facets count the values of what is found; those of category, transport, protocol, status and verdict do so as if
 *   their own condition were absent. The 30 most frequent categories and tags, the most frequent first, then by text.
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
      readonly facets?: Readonly<Record<string, readonly FacetValue[]>>;
    };

interface FacetValue {
  readonly value: string;
  readonly count: number;
}

interface Known extends RandomEntry {
  readonly id: string;
  readonly name: readonly (bigint | string)[];
  readonly words: readonly string[];
  readonly nameWords: readonly string[];
  readonly category: string;
  readonly tags: readonly string[];
  readonly protocol: string;
}

export function createOracle(entries: readonly RandomEntry[]): (query: string) => Expected {
  const known = entries
    .filter(({ first }) => first.decision === 'list')
    .map((entry): Known => {
      const { id, name, description, tags, category, protocol = 'endpoints' } = entry.listing;
      return {
        ...entry,
        id,
        name: nameParts(label(name)),
        nameWords: wordsIn(name).flatMap(indexed),
        words: [name, description, ...tags].flatMap(wordsIn).flatMap(indexed),
        category: label(category),
        tags: [...new Set(tags.map(label))],
        protocol,
      };
    })
    .sort((one, other) => compareNames(one.name, other.name) || (one.id < other.id ? -1 : 1));
  return (query) => {
    const parameters = decode(query);
    if (isRefused(parameters)) return { status: 400 };
    const first = (name: string): string => parameters.find(([given]) => given === name)?.[1] ?? '';
    const limit = first('limit') === '' ? 20 : Number(first('limit'));
    const offset = Math.abs(Number(first('offset')));
    const found = known.filter((entry) => fits(entry, parameters));
    const ordered = first('sort') === '' ? byRelevance(found, first('q')) : sorted(found, first('sort'));
    return {
      status: 200,
      ids: ordered.slice(offset, offset + limit).map(({ id }) => id),
      pagination: { total: ordered.length, limit, offset, hasNext: offset + limit < ordered.length },
      ...(first('facets') === 'true' ? { facets: facetsIn(known, parameters) } : {}),
    };
  };
}

function fits(entry: Known, parameters: GivenParameters): boolean {
  const { listing, facts } = entry;
  const first = (name: string): string => parameters.find(([given]) => given === name)?.[1] ?? '';
  const words = wordsIn(first('q'));
  const statuses = statusesIn(parameters);
  return (
    (first('q').trim() === '' || (words.length > 0 && holdsAll(entry.words, words))) &&
    (label(first('category')) === '' || entry.category === label(first('category'))) &&
    tagsIn(parameters).every((tag) => entry.tags.includes(tag)) &&
    (first('transport') === '' || listing.transport.some((one) => one === first('transport'))) &&
    (first('protocol') === '' || entry.protocol === first('protocol')) &&
    (statuses.length === 0 || statuses.includes(facts.status)) &&
    (first('verdict') === '' || facts.verdict === first('verdict')) &&
    (first('minUptime') === '' || (listing.uptime ?? 0) >= Number(first('minUptime'))) &&
    (first('maxResponseTime') === '' || (listing.responseTime ?? 0) <= Number(first('maxResponseTime'))) &&
    (first('audited') === '' || String(listing.audited) === first('audited')) &&
    (first('openSource') === '' || String(listing.openSource) === first('openSource'))
  );
}

function byRelevance(found: readonly Known[], q: string): readonly Known[] {
  const words = wordsIn(q);
  if (words.length === 0) return found;
  const written = words.map(({ text }) => ({ text, parts: [] }));
  const rank = (entry: Known): number => {
    if (holdsAll(entry.nameWords, written)) return 0;
    if (holdsAll(entry.words, written)) return 1;
    return holdsAll(entry.nameWords, words) ? 2 : 3;
  };
  return found.toSorted((one, other) => rank(one) - rank(other));
}

function sorted(found: readonly Known[], sort: string): readonly Known[] {
  const keyOf = ({ listing, facts }: Known): readonly number[] => {
    switch (sort) {
      case 'uptime':
        return [Number(facts.claimed), -(listing.uptime ?? 0)];
      case 'responseTime':
        return [Number(facts.claimed), listing.responseTime ?? 0];
      case 'coverage':
        return [-(facts.coverage ?? -1)];
      case 'newest':
        return [-facts.listedAt.getTime()];
      case 'changed':
        return [-(facts.statusAt?.getTime() ?? 0)];
      default:
        return [];
    }
  };
  return found.toSorted((one, other) => {
    const [keys, otherKeys] = [keyOf(one), keyOf(other)];
    return keys.map((key, at) => key - (otherKeys[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  });
}

function facetsIn(
  known: readonly Known[],
  parameters: GivenParameters,
): Readonly<Record<string, readonly FacetValue[]>> {
  const counted = (name: string, valuesOf: (entry: Known) => readonly (string | null)[]): FacetValue[] => {
    const others = name === 'tags' ? parameters : parameters.filter(([given]) => given !== name);
    const counts = new Map<string, number>();
    for (const entry of known)
      if (fits(entry, others))
        for (const value of valuesOf(entry))
          if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts].map(([value, count]) => ({ value, count }));
  };
  const frequent = (values: FacetValue[]): FacetValue[] =>
    values
      .sort(
        (one, other) =>
          other.count - one.count || Buffer.compare(Buffer.from(one.value), Buffer.from(other.value)),
      )
      .slice(0, 30);
  const inOrder = (order: readonly string[], values: FacetValue[]): FacetValue[] =>
    order.flatMap((value) => values.filter((one) => one.value === value));
  return {
    category: frequent(counted('category', ({ category }) => [category])),
    tags: frequent(counted('tags', ({ tags }) => tags)),
    transport: inOrder(
      ['http', 'websocket'],
      counted('transport', ({ listing }) => listing.transport),
    ),
    protocol: inOrder(
      ['mcp', 'endpoints'],
      counted('protocol', ({ protocol }) => [protocol]),
    ),
    status: inOrder(
      STATUSES,
      counted('status', ({ facts }) => [facts.status]),
    ),
    verdict: inOrder(
      VERDICTS,
      counted('verdict', ({ facts }) => [facts.verdict]),
    ),
  };
}

const STATUSES = ['up', 'down', 'gated', 'paused', 'undecided', 'stale', 'unknown'];
const VERDICTS = ['pass', 'fail', 'incomplete'];

/** Runs of digits as numbers, and each other character alone. */
function nameParts(name: string): readonly (bigint | string)[] {
  const parts: (bigint | string)[] = [];
  let digits = '';
  for (const character of [...name, '']) {
    if (character !== '' && isDigits(character)) {
      digits += character;
      continue;
    }
    if (digits !== '') parts.push(BigInt(digits));
    digits = '';
    if (character !== '') parts.push(character);
  }
  return parts;
}

function compareNames(one: readonly (bigint | string)[], other: readonly (bigint | string)[]): number {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const [part, otherPart] = [one[at], other[at]];
    if (part === otherPart) continue;
    if (typeof part === 'bigint' && typeof otherPart === 'bigint') return part < otherPart ? -1 : 1;
    return Buffer.compare(Buffer.from(String(part)), Buffer.from(String(otherPart)));
  }
  return one.length - other.length;
}

interface Word {
  readonly text: string;
  readonly parts: readonly string[];
}

function holdsAll(words: readonly string[], wanted: readonly Word[]): boolean {
  const begins = (text: string): boolean => words.some((other) => other.startsWith(text));
  return wanted.every(({ text, parts }) =>
    isUnspaced(text)
      ? fours(text).every((part) => words.some((other) => other.includes(part)))
      : begins(text) ||
        (parts.length > 0 &&
          parts.every((part) => (part.length === 1 ? words.includes(part) : begins(part)))),
  );
}

/** What of a word of an entry is compared with searches. */
function indexed({ text, parts }: Word): readonly string[] {
  return text.endsWith('+') || text.endsWith('#') ? [text] : [text, ...parts];
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
    'protocol',
    'verdict',
    'sort',
    'facets',
    'minUptime',
    'maxResponseTime',
    'audited',
    'openSource',
    'limit',
    'offset',
  ];
  const isTags = (name: string): boolean => name === 'tags' || name === 'tags[]';
  const isKnown = (name: string): boolean => names.includes(name) || isTags(name) || name === 'status';
  if (!parameters.every(([name]) => isKnown(name))) return true;
  if (!statusesIn(parameters).every((status) => STATUSES.includes(status))) return true;
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
      case 'protocol':
        return !['mcp', 'endpoints'].includes(value);
      case 'verdict':
        return !VERDICTS.includes(value);
      case 'sort':
        return !['name', 'uptime', 'responseTime', 'coverage', 'newest', 'changed'].includes(value);
      case 'status':
        return false;
      case 'audited':
      case 'openSource':
      case 'facets':
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

function statusesIn(parameters: GivenParameters): readonly string[] {
  return parameters
    .filter(([name]) => name === 'status')
    .flatMap(([, value]) => value.split(','))
    .filter((status) => status !== '');
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

function wordsIn(text: string): readonly Word[] {
  const plain = [...folded(text.normalize('NFKD')).normalize('NFKD')]
    .filter((character) => !/^\p{M}$/u.test(character))
    .flatMap((character) => [...(STROKES[character] ?? character)]);
  const words: Word[] = [];
  for (let at = 0; at < plain.length; ) {
    const unspaced = runAt(plain, at, (one) => isWordCharacter(one) && isUnspaced(one));
    const named = nameAt(plain, at);
    const spaced = runAt(plain, at, (one) => isWordCharacter(one) && !isUnspaced(one));
    const after = plain.slice(at + named.length, at + named.length + 2).join('');
    const sign = after === '++' ? '++' : after.startsWith('#') ? '#' : '';
    const dotted = dottedAt(plain, at);
    if (unspaced.length > 0) {
      words.push({ text: unspaced.join(''), parts: [] });
      at += unspaced.length;
    } else if (named.length > 0 && sign !== '') {
      const base = cut(named);
      words.push({ text: cut([...named, ...sign]), parts: [base] });
      at += named.length + sign.length;
    } else if (dotted.length > 0) {
      const parts = dotted.join('').split('.');
      words.push({
        text: cut(dotted),
        parts: parts.filter((part) => part !== '').map((part) => cut([...part])),
      });
      at += dotted.length;
    } else if (spaced.length > 0) {
      words.push({ text: cut(spaced), parts: [] });
      at += spaced.length;
    } else at += 1;
  }
  return words;
}

function cut(word: readonly string[]): string {
  return word.slice(0, 100).join('');
}

function isWordCharacter(character: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(character);
}

function runAt(
  characters: readonly string[],
  at: number,
  belongs: (character: string) => boolean,
): readonly string[] {
  let end = at;
  while (end < characters.length && belongs(characters[end] ?? '')) end += 1;
  return characters.slice(at, end);
}

/** A word of a script with spaces that begins with a letter. */
function nameAt(characters: readonly string[], at: number): readonly string[] {
  if (!/^\p{L}$/u.test(characters[at] ?? '')) return [];
  return runAt(characters, at, (one) => isWordCharacter(one) && !isUnspaced(one));
}

/** Such words with dots between them, or with a dot before the first. */
function dottedAt(characters: readonly string[], at: number): readonly string[] {
  const before = characters[at - 1] ?? ' ';
  const startsWithDot = characters[at] === '.' && before !== '.' && !isWordCharacter(before);
  let end = startsWithDot ? at : at + nameAt(characters, at).length;
  if (!startsWithDot && end === at) return [];
  let dots = 0;
  while (characters[end] === '.') {
    const name = nameAt(characters, end + 1);
    if (name.length === 0) break;
    end += 1 + name.length;
    dots += 1;
  }
  return dots === 0 ? [] : characters.slice(at, end);
}
