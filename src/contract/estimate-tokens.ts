/**
 * An estimate of the tokens of a text. Instead of a tokenizer, because its table is 2 MB and that of one family of models
 * only (measured with o200k_base on the definitions of 44 packages that were not used to find the numbers below: docs/
 * definition-tokens.md has the table).
 *
 * Tokenizers cut a text into such pieces first, and then each piece into tokens: a word with the space before it is mostly
 * one. The numbers are tokens for each piece, or for each character of one.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const piece of text.matchAll(PIECES)) tokens += tokensOf(piece);
  return Math.ceil(tokens);
}

/** A word, of which capital letters begin another one, with one character before it; up to three digits; marks; blanks. */
const PIECES =
  /([^\r\n\p{L}\p{N}])?([A-Z]*[a-z]+|[A-Z]+)|(\p{N}{1,3})|( ?[^\s\p{L}\p{N}]+[\r\n/]*)|(\s+)|([\p{L}\p{M}])/gu;

const SHORT_WORD = 0.95;
const LONG_WORD = 1.11;
const MIN_LONG = 9;
/** Longer words are no words of a language, and are cut into small parts. */
const MIN_ENDLESS = 20;
const OF_ENDLESS = 0.35;
/** A quotation mark or an underscore before a word is often a token. */
const MARK_BEFORE = 0.45;
const FURTHER_CAPITAL = 0.09;
const DIGITS = 1.17;
const MARKS = 1.15;
const FURTHER_MARK = 0.05;
const BLANKS = 1.18;
const IDEOGRAPH = 0.72;
const OTHER_LETTER = 0.38;

const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const ALL_CAPITALS = /^[A-Z]{2,}$/;

function tokensOf([whole, before, word, digits, marks, blanks]: RegExpMatchArray): number {
  if (word !== undefined) {
    const length = word.length >= MIN_LONG ? LONG_WORD : SHORT_WORD;
    const mark = before === undefined || before === ' ' ? 0 : MARK_BEFORE;
    const capitals = ALL_CAPITALS.test(word) ? (word.length - 1) * FURTHER_CAPITAL : 0;
    return length + mark + capitals + Math.max(0, word.length - MIN_ENDLESS) * OF_ENDLESS;
  }
  if (digits !== undefined) return DIGITS;
  if (marks !== undefined) return MARKS + (marks.trim().length - 1) * FURTHER_MARK;
  if (blanks !== undefined) return BLANKS;
  return IDEOGRAPHS.test(whole) ? IDEOGRAPH : OTHER_LETTER;
}
