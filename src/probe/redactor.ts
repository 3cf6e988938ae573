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
const LEAST_CHARACTERS = 8;

/**
 * Replaces secrets wherever they stand, also when a target echoes them URL-encoded, JSON-escaped or inside base64.
 * Judgement sees what is left, so that a saved report judges the same.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const kept = secrets
    .filter(({ value }) => value.length >= LEAST_CHARACTERS)
    .sort((left, right) => right.value.length - left.value.length);
  const inText = kept.map((secret) => replacementOf(secret, (character) => character));
  const inBytes = kept.map((secret) => replacementOf(secret, latin1Of));
  return {
    text: (text) => replace(text, inText),
    bytes: (bytes) => {
      if (inBytes.length === 0) return bytes;
      const before = bytes.toString('latin1');
      const after = replace(before, inBytes);
      return after === before ? bytes : Buffer.from(after, 'latin1');
    },
    repeatedIn: (headerTexts, body) => {
      if (inBytes.length === 0) return [];
      const texts = [...headerTexts, body.toString('latin1')];
      const found = inBytes.filter(({ pattern }) => texts.some((text) => text.search(pattern) >= 0));
      return [...new Set(found.map(({ placeholder }) => placeholder.slice(1)))];
    },
  };
}

interface Replacement {
  readonly pattern: RegExp;
  readonly placeholder: string;
}

function replacementOf({ value, variable }: Secret, rawOf: (character: string) => string): Replacement {
  const spellings = [...value].map((character) => spellingsOf(character, rawOf(character))).join('');
  const pattern = new RegExp([spellings, ...base64Cores(value).map(escapeRegExp)].join('|'), 'g');
  return { pattern, placeholder: `$${variable}` };
}

function replace(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce(
    (current, { pattern, placeholder }) => current.replaceAll(pattern, () => placeholder),
    text,
  );
}

/** UTF-8 bytes as one character each. */
function latin1Of(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The ways to write a character, raw and escaped up to four times over; writers differ in which characters they escape. */
function spellingsOf(character: string, raw: string): string {
  const percent = [...Buffer.from(character, 'utf8')]
    .map((byte) => `%(?:25)*${hexadecimal(byte, 2)}`)
    .join('');
  const unicode = character
    .split('')
    .map((unit) => `\\\\{1,15}u${hexadecimal(unit.charCodeAt(0), 4)}`)
    .join('');
  const spellings = [escapeRegExp(raw), percent, unicode];
  const jsonEscaped = JSON.stringify(character).slice(1, -1);
  if (jsonEscaped.length === 2) spellings.push(`\\\\{1,15}${escapeRegExp(jsonEscaped.slice(1))}`);
  if (character === '/') spellings.push('\\\\{1,15}/');
  if (character === ' ') spellings.push('\\+');
  return `(?:${spellings.join('|')})`;
}

/** Hexadecimal digits in letters of either size. */
function hexadecimal(value: number, digits: number): string {
  const text = value.toString(16).padStart(digits, '0');
  return text.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

const LEAST_CORE_CHARACTERS = 8;

/** What base64 of any text that holds the secret must contain, for each of the three ways in which it can be aligned. */
function base64Cores(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const from = shift === 0 ? 0 : shift + 1;
    const wholeCharacters = Math.floor(((shift + bytes.length) * 8) / 6);
    const core = encoded.slice(from, wholeCharacters);
    if (core.length < LEAST_CORE_CHARACTERS) return [];
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
