import { textsOf } from '../checks/capabilities/descriptor.ts';
import { type Fit, filtersIn } from '../checks/directory/search-filters.ts';
import { type Json, ownProperty } from '../model/json.ts';
import { chosen, noneFits, type Picker } from './define-picker.ts';
import { bySelectivity, categoryOf, noRecords, recordsIn, tagsOf } from './filter-values.ts';

interface Candidate {
  readonly name: string;
  readonly value: string;
  readonly fitOf: (record: Json) => Fit;
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

function candidatesIn(records: readonly Json[]): readonly Candidate[] {
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
