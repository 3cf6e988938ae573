import type { PatternRule } from '../../model/text-rule.ts';

export interface Hit {
  readonly found: string;
  readonly index: number;
}

/** The first match of a rule in a text that counts; null if none does. Pure. */
export function hitIn(text: string, rule: PatternRule, knows: (name: string) => boolean): Hit | null {
  if (!mayMatch(text, rule)) return null;
  const { pattern, unless, unlessBefore, unlessText } = compiled(rule);
  // Most texts end here: what matches all makes a copy of the pattern, which may have to be compiled again.
  if (text.search(pattern) < 0 || unlessText?.test(text)) return null;
  for (const match of text.matchAll(pattern)) {
    const [found, ...groups] = match;
    const group = groups.find((one) => one !== undefined) ?? found;
    const { index } = match;
    if (unless?.test(found) || unlessBefore?.test(text.slice(Math.max(0, index - BEFORE), index))) continue;
    if (rule.kind === 'secret' && isPlaceholder(found, group)) continue;
    if (rule.kind === 'other-tool' && knows(group)) continue;
    return { found, index };
  }
  return null;
}

/** Whether the text has what a match needs: few texts do, and to compile a pattern takes milliseconds. */
function mayMatch(text: string, { words, isBeyondPlain }: PatternRule): boolean {
  const { lower, isPlain } = read(text);
  if (isBeyondPlain === true && isPlain) return false;
  const hasOne = (set: readonly string[]): boolean => set.some((word) => lower.includes(word));
  return words?.some((sets) => sets.every(hasOne)) ?? true;
}

/** The last text, because all rules are applied to it one after the other. */
let last = { text: '', lower: '', isPlain: true };

const BEYOND_PLAIN = /[^\t\n\r -~]/;

function read(text: string): typeof last {
  // The long s is the only letter that matches a plain one without becoming it.
  if (last.text !== text)
    last = {
      text,
      lower: text.toLowerCase().replaceAll('\u017F', 's'),
      isPlain: !BEYOND_PLAIN.test(text),
    };
  return last;
}

/** So many characters before a match may excuse it. */
const BEFORE = 80;

type Patterns = { readonly pattern: RegExp } & Readonly<
  Record<'unless' | 'unlessBefore' | 'unlessText', RegExp | undefined>
>;

/** By the rule, because each is applied to every text. */
const patterns = new Map<PatternRule, Patterns>();

function compiled(rule: PatternRule): Patterns {
  const known = patterns.get(rule);
  if (known !== undefined) return known;
  const optional = (source: string | undefined) =>
    source === undefined ? undefined : new RegExp(source, 'iu');
  const made = {
    pattern: new RegExp(rule.pattern, rule.caseSensitive ? 'gu' : 'giu'),
    unless: optional(rule.unless),
    unlessBefore: optional(rule.unlessBefore),
    unlessText: optional(rule.unlessText),
  };
  patterns.set(rule, made);
  return made;
}

const WORDS_OF_PLACEHOLDERS =
  /example|your|placeholder|dummy|sample|fake|redacted|change_?me|insert|replace|x{4}|\.{3}|[<>{}$*]|goes_?here|secret_?here/i;
/** Fewer different characters are a row of zeros, or of one word. */
const MIN_DIFFERENT = 10;
const RUN = 5;
const MIN_BITS = 3;

/** Whether a text in the form of a secret is one that a document shows, and not one that somebody uses. */
function isPlaceholder(found: string, secret: string): boolean {
  if (WORDS_OF_PLACEHOLDERS.test(found) || hasRun(secret)) return true;
  // Passwords in addresses are short.
  return secret.length >= 16 && (new Set(secret).size < MIN_DIFFERENT || bitsPerCharacter(secret) < MIN_BITS);
}

/** Characters in the order of a keyboard's child: `12345`, `abcde`. */
function hasRun(text: string): boolean {
  let length = 1;
  for (let at = 1; at < text.length; at += 1) {
    length = text.charCodeAt(at) === text.charCodeAt(at - 1) + 1 ? length + 1 : 1;
    if (length >= RUN) return true;
  }
  return false;
}

function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce(
    (bits, count) => bits - (count / text.length) * Math.log2(count / text.length),
    0,
  );
}
