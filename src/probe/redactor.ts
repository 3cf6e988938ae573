import type { Secret } from '../model/probe.ts';
import { replaceEvery, type Spelling, spellingsOf } from './secret-spellings.ts';

export interface Redactor {
  text(text: string): string;
  bytes(bytes: Buffer): Buffer;
  /** The variables of the secrets that these headers or this body repeat. */
  repeatedIn(headerTexts: readonly string[], body: Buffer): readonly string[];
}

/** A value with its lines: a program may print one of several lines line by line. */
export function secretsIn(value: string, variable: string): readonly Secret[] {
  return [...new Set([value, ...value.split(/\r?\n/)])].map((part) => ({ value: part, variable }));
}

/** Keys that an address has in its query, as some endpoints want them. */
export function secretsInQuery(address: string): readonly Secret[] {
  if (!URL.canParse(address)) return [];
  return [...new URL(address).searchParams].map(([name, value]) => ({
    value,
    variable: name
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_')
      .toUpperCase(),
  }));
}

/** Shorter values would match innocent text, and are hardly secrets. */
const MIN_CHARACTERS = 8;

/**
 * Replaces secrets everywhere, also URL-encoded, JSON-escaped or inside base64. The judge sees the redacted text, so a
 * saved report is judged the same.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  const replacements = secrets
    .filter(({ value }) => value.length >= MIN_CHARACTERS)
    .sort((left, right) => right.value.length - left.value.length)
    .flatMap(({ value, variable }) =>
      spellingsOf(value).map((spelling): Replacement => ({ spelling, placeholder: `$${variable}` })),
    );
  if (replacements.length === 0) return NOTHING_SECRET;
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

/** Most targets need no key, and their answers are not searched for any. */
const NOTHING_SECRET: Redactor = {
  text: (text) => text,
  bytes: (bytes) => bytes,
  repeatedIn: () => [],
};

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
