// How a secret may be spelled in what a target sends, and how each spelling is found.

/**
 * All spellings of a secret, as consecutive patterns that each continue where the last one ended. A single pattern for
 * a secret of a few thousand characters exceeds the limits of the regular expression engine.
 */
export interface Spelling {
  readonly first: RegExp;
  readonly others: readonly RegExp[];
}

export function replaceEvery(text: string, { first, others }: Spelling, placeholder: string): string {
  const parts: string[] = [];
  let keptTo = 0;
  first.lastIndex = 0;
  for (let found = first.exec(text); found !== null; found = first.exec(text)) {
    const end = endOfSpelling(text, first.lastIndex, others);
    if (end === null) {
      first.lastIndex = found.index + 1;
      continue;
    }
    const start = startOfRun(text, found.index, keptTo);
    parts.push(text.slice(keptTo, start), placeholder);
    keptTo = end;
    first.lastIndex = end;
  }
  return parts.join('') + text.slice(keptTo);
}

/** An escape may itself be escaped, so all backslashes before it belong to it. */
function startOfRun(text: string, found: number, from: number): number {
  if (!STARTS_WITH_BACKSLASH.test(text.slice(found, found + MAX_CODE_CHARACTERS))) return found;
  let start = found;
  for (;;) {
    const before = text.slice(Math.max(from, start - MAX_CODE_CHARACTERS), start);
    const last = ENDS_IN_BACKSLASH.exec(before);
    if (last === null) return start;
    start -= last[0].length;
  }
}

function endOfSpelling(text: string, start: number, others: readonly RegExp[]): number | null {
  let end = start;
  for (const pattern of others) {
    pattern.lastIndex = end;
    if (!pattern.test(text)) return null;
    end = pattern.lastIndex;
  }
  return end;
}

/** A secret is also recognised as hexadecimal digits and inside base64. */
export function spellingsOf(secret: string): readonly Spelling[] {
  return [
    spellingOf(secret, rawForms),
    spellingOf(Buffer.from(secret).toString('hex'), digitForms),
    ...base64Cores(secret).map((core) => spellingOf(core, base64Forms)),
  ];
}

type FormsOf = (character: string) => readonly string[];

function spellingOf(text: string, formsOf: FormsOf): Spelling {
  // Stryker disable next-line StringLiteral: a secret is not empty, so it has a piece.
  const [first = '', ...others] = inPieces(unitsOf(text)).map((piece, index) =>
    // Stryker disable next-line ConditionalExpression: everything is found without it, but more slowly.
    piece.map((unit, at) => sourceOf(unit, formsOf, index + at === 0)).join(''),
  );
  return { first: new RegExp(first, 'g'), others: others.map((source) => new RegExp(source, 'y')) };
}

const MAX_UNITS = 48;

/** Letters that cannot be part of an escape in a secret. */
const PLAIN_LETTER = /[G-Zg-mo-qsv-z]/;

/** Ends each piece at a letter where its spelling ends unambiguously, if there is one. */
function inPieces(units: readonly Unit[]): readonly (readonly Unit[])[] {
  const pieces: Unit[][] = [];
  let piece: Unit[] = [];
  for (const [index, unit] of units.entries()) {
    piece.push(unit);
    // Stryker disable next-line StringLiteral: only the last unit can lack a character, and it ends its piece anyway.
    const maxUnits = PLAIN_LETTER.test(unit.character ?? '') ? MAX_UNITS : 4 * MAX_UNITS;
    if (piece.length < maxUnits && index < units.length - 1) continue;
    pieces.push(piece);
    piece = [];
  }
  return pieces;
}

/** A character with the backslashes before it, or the backslashes at the end. Together, the run has a clear end. */
interface Unit {
  readonly backslashes: number;
  readonly character: string | null;
}

function unitsOf(secret: string): readonly Unit[] {
  return [...secret.matchAll(/(\\*)([^\\])|\\+$/gu)].map(([all, run = all, character = null]) => ({
    backslashes: run.length,
    character,
  }));
}

/** A backslash: itself, `%5C` in a URL, or `&#92;` in HTML, encoded any number of times. */
const BACKSLASH = '(?:\\\\|%(?:25)*5[cC]|&(?:amp;){0,4}#(?:0{0,5}92|[xX]0{0,5}5[cC]);)';
const STARTS_WITH_BACKSLASH = new RegExp(`^${BACKSLASH}`);
const ENDS_IN_BACKSLASH = new RegExp(`${BACKSLASH}$`);
/** The longest spelling of one backslash. */
const MAX_CODE_CHARACTERS = '&amp;amp;amp;amp;#0000092;'.length;
/** After four escapings, a quotation mark has this many backslashes, and a backslash one more. */
const MAX_BACKSLASHES = 15;

/**
 * The spellings of a unit: raw, or escaped up to four times; writers differ in which characters they escape. Longer
 * spellings come first, because at the end of a secret, a percent sign, an ampersand or a backslash may start an
 * escape.
 */
function sourceOf({ backslashes, character }: Unit, formsOf: FormsOf, isFirst: boolean): string {
  if (character === null) {
    // The rest of a longer run must still escape what follows, or the answer would no longer be valid JSON.
    const runs = [16, 8, 4, 2, 1].map((times) => run(backslashes * times));
    return `(?:${[escapedRun(backslashes, isFirst), ...runs].join('|')})`;
  }
  const bare = `(?:${[percentForm(character), ...formsOf(character)].join('|')})`;
  const escaped = `(?:${escapedForms(character).join('|')})`;
  // For the first run, only its last backslashes are matched. Otherwise, each of a million backslashes would be a
  // starting point.
  const max = isFirst ? 0 : MAX_BACKSLASHES;
  const afterRun = `${run(backslashes + 1, backslashes * (max + 1) + Math.max(1, max))}${escaped}`;
  if (backslashes === 0) return `(?:${afterRun}|${bare})`;
  const inRun = `${run(backslashes, backslashes * (max + 1))}${bare}`;
  const afterEscapedRun = `${escapedRun(backslashes, isFirst)}(?:${run(1, MAX_BACKSLASHES)}${escaped}|${bare})`;
  return `(?:${afterEscapedRun}|${afterRun}|${inRun})`;
}

/** Backslashes that are themselves written as `\u005c`. */
function escapedRun(backslashes: number, isFirst: boolean): string {
  const one = `${run(1, MAX_BACKSLASHES)}u005[cC]`;
  return isFirst ? `${BACKSLASH}u005[cC](?:${one}){${backslashes - 1}}` : `(?:${one}){${backslashes}}`;
}

function run(min: number, max = min): string {
  return `${BACKSLASH}{${min},${max}}`;
}

/** Raw, and as UTF-8 bytes that were each read as a character. */
function rawForms(character: string): readonly string[] {
  const forms = [...new Set([character, latin1Of(character)])].map(escapeRegExp);
  if (character === ' ') forms.push('\\+');
  return [htmlForm(character), ...forms];
}

const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** As a numeric or named entity, escaped several times. */
function htmlForm(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const forms = [`#(?:0{0,5}${code}|[xX]0{0,5}${hexadecimal(code, 1)})`];
  const named = HTML_NAMES[character];
  if (named !== undefined) forms.push(named);
  return `&(?:amp;){0,4}(?:${forms.join('|')});`;
}

/** Hexadecimal digits in lower and upper case. */
function digitForms(digit: string): readonly string[] {
  return [...new Set([digit, digit.toUpperCase()])];
}

/** The URL variant of base64 replaces two characters. */
function base64Forms(character: string): readonly string[] {
  if (character === '+') return ['\\+', '-'];
  return character === '/' ? ['\\/', '_'] : [character];
}

function percentForm(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%(?:25)*${hexadecimal(byte, 2)}`).join('');
}

/** What follows the backslashes if the character is escaped. */
function escapedForms(character: string): readonly string[] {
  const unicode = character
    .split('')
    .map((unit) => `u${hexadecimal(unit.charCodeAt(0), 4)}`)
    .join(`${BACKSLASH}{1,${MAX_BACKSLASHES}}`);
  const inJson = JSON.stringify(character).slice(1, -1);
  const letter = inJson.length === 2 ? inJson.slice(1) : character === '/' ? '/' : null;
  return letter === null ? [unicode] : [unicode, escapeRegExp(letter), percentForm(letter)];
}

/** UTF-8 bytes as one character each. */
function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Hexadecimal digits in letters of either size. */
function hexadecimal(value: number, digits: number): string {
  const text = value.toString(16).padStart(digits, '0');
  return text.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * What the base64 of any text with the secret must contain, for each of the three alignments. It has at least ten
 * letters, because a secret has at least eight bytes.
 */
function base64Cores(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const from = shift === 0 ? 0 : shift + 1;
    const wholeCharacters = Math.floor(((shift + bytes.length) * 8) / 6);
    return encoded.slice(from, wholeCharacters);
  });
}
