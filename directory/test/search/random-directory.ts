import { sql } from 'kysely';
import { SERVER_STATUSES, type ServerStatus, type Verdict } from 'probity/model';
import type { Db } from '../../src/db/tables.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import type { NewEntry } from '../../src/entries/put-row.ts';
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
  'c',
  'F#',
  'c+',
  'x++y',
  'a#1',
  'notepad++',
  'net',
  'JS',
  'next.js',
  'a.b.c',
  '...net',
  'x1.2y',
  'Server 2',
  'server 02',
  'Server 10',
  '123456789',
  '1234567890',
  '9'.repeat(17),
  '1'.repeat(18),
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

/** What probes and tests find. */
export interface RandomFacts {
  readonly status: ServerStatus;
  readonly verdict: Verdict | null;
  readonly coverage: number | null;
  readonly claimed: boolean;
  readonly listedAt: Date;
  readonly statusAt: Date | null;
}

export type RandomEntry = NewEntry & { readonly facts: RandomFacts };

/** Entries with ordinary and unusual texts, some of them not listed. */
export function randomDirectory(dice: Dice, size: number): readonly RandomEntry[] {
  return Array.from({ length: size }, (_, index) => randomEntry(dice, index));
}

function randomEntry(dice: Dice, number: number): RandomEntry {
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
      ...(dice.chance(0.4) ? { protocol: 'mcp' as const } : {}),
    },
    first: {
      decision: dice.one(['list', 'list', 'list', 'list', 'list', 'list', 'list', 'hold', 'reject'] as const),
      decidedBy: 'checks',
      rows: [],
    },
    facts: {
      status: dice.one(SERVER_STATUSES),
      verdict: dice.one(['pass', 'pass', 'fail', 'incomplete', null] as const),
      coverage: dice.one([null, 0, 50, 100, dice.number() * 100]),
      claimed: dice.chance(0.4),
      listedAt: new Date(Date.UTC(2026, 0, 1 + dice.below(20))),
      statusAt: dice.chance(0.3) ? null : new Date(Date.UTC(2026, 1, 1 + dice.below(9))),
    },
  };
}

/** Puts entries with what probes and tests found. */
export async function putRandom(db: Db, entries: readonly RandomEntry[]): Promise<void> {
  // Together, so that searches see the facts when they see the entries.
  await db.transaction().execute(async (transaction) => {
    await putEntries(transaction, entries, new Date());
    for (const {
      listing: { id },
      facts,
    } of entries) {
      const { status, verdict, coverage, claimed, listedAt, statusAt } = facts;
      await sql`
        update entries set figures_claimed = ${claimed}, is_paused = ${status === 'paused'},
          is_stale = ${status === 'stale'}, is_undecided = ${status === 'undecided'},
          observed = ${['down', 'gated', 'unknown'].includes(status) ? status : 'up'}
        where id = ${id}`.execute(transaction);
      // After the state, whose change sets the time of now.
      await sql`
        update entry_details set verdict = ${verdict}, coverage = ${coverage}, listed_at = ${listedAt}, status_at = ${statusAt}
        where entry_id = ${id}`.execute(transaction);
    }
  });
}

export interface RandomChange {
  readonly put: readonly RandomEntry[];
  readonly removed: readonly string[];
  readonly after: readonly RandomEntry[];
}

/** Changes, adds or removes one entry. `number` must be unused. */
export function randomChange(dice: Dice, entries: readonly RandomEntry[], number: number): RandomChange {
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
