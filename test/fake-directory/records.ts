/** A record of the fake directory, as a search shows it (specification, section 2.1). */
export interface DoubleRecord {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly transport: readonly string[];
  readonly uptime: number;
  readonly responseTime: number;
  readonly lastUpdated: string;
  readonly audited: boolean;
  readonly openSource: boolean;
  readonly endpoint: string;
}

const CATEGORIES = ['weather', 'finance', 'text tools', 'maps', 'media'] as const;
const TAGS = ['forecast', 'currency', 'translation', 'routing', 'images', 'audio', 'sandbox'] as const;
const NAMES = [
  'Harbour tides',
  'Mountain snow',
  'Exchange rates',
  'Ledger checks',
  'Plain summaries',
  'Rhyme finder',
  'Street routes',
  'Ferry planner',
  'Picture frames',
  'Sound levels',
] as const;

const DAY_MS = 86_400_000;
const UPDATED_MS = Date.parse('2026-01-31T12:00:00Z');

/**
 * This many records, different in everything that a search filters by; their servers use these addresses alternately.
 */
export function makeRecords(count: number, endpoints: readonly string[]): readonly DoubleRecord[] {
  return Array.from({ length: count }, (_, index) => recordOf(index, endpoints));
}

export function recordOf(index: number, endpoints: readonly string[]): DoubleRecord {
  const at = <T>(list: readonly T[], position: number): T => list[position % list.length] as T;
  const name = at(NAMES, index);
  return {
    id: `srv-${String(index + 1).padStart(4, '0')}`,
    name: `${name} ${index + 1}`,
    description: `${name}: number ${index + 1} of the servers that a test lists.`,
    category: at(CATEGORIES, index),
    tags: [at(TAGS, index), at(TAGS, index * 3 + 1)].filter((tag, place, all) => all.indexOf(tag) === place),
    transport: index % 3 === 0 ? ['http', 'websocket'] : index % 7 === 5 ? ['websocket'] : ['http'],
    uptime: index % 4 === 0 ? 91.5 + (index % 9) / 10 : 99 + (index % 10) / 10,
    responseTime: 20 + ((index * 37) % 200) + (index % 5 === 0 ? 400 : 0),
    lastUpdated: new Date(UPDATED_MS - index * DAY_MS).toISOString(),
    audited: index % 2 === 0,
    openSource: index % 5 < 2,
    endpoint: at(endpoints, index),
  };
}
