import type { Dice } from '../seeded.ts';
import { CATEGORIES, NASTY_WORDS, TAGS } from './random-directory.ts';

const NUMBERS = [
  '0',
  '-0',
  '1',
  '20',
  '50',
  '99.5',
  '99.99999999999999',
  '100',
  '100.0',
  '100.1',
  '101',
  '007',
  '1e1',
  '1E2',
  '1e3',
  '1e-3',
  '1e400',
  '1e-400',
  '-1',
  '-1e-400',
  '+5',
  '5.',
  '.5',
  '0x10',
  '1_000',
  '1,5',
  'NaN',
  'Infinity',
  '-Infinity',
  'null',
  'x',
  ' 5',
  '5 ',
  '٣',
  '3',
  '250.5',
  '500',
  '1000',
  '2147483647',
  '2147483648',
  '9007199254740993',
  '99999999999999999999',
  '1'.repeat(400),
  '0'.repeat(20),
];
const WHOLE_NUMBERS = ['1', '2', '3', '5', '10', '19', '20', '21', '50', '99', '100'];
const FLAGS = ['true', 'false', 'true', 'false', 'true', 'false', 'TRUE', '1', '0', 'yes', 'null', ' true'];
const TRANSPORTS = ['http', 'websocket', 'http', 'websocket', 'HTTP', 'ws', 'stdio', 'http,websocket'];
const PROTOCOLS = ['mcp', 'endpoints', 'mcp', 'endpoints', 'MCP', 'rest', 'mcp,endpoints'];
const STATUSES = ['up', 'down', 'gated', 'paused', 'undecided', 'stale', 'unknown'];
const ODD_STATUSES = ['Up', 'up down', ' up', 'up,', ',', ',,down', 'all', 'listed'];
const VERDICTS = ['pass', 'fail', 'incomplete', 'PASS', 'none', 'pass,fail'];
const SORTS = ['name', 'uptime', 'responseTime', 'coverage', 'newest', 'changed'];
const ODD_SORTS = ['-name', 'Name', 'responsetime', 'name,uptime', 'id'];
const UNKNOWN = [
  'colour',
  'Q',
  'query',
  'minuptime',
  'tag',
  'tags[0]',
  'q[]',
  'order',
  'Sort',
  'facet',
  '',
  ' q',
  '__proto__',
  'constructor',
  'page',
];
const BROKEN = [
  '%',
  '%2',
  '%zz',
  '%ff',
  '%C3',
  '%ED%A0%80',
  '%00',
  'a%00b',
  '%0a',
  '%7f',
  '%F0%9F',
  '%EF%BB%BFrain',
  '+',
  '++',
  '%2B',
  '%252525',
];

/** A random query string, ordinary or malformed. */
export function randomQuery(dice: Dice): string {
  const parts: string[] = [];
  const wild = dice.chance(0.25);
  const add = (name: string, value: string): void => {
    parts.push(
      wild && dice.chance(0.1)
        ? `${encoded(dice, name)}=${dice.one(BROKEN)}`
        : `${encoded(dice, name)}=${encoded(dice, value)}`,
    );
  };
  const maybe = (probability: number, name: string, value: () => string): void => {
    while (dice.chance(probability)) {
      add(name, wild && dice.chance(0.1) ? '' : value());
      if (!dice.chance(wild ? 0.1 : 0.005)) break;
    }
  };
  maybe(0.5, 'q', () => searchText(dice, wild));
  maybe(0.2, 'category', () => cased(dice, dice.one(CATEGORIES)));
  if (dice.chance(0.3))
    for (let times = 1 + dice.below(dice.chance(0.02) ? 25 : 2); times > 0; times -= 1)
      add(
        dice.one(['tags', 'tags', 'tags[]']),
        Array.from({ length: 1 + dice.below(2) }, () => {
          const tag = cased(dice, dice.one(TAGS));
          return dice.chance(0.8) ? tag.replaceAll(',', '\\,') : tag;
        }).join(','),
      );
  maybe(0.2, 'transport', () => (wild ? dice.one(TRANSPORTS) : dice.one(['http', 'websocket'])));
  maybe(0.15, 'protocol', () => (wild ? dice.one(PROTOCOLS) : dice.one(['mcp', 'endpoints'])));
  if (dice.chance(0.25))
    for (let times = 1 + dice.below(2); times > 0; times -= 1)
      add(
        'status',
        wild && dice.chance(0.3)
          ? dice.one(ODD_STATUSES)
          : Array.from({ length: 1 + dice.below(3) }, () => dice.one(STATUSES)).join(','),
      );
  maybe(0.15, 'verdict', () => (wild ? dice.one(VERDICTS) : dice.one(['pass', 'fail', 'incomplete'])));
  maybe(0.3, 'sort', () => (wild && dice.chance(0.3) ? dice.one(ODD_SORTS) : dice.one(SORTS)));
  maybe(0.2, 'facets', () => (wild ? dice.one(FLAGS) : dice.one(['true', 'false'])));
  maybe(0.2, 'minUptime', () => (wild ? dice.one(NUMBERS) : String(dice.below(101))));
  maybe(0.2, 'maxResponseTime', () => (wild ? dice.one(NUMBERS) : String(dice.number() * 1200)));
  maybe(0.2, 'audited', () => (wild ? dice.one(FLAGS) : dice.one(['true', 'false'])));
  maybe(0.2, 'openSource', () => (wild ? dice.one(FLAGS) : dice.one(['true', 'false'])));
  maybe(0.4, 'limit', () => (wild ? dice.one(NUMBERS) : dice.one(WHOLE_NUMBERS)));
  maybe(0.3, 'offset', () => (wild ? dice.one(NUMBERS) : String(dice.below(60))));
  if (wild && dice.chance(0.1)) add(dice.one(UNKNOWN), 'x');
  if (wild && dice.chance(0.1))
    parts.push(dice.one(['', 'q', '=', '&', 'limit', 'audited=true=false', 'q=a=b', '=x', 'q==']));
  shuffle(dice, parts);
  return parts.join('&');
}

function searchText(dice: Dice, wild: boolean): string {
  if (wild && dice.chance(0.05))
    return dice.one(['x', '天', 'é', '🎉']).repeat(dice.one([199, 200, 201, 300]));
  const words = Array.from({ length: 1 + (dice.chance(0.4) ? dice.below(3) : 0) }, () => {
    const word = cased(dice, dice.one(NASTY_WORDS));
    const from = dice.chance(0.2) ? dice.below(3) : 0;
    return dice.chance(0.4) ? [...word].slice(from, from + 1 + dice.below(6)).join('') : word;
  });
  return [...words.join(dice.one([' ', ' ', '  ', ',', '&', '']))].slice(0, wild ? 400 : 200).join('');
}

function cased(dice: Dice, text: string): string {
  switch (dice.below(8)) {
    case 0:
      return text.toUpperCase();
    case 1:
      return text.toLowerCase();
    case 2:
      return text.normalize('NFD');
    case 3:
      return text.normalize('NFC');
    case 4:
      return ` ${text} `;
    default:
      return text;
  }
}

function encoded(dice: Dice, text: string): string {
  const whole = encodeURIComponent(text);
  if (dice.chance(0.5)) return whole.replaceAll('%20', '+');
  // Some clients do not encode characters that a request line can contain.
  return dice.chance(0.3)
    ? whole.replace(/%(22|27|28|29|2A|3C|3E|5B|5D|5C|5E|60|7B|7C|7D|3A|2C)/g, decodeURIComponent)
    : whole;
}

function shuffle(dice: Dice, values: string[]): void {
  for (let index = values.length - 1; index > 0; index -= 1) {
    const other = dice.below(index + 1);
    [values[index], values[other]] = [values[other] as string, values[index] as string];
  }
}
