/** No word is cut shorter than this; the database takes no longer ones. */
const MAX_WORD_LENGTH = 100;

/**
 * The words of a text, as a search compares them: without case, accents and marks. A word is a run of letters and digits
 * of any script. Pure.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [
    ...new Set(
      (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => [...word].slice(0, MAX_WORD_LENGTH).join('')),
    ),
  ];
}

/** How a category or a tag is compared: without case and outer space. Pure. */
export function labelKey(label: string): string {
  return label.normalize('NFKC').trim().toLowerCase();
}

/** A query for entries that hold, for each word, a word that begins with it: for a `tsvector` made of words. Pure. */
export function prefixQuery(words: readonly string[]): string {
  // Words hold neither quotes nor backslashes, so that quoting is all it takes.
  return words.map((word) => `'${word}':*`).join(' & ');
}
