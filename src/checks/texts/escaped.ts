import { visible } from '../../json/visible.ts';

/** A text with escapes for what is invisible, and for what else matches the pattern, such as letters that look like others. */
export function escaped(text: string, also: RegExp): string {
  return visible(text).replaceAll(
    also,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}
