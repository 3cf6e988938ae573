import type { Conjunction } from '../keywords-together.ts';
import { countsOf, valuesOf } from '../keywords-together.ts';
import { type MatchingBudget, type TextBounds, textsMatching } from '../text-for-pattern.ts';

const MAX_CHARACTERS = 10_001;

/** Texts that code handles wrongly most often; the shortest that shows each fault. */
const TEXTS = [
  ...['', '😀', ' ', 'a', 'é', 'e\u0301', 'A', '0', '\n', '"', '\\', "'", '%', '-', '<b>', '\0', 'שלום'],
  ...['ab', 'K', '\u212a', 'ß', 'İ', '東京', ' a ', '&', '/', '../a', '__proto__', 'constructor', 'null'],
  ...['true', '-1', '1e309', '.', ',', ';', '#', '$', '${a}', '%s', '%00', '\t', '\r\n', '\u200b'],
  ...['\u2028', '\ufeff', '(', '[', '*', '+', '?', '|', '^', 'a\u0301\u0302', '👩‍👩‍👧', 'toString', 'NaN'],
  ...['undefined'],
];
/** Lengths above which texts are cut, and columns end. */
const LENGTHS = [
  1001, 17, 257, 101, 33, 65, 129, 501, 8, 10_001, 21, 51, 81, 201, 513, 1025, 2001, 4097, 5000, 255,
];

const EDGES_OF_FORMAT: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'date',
    wordsOf(
      '2024-02-29 1970-01-01 1969-12-31 2023-12-31 2000-02-29 2024-01-31 9999-12-31 0001-01-01',
      '2100-02-28 2024-03-31 2024-01-01 2024-10-31 1900-01-01 2024-12-30 2025-03-30',
    ),
  ],
  [
    'date-time',
    wordsOf(
      '2024-02-29T12:00:00Z 1970-01-01T00:00:00Z 1969-12-31T23:59:59Z 2024-01-01T00:00:00+14:00',
      '2024-01-01T00:00:00-12:00 2024-12-31T23:59:59.999Z 2024-03-31T02:30:00+01:00',
      '2024-01-31T00:00:00+05:30 9999-12-31T23:59:59Z 0001-01-01T00:00:00Z 2024-06-15T12:30:45.123456Z',
    ),
  ],
  ['time', ['00:00:00Z', '23:59:59Z', '12:30:45.5Z', '12:00:00+14:00', '00:30:00-01:00']],
  ['duration', ['PT0S', 'P1Y', 'P1M', 'P1W', 'P1DT1H', 'PT1S', 'PT36H', 'P400D']],
  ['email', wordsOf("a@b.co a+b@c.de A@B.CO o'a@b.co a.b@c.co.uk a_b@c.de a@sub.b-c.de a@b.museum 1@b.co")],
  ['hostname', ['a.de', 'A.DE', 'localhost', 'a-b.c.de', 'xn--mnchen-3ya.de', '1.de', 'a.b.c.d.e.de']],
  ['ipv4', ['0.0.0.0', '127.0.0.1', '255.255.255.255', '10.0.0.1', '1.1.1.1']],
  ['ipv6', ['::', '::1', 'fe80::1', '::ffff:1.2.3.4', '2001:DB8::1']],
  [
    'uri',
    wordsOf(
      'http://a.de https://a.de/?b=c http://a.de:80/ http://a.de/#b mailto:a@b.co http://[::1]/',
      'http://u:p@a.de/ HTTP://A.DE/B http://a.de/%20 urn:a:b http://a.de/?a=1&a=2',
    ),
  ],
  ['uuid', ['00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF']],
]);
const SAME_FORMAT: ReadonlyMap<string, string> = new Map([
  ['url', 'uri'],
  ['uri-reference', 'uri'],
  ['iri', 'uri'],
  ['idn-email', 'email'],
]);

function wordsOf(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '));
}

export function edgeTexts(all: Conjunction, budget: MatchingBudget): readonly string[] {
  const { least, most } = countsOf(all, 'minLength', 'maxLength', MAX_CHARACTERS);
  const [pattern] = valuesOf(all, 'pattern').filter((value) => typeof value === 'string');
  if (pattern !== undefined) return matching(pattern, { least, most }, budget);
  const [format] = valuesOf(all, 'format').filter((value) => typeof value === 'string');
  const ofFormat = format === undefined ? undefined : EDGES_OF_FORMAT.get(SAME_FORMAT.get(format) ?? format);
  if (ofFormat !== undefined) return ofFormat;
  const repeated = (length: number): string => 'a'.repeat(Math.max(0, Math.min(length, most)));
  const [empty = '', emoji = '', ...others] = TEXTS;
  const filled = least > 1 ? others.map((text) => text.padEnd(least, 'a')) : [];
  const isBounded = most < MAX_CHARACTERS;
  const lengths = LENGTHS.map(repeated);
  const alternating = others.flatMap((text, index) => [
    text,
    ...filled.slice(index, index + 1),
    ...(index % 2 === 0 ? lengths.slice(index / 2, index / 2 + 1) : []),
  ]);
  return [
    empty,
    ...(least > 0 ? [repeated(least)] : []),
    ...(isBounded ? [repeated(most)] : []),
    emoji,
    ...(isBounded ? [repeated(most - 1), '😀'.repeat(Math.floor(most / 2))] : []),
    ...alternating,
    ...lengths.slice(Math.ceil(others.length / 2)),
    ...LENGTHS.slice(0, 12).map((length) => `${repeated(length).slice(2)}😀`),
  ].filter((text, index, list) => text.length <= MAX_CHARACTERS && list.indexOf(text) === index);
}

const MATCHES = 12;

/** The shortest and some others; each choice is another part of the pattern. */
function matching(pattern: string, bounds: TextBounds, budget: MatchingBudget): readonly string[] {
  const make = textsMatching(pattern, bounds, budget);
  return Array.from({ length: MATCHES }, (_, number) => {
    let step = 0;
    return make((below) => {
      step += 1;
      return (number * (step + 1) + (number > MATCHES / 2 ? step : 0)) % below;
    });
  }).filter((text) => text !== null);
}
