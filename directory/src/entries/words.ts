import type { Listing } from 'probity/model';

/** Longer words are cut. */
const MAX_WORD_LENGTH = 100;

/** More words of one text are not indexed. */
const MAX_INDEXED_WORDS = 10_000;

/** How many characters of a script without spaces are compared at once. */
const WINDOW = 4;

/** Scripts whose words are not separated. */
const UNSPACED = ['Han', 'Hira', 'Kana', 'Bopo', 'Thai', 'Laoo', 'Khmr', 'Mymr']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const SPACED = `[[\\p{L}\\p{N}]--[${UNSPACED}]]`;
/** A word that begins with a letter. */
const NAME = `[\\p{L}--[${UNSPACED}]]${SPACED}*`;
/**
 * A word with a sign at its end, such as c++ or c#; words with dots between them or before the first, such as node.js or
 * .net; a word of a script with spaces; or a run of a script without them, in which any part may be a word.
 */
const WORD = new RegExp(
  `(?<signed>${NAME})(?:\\+\\+|#)|(?<dotted>(?<![\\p{L}\\p{N}.])\\.${NAME}(?:\\.${NAME})*|${NAME}(?:\\.${NAME})+)|[[\\p{L}\\p{N}]&&[${UNSPACED}]]+|${SPACED}+`,
  'gv',
);
const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'v');

/**
 * The words of a text as the index of a search holds them: without case, accents and marks. A word is a sequence of
 * letters and digits; c++, node.js and the like are words of their own. In scripts without spaces, a word begins at
 * every character, so that 京都 is found in 東京都. Pure.
 */
function indexedWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const { text: word, parts, isSigned } of wordsOf(text)) {
    if (words.size >= MAX_INDEXED_WORDS) break;
    const characters = [...word];
    if (BEGINS_UNSPACED.test(word))
      for (const [at] of characters.entries()) words.add(characters.slice(at, at + WINDOW).join(''));
    // The word without its sign is not indexed: `c` finds c++ as the beginning of a word, and what is written as `c`
    // alone stays apart.
    else for (const one of isSigned ? [word] : [word, ...parts]) words.add(cut(one));
  }
  return [...words];
}

/** The words by which an entry is found. Pure. */
export function indexedColumns({ name, description, tags }: Pick<Listing, 'name' | 'description' | 'tags'>) {
  return { words: indexedWords([name, description, ...tags].join(' ')), name_words: indexedWords(name) };
}

/** A word of a search text: an indexed word must begin with it. */
export interface SearchedWord {
  readonly text: string;
  /**
   * Of c++, c; of node.js, node and js; of an ordinary word none. A text with all of these words is found as well, after
   * those with the word itself.
   */
  readonly parts: readonly string[];
}

/** The words of a search text. Pure. */
export function searchedWords(text: string): readonly SearchedWord[] {
  const words = new Map<string, SearchedWord>();
  for (const { text: word, parts } of wordsOf(text))
    for (const one of BEGINS_UNSPACED.test(word) ? windowsOf([...word]) : [cut(word)])
      words.set(one, { text: one, parts: parts.map(cut) });
  return [...words.values()];
}

interface Word extends SearchedWord {
  readonly isSigned: boolean;
}

function wordsOf(text: string): readonly Word[] {
  const plain = folded(text.normalize('NFKD'))
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{ASCII}]/gu, (letter) => PLAIN_LETTERS.get(letter) ?? letter);
  return [...plain.matchAll(WORD)].map(({ 0: word, groups }): Word => {
    const { signed, dotted } = groups ?? {};
    const parts = signed === undefined ? (dotted?.split('.').filter((part) => part !== '') ?? []) : [signed];
    return { text: word, parts, isSigned: signed !== undefined };
  });
}

function cut(word: string): string {
  return [...word].slice(0, MAX_WORD_LENGTH).join('');
}

function windowsOf(run: readonly string[]): readonly string[] {
  const count = Math.max(1, run.length - WINDOW + 1);
  return Array.from({ length: count }, (_, at) => run.slice(at, at + WINDOW).join(''));
}

/**
 * Latin letters that Unicode does not decompose into a plain letter and a mark, after what people without their keyboard
 * write for them.
 */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ae: 'æ',
    a: 'ɑⱥ',
    b: 'ƀɓƃ',
    c: 'ƈȼ',
    d: 'đðɖɗƌ',
    e: 'ɇɛə',
    f: 'ƒ',
    g: 'ǥɠ',
    h: 'ħ',
    i: 'ɨı',
    j: 'ɉ',
    k: 'ƙĸ',
    l: 'łƚ',
    n: 'ŋɲƞ',
    o: 'øɔɵ',
    oe: 'œ',
    p: 'ƥ',
    r: 'ɍ',
    t: 'ŧƭʈ',
    th: 'þ',
    u: 'ʉ',
    v: 'ʋ',
    y: 'ɏƴ',
    z: 'ƶȥ',
  }).flatMap(([plain, letters]) => [...letters].map((letter) => [letter, plain] as const)),
);

/** Normalises a category or a tag for comparison: without case and surrounding space. Pure. */
export function labelKey(label: string): string {
  return folded(label.normalize('NFKC')).normalize('NFKC').trim();
}

/**
 * Orders entries by name when such texts are compared by code points: without case, and numbers by their value, so that
 * "Server 2" comes before "Server 10". Before each number stands how many digits it has. Pure.
 */
export function sortKey(name: string): string {
  return labelKey(name).replaceAll(/[0-9]+/g, (digits) => {
    const number = digits.replace(/^0+(?=.)/, '');
    // As digits too, so that numbers stay between the same other characters: 8, 90 for nine, 91 for ten.
    return `${'9'.repeat(Math.floor(number.length / 9))}${number.length % 9}${number}`;
  });
}

/** Removes differences in case: ß becomes ss, and a final sigma becomes an ordinary one. */
function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
