import type { Mutant, RawAnswer } from './mutant.ts';
import { raw, withBody, withContentType, withText } from './mutations.ts';

/* What can be wrong with an answer of any of the three operations. */

interface BrokenAnswer {
  readonly name: string;
  readonly edit: (answer: RawAnswer) => RawAnswer;
}

const BOM = '\uFEFF';

/** Bodies that are not one JSON object in UTF-8 with unique keys. */
const BROKEN_BODIES: readonly BrokenAnswer[] = [
  { name: 'the body starts with a byte order mark', edit: withText((text) => BOM + text) },
  { name: 'a key occurs twice', edit: withText((text) => `{"extra":1,"extra":1,${text.slice(1)}`) },
  {
    name: 'a nested key occurs twice, once with an escape',
    edit: withText((text) => `{"extra":[{"id":{"a":1,"\\u0061":2}}],${text.slice(1)}`),
  },
  {
    name: 'the body is Latin-1, not UTF-8',
    edit: withText((text) => Buffer.from(`{"extra":"Zürich",${text.slice(1)}`, 'latin1')),
  },
  { name: 'the body is UTF-16', edit: withText((text) => Buffer.from(BOM + text, 'utf16le')) },
  { name: 'the body is an array around the object', edit: withText((text) => `[${text}]`) },
  { name: 'the body is a string that holds the JSON', edit: withText((text) => JSON.stringify(text)) },
  { name: 'the body is null', edit: withBody('null') },
  { name: 'the body is truncated', edit: withText((text) => text.slice(0, -10)) },
  { name: 'the body is empty', edit: withBody('') },
  { name: 'the body is the word OK', edit: withBody('OK') },
  { name: 'the body is an HTML page', edit: withBody('<!doctype html><title>Welcome</title>') },
  { name: 'the body is two objects, one per line', edit: withText((text) => `${text}\n${text}\n`) },
  { name: 'the object ends in a comma', edit: withText((text) => `${text.slice(0, -1)},}`) },
  { name: 'the object is written with single quotes', edit: withText((text) => text.replaceAll('"', "'")) },
  { name: 'a number is NaN', edit: withText((text) => `{"extra":NaN,${text.slice(1)}`) },
  { name: 'log output precedes the JSON', edit: withText((text) => `served in 3 ms\n${text}`) },
];

const WRONG_CONTENT_TYPES: readonly BrokenAnswer[] = [
  { name: 'the Content-Type is missing', edit: withContentType(undefined) },
  { name: 'the Content-Type is text/html', edit: withContentType('text/html; charset=utf-8') },
  { name: 'the Content-Type is text/plain', edit: withContentType('text/plain') },
  {
    name: 'the Content-Type is application/problem+json',
    edit: withContentType('application/problem+json'),
  },
  { name: 'the Content-Type is application/octet-stream', edit: withContentType('application/octet-stream') },
  { name: 'the Content-Type is empty', edit: withContentType('') },
];

type Applies = Parameters<typeof raw>[0];

/** The first of a list breaks a server of each form, the others alternate, because the check is the same in both. */
function mutantsFrom(answers: readonly BrokenAnswer[], row: string, applies: Applies): readonly Mutant[] {
  return answers.map(({ name, edit }, index): Mutant => {
    const form = index === 0 ? 'both' : index % 2 === 0 ? 'A' : 'B';
    return { row, form, name, mutate: raw(applies, edit) };
  });
}

export function brokenBodies(row: string, applies: Applies): readonly Mutant[] {
  return mutantsFrom(BROKEN_BODIES, row, applies);
}

export function wrongContentTypes(row: string, applies: Applies): readonly Mutant[] {
  return mutantsFrom(WRONG_CONTENT_TYPES, row, applies);
}
