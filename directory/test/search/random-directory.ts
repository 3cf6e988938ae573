import type { NewEntry } from '../../src/entries/put-entries.ts';
import type { Dice } from '../seeded.ts';

/** Texts that often break searches and stores. */
export const NASTY_WORDS = [
  'weather',
  'Weather',
  'WEATHERMAN',
  'forecast',
  'rain',
  'Zürich',
  'zurich',
  'café',
  'cafe\u0301',
  'naïve',
  'Straße',
  'STRASSE',
  'ΟΔΟΣ',
  'οδος',
  'ΟΔΟΣΗ',
  'İstanbul',
  'ılık',
  'ﬁnance',
  'ＦＵＬＬ',
  '①②',
  'x²',
  'Ǆ',
  '天気',
  '天気予報',
  '東京',
  '東京都',
  '京都タワー',
  'ラーメン',
  'らーめん屋',
  'Łódź',
  'Łukasz',
  'Smørrebrød',
  'smorrebrod',
  'Đà Nẵng',
  'Æther',
  'Ħal',
  '한국어',
  '한국',
  'नमस्ते',
  'สวัสดี',
  'שלום',
  'مرحبا',
  'مرحبًا',
  'Привет',
  'ЁЛКА',
  'елка',
  '🎉',
  '👩‍👩‍👧',
  '🇨🇭',
  '☃️',
  'e\u0301\u0301\u0301',
  '\u0301',
  '\u200b',
  '\u202e',
  '\ufeff',
  '\ufffd',
  '𝔘𝔫𝔦',
  '𐐀𐐨',
  '\u{10ffff}',
  '%',
  '_',
  '%%',
  '__',
  '\\',
  '\\\\',
  "'",
  "''",
  '"',
  ':*',
  "'x':*",
  '&',
  '|',
  '!',
  '(',
  ')',
  '<->',
  'a&b',
  'a|b',
  '!a',
  '{}',
  '{a,b}',
  '[]',
  '$1',
  '$$',
  '--',
  '/*',
  '*/',
  ';',
  "'; drop table entries; --",
  'null',
  'NULL',
  'undefined',
  'true',
  'and',
  'the',
  'or',
  'C++',
  'C#',
  '.NET',
  'node.js',
  'e-mail',
  'l’été',
  "l'ete",
  'snake_case',
  'camelCase',
  '0',
  '00',
  '1',
  '12',
  '123',
  '1e3',
  '-0',
  '３',
  '٣',
  '1.5',
  '1,5',
  'a'.repeat(99),
  'a'.repeat(100),
  'a'.repeat(101),
  'ab'.repeat(400),
  'ß'.repeat(120),
  '天'.repeat(150),
  'x',
  'X',
  'y',
  'z',
  'ﬆ',
  'Å',
  'Å',
  'K',
  'ſ',
  'ẞ',
] as const;

const CATEGORIES = [
  'Science',
  'science',
  ' Finance ',
  'Straße',
  'ΟΔΟΣ',
  'Tools & More',
  'a,b',
  '天気',
  '%',
  "'",
  'İ',
  'true',
];
const TAGS = [
  'rain',
  'RAIN',
  'Forecast',
  ' two words ',
  'café',
  'cafe\u0301',
  'ΟΔΟΣ',
  'οδος',
  '🎉',
  'maps, routes',
  'a,b,c',
  '%',
  '_',
  "'",
  '"',
  '\\',
  '{',
  '}',
  'null',
  'NULL',
  '天気',
  '0',
  'x',
];

/** Entries with ordinary and unusual texts, some of them not listed. */
export function randomDirectory(dice: Dice, size: number): readonly NewEntry[] {
  return Array.from({ length: size }, (_, index) => randomEntry(dice, index));
}

function randomEntry(dice: Dice, number: number): NewEntry {
  const text = (max: number): string =>
    Array.from({ length: 1 + dice.below(max) }, () => dice.one(NASTY_WORDS)).join(
      dice.one([' ', ' ', ' ', '-', '']),
    );
  const figure = (max: number): number => (dice.chance(0.5) ? dice.below(max + 1) : dice.number() * max);
  return {
    listing: {
      id: `${dice.one(['a', 'A', 'b', 'Z', '0'])}${dice.one(['.', '_', '-', ''])}${number}`,
      name: dice.chance(0.2) ? 'The same name' : text(3),
      description: text(12),
      category: dice.one(CATEGORIES),
      tags: Array.from({ length: dice.below(5) }, () => dice.one(TAGS)),
      transport: dice.one([['http'], ['websocket'], ['http', 'websocket']] as const),
      audited: dice.chance(0.3),
      openSource: dice.chance(0.5),
      endpoint: `https://s${number}.example`,
      uptime: dice.chance(0.2) ? 100 : figure(100),
      responseTime: figure(1000),
    },
    first: {
      decision: dice.one(['list', 'list', 'list', 'list', 'list', 'list', 'list', 'hold', 'reject'] as const),
      decidedBy: 'checks',
      rows: [],
    },
  };
}

export interface RandomChange {
  readonly put: readonly NewEntry[];
  readonly removed: readonly string[];
  readonly after: readonly NewEntry[];
}

/** Changes, adds or removes one entry. `number` must be unused. */
export function randomChange(dice: Dice, entries: readonly NewEntry[], number: number): RandomChange {
  const old = dice.one(entries);
  const others = entries.filter((entry) => entry !== old);
  const fresh = randomEntry(dice, number);
  switch (dice.one(['change', 'add', 'remove'] as const)) {
    case 'change': {
      const changed = { ...fresh, listing: { ...fresh.listing, id: old.listing.id } };
      return { put: [changed], removed: [], after: [...others, changed] };
    }
    case 'add':
      return { put: [fresh], removed: [], after: [...entries, fresh] };
    case 'remove':
      return { put: [], removed: [old.listing.id], after: others };
  }
}

export { CATEGORIES, TAGS };
