/** Something that must not be kept, with the shell variable that stands for it. */
export interface Secret {
  readonly value: string;
  /** Without the dollar sign: `PROBITY_TOKEN`. */
  readonly variable: string;
}

export interface Redactor {
  text(text: string): string;
  bytes(bytes: Buffer): Buffer;
  /** The variables of the secrets that these headers or this body repeat. */
  repeatedIn(headerTexts: readonly string[], body: Buffer): readonly string[];
}

/** Shorter values would be found in innocent places, and are no secrets to speak of. */
const MIN_CHARACTERS = 8;

/**
 * Replaces secrets wherever they stand, also when a target echoes them URL-encoded, JSON-escaped or inside base64.
 * Judgement sees what is left, so that a saved report judges the same.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const replacements = secrets
    .filter(({ value }) => value.length >= MIN_CHARACTERS)
    .sort((left, right) => right.value.length - left.value.length)
    .flatMap(({ value, variable }) =>
      [
        spellingOf(value, rawForms),
        spellingOf(Buffer.from(value).toString('hex'), digitForms),
        ...base64Cores(value).map((core) => spellingOf(core, base64Forms)),
      ].map((spelling): Replacement => ({ spelling, placeholder: `$${variable}` })),
    );
  return {
    text: (text) => replace(text, replacements),
    bytes: (bytes) => {
      const before = bytes.toString('latin1');
      const after = replace(before, replacements);
      return after === before ? bytes : Buffer.from(after, 'latin1');
    },
    repeatedIn: (headerTexts, body) => {
      const texts = [...headerTexts, body.toString('latin1')];
      const found = replacements.filter(({ spelling, placeholder }) =>
        texts.some((text) => replaceEvery(text, spelling, placeholder) !== text),
      );
      return [...new Set(found.map(({ placeholder }) => placeholder.slice(1)))];
    },
  };
}

interface Replacement {
  readonly spelling: Spelling;
  readonly placeholder: string;
}

function replace(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce(
    (current, { spelling, placeholder }) => replaceEvery(current, spelling, placeholder),
    text,
  );
}

/**
 * All the ways to write a secret, in pieces of which each goes on where the one before it ends: a pattern for a secret
 * of a few thousand characters in one piece is more than the engine takes.
 */
interface Spelling {
  readonly first: RegExp;
  readonly others: readonly RegExp[];
}

function replaceEvery(text: string, { first, others }: Spelling, placeholder: string): string {
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

/** An escape may be escaped in turn, so that all the backslashes before it are part of it. */
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

type FormsOf = (character: string) => readonly string[];

function spellingOf(text: string, formsOf: FormsOf): Spelling {
  // Stryker disable next-line StringLiteral: a secret has a piece, because it is not empty.
  const [first = '', ...others] = inPieces(unitsOf(text)).map((piece, index) =>
    // Stryker disable next-line ConditionalExpression: all is found without it, but it takes longer.
    piece.map((unit, at) => sourceOf(unit, formsOf, index + at === 0)).join(''),
  );
  return { first: new RegExp(first, 'g'), others: others.map((source) => new RegExp(source, 'y')) };
}

const MAX_UNITS = 48;

/** Part of no escape that a secret itself may hold. */
const PLAIN_LETTER = /[G-Zg-mo-qsv-z]/;

/** Pieces end where it is plain that the spelling of them ends, if there is such a place. */
function inPieces(units: readonly Unit[]): readonly (readonly Unit[])[] {
  const pieces: Unit[][] = [];
  let piece: Unit[] = [];
  for (const [index, unit] of units.entries()) {
    piece.push(unit);
    // Stryker disable next-line StringLiteral: only the last unit may have no character, and it ends its piece anyhow.
    const most = PLAIN_LETTER.test(unit.character ?? '') ? MAX_UNITS : 4 * MAX_UNITS;
    if (piece.length < most && index < units.length - 1) continue;
    pieces.push(piece);
    piece = [];
  }
  return pieces;
}

/** A character with the backslashes before it, or those at the end: only together is it plain where they stop. */
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

/** A backslash, which in a URL stands for itself or as `%5C`, in HTML as `&#92;`, however often it was encoded. */
const BACKSLASH = '(?:\\\\|%(?:25)*5[cC]|&(?:amp;){0,4}#(?:0{0,5}92|[xX]0{0,5}5[cC]);)';
const STARTS_WITH_BACKSLASH = new RegExp(`^${BACKSLASH}`);
const ENDS_IN_BACKSLASH = new RegExp(`${BACKSLASH}$`);
/** Of one backslash. */
const MAX_CODE_CHARACTERS = '&amp;amp;amp;amp;#0000092;'.length;
/** A text that is escaped four times has this many backslashes before a quotation mark, and one more for a backslash. */
const MAX_BACKSLASHES = 15;

/**
 * The ways to write a unit: raw, or escaped up to four times over; writers differ in which characters they escape. What
 * is longer comes first: at the end of a secret a per cent sign, an ampersand or a backslash may be the start of an escape.
 */
function sourceOf({ backslashes, character }: Unit, formsOf: FormsOf, isFirst: boolean): string {
  if (character === null) {
    // What is left of a longer run must still escape what follows, or the answer would be no JSON any more.
    const runs = [16, 8, 4, 2, 1].map((times) => run(backslashes * times));
    return `(?:${[escapedRun(backslashes, isFirst), ...runs].join('|')})`;
  }
  const bare = `(?:${[percentForm(character), ...formsOf(character)].join('|')})`;
  const escaped = `(?:${escapedForms(character).join('|')})`;
  // Of the first run the last backslashes will do: else each of a million would be a start from which to try the rest.
  const most = isFirst ? 0 : MAX_BACKSLASHES;
  const afterRun = `${run(backslashes + 1, backslashes * (most + 1) + Math.max(1, most))}${escaped}`;
  if (backslashes === 0) return `(?:${afterRun}|${bare})`;
  const inRun = `${run(backslashes, backslashes * (most + 1))}${bare}`;
  const afterEscapedRun = `${escapedRun(backslashes, isFirst)}(?:${bare}|${run(1, MAX_BACKSLASHES)}${escaped})`;
  return `(?:${afterEscapedRun}|${afterRun}|${inRun})`;
}

/** Backslashes that are themselves written as `\u005c`. */
function escapedRun(backslashes: number, isFirst: boolean): string {
  const one = `${run(1, MAX_BACKSLASHES)}u005[cC]`;
  return isFirst ? `${BACKSLASH}u005[cC](?:${one}){${backslashes - 1}}` : `(?:${one}){${backslashes}}`;
}

function run(least: number, most = least): string {
  return `${BACKSLASH}{${least},${most}}`;
}

/** As it is, and as the bytes of UTF-8 look when each is read as a character. */
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

/** By number or by name, and escaped a few times over. */
function htmlForm(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const forms = [`#(?:0{0,5}${code}|[xX]0{0,5}${hexadecimal(code, 1)})`];
  const named = HTML_NAMES[character];
  if (named !== undefined) forms.push(named);
  return `&(?:amp;){0,4}(?:${forms.join('|')});`;
}

/** Hexadecimal digits have letters of either size. */
function digitForms(digit: string): readonly string[] {
  return [...new Set([digit, digit.toUpperCase()])];
}

/** Base64 for URLs has two letters of its own. */
function base64Forms(character: string): readonly string[] {
  if (character === '+') return ['\\+', '-'];
  return character === '/' ? ['\\/', '_'] : [character];
}

function percentForm(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%(?:25)*${hexadecimal(byte, 2)}`).join('');
}

/** What follows the backslashes where the character is escaped. */
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
 * What base64 of any text that holds the secret must contain, for each of the three ways in which it can be aligned: ten
 * letters at least, because a secret has eight bytes.
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
