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
/** A word of a script with spaces, or a run of a script without them, in which any part may be a word. */
const WORD = new RegExp(`[[\\p{L}\\p{N}]&&[${UNSPACED}]]+|[[\\p{L}\\p{N}]--[${UNSPACED}]]+`, 'gv');
const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'v');

/**
 * The words of a text as the index of a search holds them: without case, accents and marks. A word is a sequence of
 * letters and digits. In scripts without spaces, a word begins at every character, so that 京都 is found in 東京都. Pure.
 */
function indexedWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const word of wordsOf(text)) {
    if (words.size >= MAX_INDEXED_WORDS) break;
    if (isUnspaced(word)) for (const [at] of word.entries()) words.add(word.slice(at, at + WINDOW).join(''));
    else words.add(word.slice(0, MAX_WORD_LENGTH).join(''));
  }
  return [...words];
}

/** The words by which an entry is found. Pure. */
export function indexedColumns({ name, description, tags }: Pick<Listing, 'name' | 'description' | 'tags'>) {
  return { words: indexedWords([name, description, ...tags].join(' ')), name_words: indexedWords(name) };
}

/** The words of a search text: an indexed word must begin with each of them. Pure. */
export function searchedWords(text: string): readonly string[] {
  return [
    ...new Set(
      wordsOf(text).flatMap((word) =>
        isUnspaced(word) ? windowsOf(word) : [word.slice(0, MAX_WORD_LENGTH).join('')],
      ),
    ),
  ];
}

/** The characters of each word. */
function wordsOf(text: string): readonly (readonly string[])[] {
  const plain = folded(text.normalize('NFKD'))
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{ASCII}]/gu, (letter) => PLAIN_LETTERS.get(letter) ?? letter);
  return (plain.match(WORD) ?? []).map((word) => [...word]);
}

function isUnspaced([first = '']: readonly string[]): boolean {
  return BEGINS_UNSPACED.test(first);
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

/** Removes differences in case: ß becomes ss, and a final sigma becomes an ordinary one. */
function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
