import type { Behaviour } from './behaviour.ts';
import { CLEAN, flawed, unreadable } from './finds.ts';
import { carrying, withMember } from './wire.ts';

function legal(id: string, words: string, make: (text: string) => string | Buffer): Behaviour {
  return { id: `text/${id}`, words, legal: true, play: carrying(make), finds: CLEAN };
}

function broken(
  id: string,
  words: string,
  says: string | RegExp,
  make: (text: string) => string | Buffer,
): Behaviour {
  return { id: `text/${id}`, words, legal: false, play: carrying(make), finds: unreadable(says) };
}

/** The text with these bytes in an extra member. */
function holding(...bytes: readonly number[]): (text: string) => Buffer {
  return (text) => {
    const [start = '', end = ''] = withMember(text, '"@"').split('@', 2);
    return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]);
  };
}

const NOT_UTF_8 = 'the body is not valid UTF-8';
const NOT_JSON = 'the body is not JSON';
/** ASCII text in UTF-16 is also valid UTF-8. */
const NEITHER = /the body is not (valid UTF-8|JSON)/;

export const text: readonly Behaviour[] = [
  {
    id: 'text/byte-order-mark',
    words: 'begins the body with a byte order mark',
    legal: false,
    play: carrying((body) => `\uFEFF${body}`),
    finds: flawed('byte order mark'),
  },
  broken('utf-16-le', 'sends the body in UTF-16, little-endian', NEITHER, (body) =>
    Buffer.from(body, 'utf16le'),
  ),
  broken('utf-16-with-mark', 'sends the body in UTF-16 with a byte order mark', NOT_UTF_8, (body) =>
    Buffer.from(`\uFEFF${body}`, 'utf16le'),
  ),
  broken('utf-16-be', 'sends the body in UTF-16, big-endian', NEITHER, (body) =>
    Buffer.from(body, 'utf16le').swap16(),
  ),
  broken('latin-1', 'sends é in Latin-1', NOT_UTF_8, holding(0xe9)),
  broken('overlong', 'sends a slash in two bytes', NOT_UTF_8, holding(0xc0, 0xaf)),
  broken(
    'surrogates',
    'sends a pair of surrogates in three bytes each',
    NOT_UTF_8,
    holding(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80),
  ),
  broken('beyond-unicode', 'sends a code point beyond U+10FFFF', NOT_UTF_8, holding(0xf4, 0x90, 0x80, 0x80)),
  broken('cut-off', 'sends the first byte of a character only', NOT_UTF_8, holding(0xe2)),
  broken('noise', 'sends random bytes', NOT_UTF_8, () => Buffer.from([0xff, 0xfe, 0xfd, 0xc3, 0x28])),
  broken('control-character', 'sends a line break inside a string', NOT_JSON, holding(0x0a)),
  legal('lone-surrogate', 'sends a lone surrogate as an escape', (body) =>
    withMember(body, '"\\ud800 \\udfff"'),
  ),
  legal('nul', 'sends U+0000 as an escape', (body) => withMember(body, '"a\\u0000b"')),
  legal('live-characters', 'sends terminal controls and bidirectional marks in a string', (body) =>
    withMember(body, '"\\u001b[2J\\u0007 \u202E\u2066 \u200B \u2028 \u0085"'),
  ),
  legal('all-planes', 'sends characters of every plane', (body) =>
    withMember(body, '"é東🚀\u{10FFFF}\u{E0001}"'),
  ),
  legal('escaped', 'writes every letter of the body’s strings as an escape', escaped),
];

/** In valid JSON, what is between quotes is a string; the escapes in there stay as they are. */
function escaped(body: string): string {
  return body.replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => {
    const letters = inner.replaceAll(/\\.|[A-Za-z]/g, (part) =>
      part.length > 1 ? part : `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return `"${letters}"`;
  });
}
