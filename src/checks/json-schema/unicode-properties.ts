import { RE2JS } from 're2js';

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
