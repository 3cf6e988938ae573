import { textsOf } from '../checks/capabilities/descriptor.ts';
import { textsWithin, wordsOf } from '../checks/directory/search-filters.ts';
import { recordsById } from '../checks/directory/search-page.ts';
import { type Json, ownProperty } from '../model/json.ts';
import { chosen, noneFits, type Picker, type PickerContext } from './define-picker.ts';

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
  if (best !== undefined) {
    const { pair } = best;
    return chosen([
      { name: 'repeated', query: { tags: pair, limit: 100 } },
      { name: 'joined', query: { tags: pair.join(','), limit: 100 } },
      { name: 'bracketed', query: { 'tags[]': pair, limit: 100 } },
    ]);
  }
  return noneFits(
    'no two tags can show whether a search for both works',
    'a record with two tags, and one with neither of them',
    `${records.length} records without such tags`,
    OTHER_DIRECTORY,
  );
};

const MAX_RECORDS = 500;
const MAX_TAGS = 20;
const MAX_PAIRS = 2000;
