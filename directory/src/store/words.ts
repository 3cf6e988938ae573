/** No word is cut shorter than this; the database takes no longer ones. */
const MAX_WORD_LENGTH = 100;

/**
 * The words of a text, as a search compares them: without case, accents and marks. A word is a run of letters and digits
 * of any script. Pure.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = folded(text.normalize('NFKD')).normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return [
    ...new Set(
      (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => [...word].slice(0, MAX_WORD_LENGTH).join('')),
    ),
  ];
}

/** How a category or a tag is compared: without case and outer space. Pure. */
export function labelKey(label: string): string {
  return folded(label.normalize('NFKC')).normalize('NFKC').trim();
}

/** Without case, in whichever way it was written: ß is ss, and a sigma is one at the end of a word too. */
function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** A query for entries that hold, for each word, a word that begins with it: for a `tsvector` made of words. Pure. */
export function prefixQuery(words: readonly string[]): string {
  // Words hold neither quotes nor backslashes, so that quoting is all it takes.
  return words.map((word) => `'${word}':*`).join(' & ');
}
