import type { AST } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';

/** Characters as ranges of code points, both ends included. */
type CodePoints = readonly (readonly [first: number, last: number])[];

const LAST = 0x10ffff;

const SETS = {
  digit: codePoints('30-39'),
  word: codePoints('30-39 41-5a 5f 61-7a'),
  /** White space and line ends of ECMAScript, of which RE2 knows only some. */
  space: codePoints('9-d 20 a0 1680 2000-200a 2028-2029 202f 205f 3000 feff'),
};
/** What a dot does not match. */
const LINE_ENDS = codePoints('a d 2028-2029');

function codePoints(ranges: string): CodePoints {
  return ranges.split(' ').map((range) => {
    const [first = 0, last = first] = range.split('-').map((digits) => Number.parseInt(digits, 16));
    return [first, last];
  });
}

/** All other code points. The given ranges are in order and do not touch. */
function othersThan(ranges: CodePoints): CodePoints {
  const others: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) others.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST) others.push([next, LAST]);
  return others;
}

function rangeText(first: number, last: number): string {
  const start = `\\x{${first.toString(16)}}`;
  return first === last ? start : `${start}-\\x{${last.toString(16)}}`;
}

function rangesText(ranges: CodePoints): string {
  return ranges.map(([first, last]) => rangeText(first, last)).join('');
}

/** A part of a pattern that RE2 cannot match; the message is what the pattern does: "uses a back reference". */
export class NotLinear extends Error {}

const MAX_SIZE = 20_000;
/** Maximum repetitions in RE2, multiplied over all levels. */
const MAX_REPEATS = 1000;

interface Re2Text {
  readonly text: string;
  /** Approximate number of instructions of RE2. */
  readonly size: number;
  /** Its largest counted repetition, multiplied over all levels. */
  readonly repeats: number;
}

const EMPTY: Re2Text = { text: '(?:)', size: 1, repeats: 1 };

export function alternativesText(alternatives: readonly AST.Alternative[]): Re2Text {
  return chosen(alternatives.map(({ elements }) => elementsText(elements)));
}

export function elementsText(elements: readonly AST.Element[]): Re2Text {
  return joined(elements.map((element, index) => elementText(element, index === elements.length - 1)));
}

function chosen(parts: readonly Re2Text[]): Re2Text {
  const { size, repeats } = joined(parts);
  return { text: `(?:${parts.map(({ text }) => text).join('|')})`, size, repeats };
}

function joined(parts: readonly Re2Text[]): Re2Text {
  return parts.reduce(
    (all, part) => ({
      text: all.text + part.text,
      size: sizeWithin(all.size + part.size),
      repeats: Math.max(all.repeats, part.repeats),
    }),
    { text: '', size: 1, repeats: 1 },
  );
}

function sizeWithin(size: number): number {
  if (size > MAX_SIZE) throw new NotLinear('repeats too much');
  return size;
}

function elementText(element: AST.Element, isLast: boolean): Re2Text {
  switch (element.type) {
    case 'Assertion':
      return assertionText(element, isLast);
    case 'Backreference':
      throw new NotLinear('uses a back reference');
    case 'Quantifier':
      return repeated(elementText(element.element, false), element.min, element.max);
    case 'Group':
      if (element.modifiers !== null) throw new NotLinear('changes flags inside a group');
      return alternativesText(element.alternatives);
    case 'CapturingGroup':
      return alternativesText(element.alternatives);
    case 'Character':
      return single(rangeText(element.value, element.value));
    case 'CharacterSet':
      return single(`[${setText(element)}]`);
    case 'CharacterClass':
      return single(classText(element));
    case 'ExpressionCharacterClass':
      throw new NotLinear('uses set notation');
  }
}

function single(text: string): Re2Text {
  return { text, size: 1, repeats: 1 };
}

/** A look-ahead at the very end is matched like other text, because it does not matter where the match ends. */
function assertionText(assertion: AST.Assertion, isLast: boolean): Re2Text {
  switch (assertion.kind) {
    case 'start':
      return single('\\A');
    case 'end':
      return single('\\z');
    case 'word':
      return single(assertion.negate ? '\\B' : '\\b');
    case 'lookahead':
      if (isLast && !assertion.negate && assertion.parent.parent?.type === 'Pattern')
        return alternativesText(assertion.alternatives);
      throw new NotLinear('uses a look-ahead that is not at its beginning');
    case 'lookbehind':
      throw new NotLinear('uses a look-behind');
  }
}

function setText(set: AST.CharacterSet): string {
  if (set.kind === 'any') return rangesText(othersThan(LINE_ENDS));
  if (set.kind === 'property') {
    const name = re2PropertyName(set.key, set.value);
    if (name === null) throw new NotLinear(`uses the Unicode property ${set.raw}`);
    return `\\${set.negate ? 'P' : 'p'}{${name}}`;
  }
  const ranges = SETS[set.kind];
  return rangesText(set.negate ? othersThan(ranges) : ranges);
}

function classText({ elements, negate }: AST.CharacterClass): string {
  const parts = elements.map((element) => {
    if (element.type === 'Character') return rangeText(element.value, element.value);
    if (element.type === 'CharacterClassRange') return rangeText(element.min.value, element.max.value);
    if (element.type === 'CharacterSet') return setText(element);
    throw new NotLinear('uses set notation');
  });
  if (parts.length === 0) return negate ? `[${rangeText(0, 0x10ffff)}]` : `[^${rangeText(0, 0x10ffff)}]`;
  return `[${negate ? '^' : ''}${parts.join('')}]`;
}

function repeated(part: Re2Text, min: number, max: number): Re2Text {
  if (max === 0) return EMPTY;
  const optional = max === Number.POSITIVE_INFINITY ? 0 : max - min;
  const rest =
    max === Number.POSITIVE_INFINITY
      ? [`(?:${part.text})*`]
      : chunks(part, optional, (count) => `{0,${count}}`);
  return {
    text: [...chunks(part, min, (count) => `{${count}}`), ...rest].join(''),
    size: sizeWithin(part.size * (min + optional + 1)),
    repeats: Math.min(MAX_REPEATS, part.repeats * Math.max(1, min, optional)),
  };
}

/** A repetition, split into pieces that RE2 accepts: `x{1500}` is `x{1000}x{500}`. */
function chunks(part: Re2Text, count: number, quantifier: (count: number) => string): readonly string[] {
  const largest = Math.max(1, Math.floor(MAX_REPEATS / part.repeats));
  const pieces: string[] = [];
  for (let left = count; left > 0; left -= largest) {
    const here = Math.min(left, largest);
    pieces.push(`(?:${part.text})${quantifier(here)}`);
  }
  return pieces;
}

/** General categories by their long names, which RE2 does not know. */
const CATEGORIES = pairs(
  'Letter L, Cased_Letter LC, Uppercase_Letter Lu, Lowercase_Letter Ll, Titlecase_Letter Lt',
  'Modifier_Letter Lm, Other_Letter Lo, Mark M, Combining_Mark M, Nonspacing_Mark Mn, Spacing_Mark Mc',
  'Enclosing_Mark Me, Number N, Decimal_Number Nd, digit Nd, Letter_Number Nl, Other_Number No',
  'Punctuation P, punct P, Connector_Punctuation Pc, Dash_Punctuation Pd, Open_Punctuation Ps',
  'Close_Punctuation Pe, Initial_Punctuation Pi, Final_Punctuation Pf, Other_Punctuation Po, Symbol S',
  'Math_Symbol Sm, Currency_Symbol Sc, Modifier_Symbol Sk, Other_Symbol So, Separator Z',
  'Space_Separator Zs, Line_Separator Zl, Paragraph_Separator Zp, Other C, Control Cc, cntrl Cc',
  'Format Cf, Surrogate Cs, Private_Use Co, Unassigned Cn',
);

/** Scripts by the short names in use; most are written out. */
const SCRIPTS = pairs(
  'Arab Arabic, Armn Armenian, Beng Bengali, Cyrl Cyrillic, Deva Devanagari, Geor Georgian, Grek Greek',
  'Hang Hangul, Hani Han, Hebr Hebrew, Hira Hiragana, Kana Katakana, Latn Latin, Taml Tamil, Thai Thai',
  'Zyyy Common',
);

/** The name under which RE2 knows a Unicode property of ECMAScript, or null if it does not. */
export function re2PropertyName(key: string, value: string | null): string | null {
  if (value === null) return key === 'Any' ? key : null;
  if (key === 'General_Category' || key === 'gc') return knownToRe2(CATEGORIES.get(value) ?? value);
  return key === 'Script' || key === 'sc' ? knownToRe2(SCRIPTS.get(value) ?? value) : null;
}

function knownToRe2(name: string): string | null {
  try {
    RE2JS.compile(`\\p{${name}}`);
    return name;
  } catch {
    return null;
  }
}

function pairs(...lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.flatMap((line) => line.split(', ')).map((pair) => pair.split(' ') as [string, string]),
  );
}
