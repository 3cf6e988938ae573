/** The words of a name or a sentence, in small letters: "noteId" and "note_id" are both "note", "id". */
export function wordsIn(text: string): readonly string[] {
  return text
    .normalize('NFC')
    .replaceAll(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

/** A word without the ending of a plural or of the third person. */
export function baseOf(word: string): string {
  return word.replace(/s$/, '');
}
