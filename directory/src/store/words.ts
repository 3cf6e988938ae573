/** Longer words are cut; the database limits the length of a word. */
const MAX_WORD_LENGTH = 100;

/**
 * The words of a text as a search compares them: without case, accents and marks. A word is a sequence of letters and
 * digits of any script. Pure.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = folded(text.normalize('NFKD')).normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return [
    ...new Set(
      (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => [...word].slice(0, MAX_WORD_LENGTH).join('')),
    ),
  ];
}

/** Normalises a category or a tag for comparison: without case and surrounding space. Pure. */
export function labelKey(label: string): string {
  return folded(label.normalize('NFKC')).normalize('NFKC').trim();
}

/** Removes differences in case: ß becomes ss, and a final sigma becomes an ordinary one. */
function folded(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** A `tsquery` that matches when, for each given word, a word of the `tsvector` begins with it. Pure. */
export function prefixQuery(words: readonly string[]): string {
  // Words contain no quotes or backslashes, so they need no escaping.
  return words.map((word) => `'${word}':*`).join(' & ');
}
