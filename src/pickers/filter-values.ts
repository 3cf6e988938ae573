import { textsOf } from '../checks/capabilities/descriptor.ts';
import { type Fit, filtersIn, textsWithin, wordsOf } from '../checks/directory/search-filters.ts';
import { recordsById } from '../checks/directory/search-page.ts';
import { type Json, ownProperty } from '../json/json.ts';
import { type Chosen, chosen, noneFits, type Picker, type PickerContext } from './define-picker.ts';

/** The records on all pages of the walk. */
export function recordsIn({ answers }: Pick<PickerContext, 'answers'>): readonly Json[] {
  return [...recordsById(answers).values()];
}

const OTHER_DIRECTORY =
  'Check a directory whose entries differ in this field, or use a key with access to more of them.';

export function noRecords() {
  return noneFits('the directory shows no record', 'records to search for', 'none', OTHER_DIRECTORY);
}

/** A value that about half of the records have, and one that no record has. */
function valueAndUnknown(valuesOf: (record: Json) => readonly string[], unknownValue: string): Picker {
  return (context) => {
    const records = recordsIn(context);
    if (records.length === 0) return noRecords();
    const [value] = bySelectivity(records, valuesOf);
    return chosen(value === undefined ? [unknownValue] : [value, unknownValue]);
  };
}

/** Values by how well they show whether a filter is applied: first those that about half of the records have. */
export function bySelectivity(
  records: readonly Json[],
  valuesOf: (record: Json) => readonly string[],
): readonly string[] {
  const counts = new Map<string, number>();
  for (const value of records.flatMap((record) => [...new Set(valuesOf(record))]))
    counts.set(value, (counts.get(value) ?? 0) + 1);
  const distance = (count: number): number => Math.abs(count - records.length / 2);
  return [...counts]
    .sort(([a, left], [b, right]) => distance(left) - distance(right) || (a < b ? -1 : 1))
    .map(([value]) => value);
}

export function categoryOf(record: Json): readonly string[] {
  const category = ownProperty(record, 'category');
  return typeof category === 'string' && category !== '' ? [category] : [];
}

/** Without tags that contain a comma, which some directories read as two tags. */
export function tagsOf(record: Json): readonly string[] {
  return textsOf(ownProperty(record, 'tags')).filter((tag) => tag !== '' && !tag.includes(','));
}

export const categories = valueAndUnknown(categoryOf, 'probity-unknown-category');
export const tags = valueAndUnknown(tagsOf, 'probity-unknown-tag');

const MIN_WORD = 4;
const UNKNOWN_WORD = 'xqzvkwjy';

/** A word from a name that few records contain, and one that none contains. */
export const words: Picker = (context) => {
  const records = recordsIn(context);
  if (records.length === 0) return noRecords();
  const texts = records.map((record) => textsWithin(record).join('\n').toLowerCase());
  const all = records.flatMap((record) => wordsOf(ownProperty(record, 'name')));
  const holders = (word: string): number => texts.filter((text) => text.includes(word)).length;
  const [word] = [...new Set(all)]
    .filter((one) => one.length >= MIN_WORD)
    .map((one) => [one, holders(one)] as const)
    .sort(([a, left], [b, right]) => left - right || (a < b ? -1 : 1));
  return chosen(word === undefined ? [UNKNOWN_WORD] : [word[0], UNKNOWN_WORD]);
};

/** A search for two tags in the usual notations. One record has both tags, others have one or neither. */
export const tagQueries: Picker = (context) => {
  const records = recordsIn(context);
  const sets = records.map((record) => new Set(tagsOf(record)));
  const pairs = new Map<string, readonly [string, string]>();
  for (const set of sets.slice(0, MAX_RECORDS)) {
    const own = [...set].sort();
    for (const [index, a] of own.entries())
      for (const b of own.slice(index + 1, index + MAX_TAGS)) pairs.set(JSON.stringify([a, b]), [a, b]);
  }
  const scored = [...pairs.values()].slice(0, MAX_PAIRS).map((pair) => {
    const counts = sets.map((set) => pair.filter((tag) => set.has(tag)).length);
    return { pair, one: counts.includes(1), none: counts.includes(0) };
  });
  const best = scored.find(({ one, none }) => one && none) ?? scored.find(({ none }) => none);
  if (best === undefined)
    return noneFits(
      'no two tags can show whether a search for both works',
      'a record with two tags, and one with neither of them',
      `${records.length} records without such tags`,
      OTHER_DIRECTORY,
    );
  const { pair } = best;
  return chosen([
    { name: 'repeated', query: { tags: pair, limit: 100 } },
    { name: 'joined', query: { tags: pair.join(','), limit: 100 } },
    { name: 'bracketed', query: { 'tags[]': pair, limit: 100 } },
  ]);
};

const MAX_RECORDS = 500;
const MAX_TAGS = 20;
const MAX_PAIRS = 2000;

interface LimitRule {
  readonly field: 'uptime' | 'responseTime';
  /** Smaller differences are ignored, because figures change and are rounded. */
  readonly minGap: number;
  /** A limit that excludes all records, for records with about the same figure. */
  readonly excludingAll: (figures: readonly number[]) => number | null;
}

const MIN_UPTIME_GAP = 0.5;
const MIN_TIME_GAP_MS = 4;
const PERCENT = 100;

export const uptimeLimits = limitsBy({
  field: 'uptime',
  minGap: MIN_UPTIME_GAP,
  excludingAll: (figures) => (Math.max(...figures) <= PERCENT - MIN_UPTIME_GAP ? PERCENT : null),
});

export const responseTimeLimits = limitsBy({
  field: 'responseTime',
  minGap: MIN_TIME_GAP_MS,
  excludingAll: (figures) => {
    const min = Math.min(...figures);
    return min >= 2 * MIN_TIME_GAP_MS ? Math.floor(min / 2) : null;
  },
});

/** The middle of the widest gap between the figures of the records: it separates them, and is far from both sides. */
function limitsBy({ field, minGap, excludingAll }: LimitRule): Picker {
  return (context): Chosen => {
    const figures = recordsIn(context)
      .map((record: Json) => ownProperty(record, field))
      .filter((value) => typeof value === 'number')
      .sort((left, right) => left - right);
    if (figures.length === 0) return noRecords();
    const gaps = figures.slice(1).map((figure, index) => ({ from: figures[index] ?? figure, to: figure }));
    const none = { from: 0, to: 0 };
    const widest = gaps.reduce((best, gap) => (gap.to - gap.from > best.to - best.from ? gap : best), none);
    const limit = widest.to - widest.from >= minGap ? middleOf(widest) : excludingAll(figures);
    if (limit !== null) return chosen([limit]);
    return noneFits(
      `all records have about the same ${field}, so no limit separates them`,
      `records whose ${field} differs by at least ${minGap}`,
      `${figures.length} records from ${figures[0]} to ${figures.at(-1)}`,
      'Check a directory whose entries differ in this field.',
    );
  };
}

function middleOf({ from, to }: { readonly from: number; readonly to: number }): number {
  return Math.round(((from + to) / 2) * PERCENT) / PERCENT;
}

const MAX_VALUES = 8;

/** Two filters that one record matches together, and each of which alone matches another record. */
export const combination: Picker = (context) => {
  const records = recordsIn(context);
  if (records.length === 0) return noRecords();
  const candidates = candidatesIn(records);
  for (const first of candidates) {
    for (const second of candidates) {
      if (first.name >= second.name) continue;
      const seen = (one: Fit, other: Fit): boolean =>
        records.some((record) => first.fitOf(record) === one && second.fitOf(record) === other);
      if (seen('yes', 'yes') && seen('yes', 'no') && seen('no', 'yes'))
        return chosen({ [first.name]: first.value, [second.name]: second.value, limit: 100 });
    }
  }
  return noneFits(
    'no two filters can show whether both are applied',
    'records that match one filter each, and one that matches both',
    `${records.length} records without such a combination`,
    'Check a directory whose entries differ more.',
  );
};

function candidatesIn(records: readonly Json[]) {
  const valued = (name: string, valuesOf: (record: Json) => readonly string[]) =>
    bySelectivity(records, valuesOf)
      .slice(0, MAX_VALUES)
      .map((value) => ({ name, value }));
  const pairs = [
    ...valued('category', categoryOf),
    ...valued('transport', (record) => textsOf(ownProperty(record, 'transport'))),
    ...valued('tags', tagsOf),
    { name: 'audited', value: 'true' },
    { name: 'openSource', value: 'true' },
  ];
  return pairs.flatMap(({ name, value }) =>
    filtersIn(new URLSearchParams([[name, value]])).map(({ fitOf }) => ({ name, value, fitOf })),
  );
}
