import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Secrets of letters that keys consist of; no other text contains them. */
export const CANARIES = {
  bearer: 'c4nary/B3arer+with=every"kind\\of~letter.0123456789',
  header: '7f3c9a1e5b8d2046c0ffee11d00dfeed',
  config: 'q7+J/0bXl9v5d+z3mE/1uR+Xc7rK+2w/8Q==',
  environment: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjNG5hcnkifQ.c2lnbmF0dXJlLW9mLWE_dG9rZW4',
  cookie: 's3ssion%20Id&more<than>"one"',
} as const;

/** Parts of a secret that must not be stored either, because they contain nearly all of it. */
const MIN_PART = 12;

/** The ways in which a target repeats what it was sent. */
export function spellingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const each = (spell: (letter: string) => string): string => [...secret].map(spell).join('');
  const code = (letter: string, digits: number): string =>
    letter.charCodeAt(0).toString(16).padStart(digits, '0');
  return [
    secret,
    ...['', 'a', 'ab'].map((before) => Buffer.from(`${before}${secret} and more`).toString('base64')),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.from(`ab${secret}`).toString('base64url'),
    encodeURIComponent(secret),
    encodeURIComponent(encodeURIComponent(secret)),
    each((letter) => `%${code(letter, 2)}`),
    each((letter) => `%${code(letter, 2).toUpperCase()}`),
    JSON.stringify(secret),
    JSON.stringify(JSON.stringify(secret)),
    JSON.stringify(secret).replaceAll('/', '\\/'),
    each((letter) => `\\u${code(letter, 4)}`),
    each((letter) => `\\u${code(letter, 4).toUpperCase()}`),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    each((letter) => `&#${letter.charCodeAt(0)};`),
    each((letter) => `&#x${code(letter, 2)};`),
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ];
}

/** The canaries in a text, read unchanged, unescaped or decoded. */
export function canariesIn(text: string): readonly string[] {
  const found = new Set<string>();
  const all = readingsOf(text);
  for (const [name, secret] of Object.entries(CANARIES)) {
    const readings = all.filter((one) => piecesOf(secret).some((piece) => one.includes(piece)));
    for (let at = 0; at + MIN_PART <= secret.length; at += 1) {
      const part = secret.slice(at, at + MIN_PART);
      const reading = readings.find((one) => one.includes(part));
      if (reading === undefined) continue;
      const where = reading.indexOf(part);
      found.add(`${name}: …${reading.slice(Math.max(0, where - 60), where + 60)}…`);
      break;
    }
  }
  return [...found];
}

/** If a text contains any part of a secret, it contains one of these, which are fewer to search for. */
function piecesOf(secret: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at + PIECE <= secret.length; at += MIN_PART - PIECE + 1)
    pieces.push(secret.slice(at, at + PIECE));
  return pieces;
}

const PIECE = MIN_PART / 2;

const UNESCAPING: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll(/\\+u([0-9a-f]{4})/gi, (_all, hex: string) => letterOf(hex)),
  (text) => text.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) => letterOf(hex)),
  (text) => text.replaceAll(/&#(\d+);/g, (_all, decimal: string) => String.fromCodePoint(Number(decimal))),
  (text) => text.replaceAll(/&#x([0-9a-f]+);/gi, (_all, hex: string) => letterOf(hex)),
  (text) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  (text) => text.replaceAll(/\\(["\\/])/g, '$1'),
];

function letterOf(hexadecimal: string): string {
  return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
}

/** A text, repeatedly unescaped in every way, with everything that looks like base64 or hexadecimal decoded. */
function readingsOf(text: string): readonly string[] {
  const plain = [text];
  for (let round = 0; round < 4; round += 1) {
    const last = plain.at(-1) ?? '';
    const next = UNESCAPING.reduce((current, read) => read(current), last);
    if (next === last) break;
    plain.push(next);
  }
  const decoded = plain.flatMap((reading) => [
    ...[...reading.matchAll(/[A-Za-z0-9+/_-]{12,}/g)].flatMap(([run]) =>
      [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1')),
    ),
    ...[...reading.matchAll(/[0-9a-fA-F]{24,}/g)].flatMap(([run]) =>
      [0, 1].map((from) => Buffer.from(run.slice(from), 'hex').toString('latin1')),
    ),
  ]);
  // One long text is searched faster than many short ones.
  return [...plain, decoded.join('\n')];
}

/** Everything in a folder: the names and the contents of files. */
export function contentOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const file = path.join(folder, name);
      return statSync(file).isFile() ? `${name}\n${readFileSync(file, 'latin1')}` : name;
    })
    .join('\n');
}
