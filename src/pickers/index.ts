import { calls, testees } from './calls.ts';
import { combination } from './combination.ts';
import type { Picker } from './define-picker.ts';
import { endpoints, entries } from './entries.ts';
import { responseTimeLimits, uptimeLimits } from './filter-limits.ts';
import { categories, tagQueries, tags, words } from './filter-values.ts';
import { offsetBeyond, pages } from './pages.ts';

/** All pickers, by the name that suites use. */
export const pickers: ReadonlyMap<string, Picker> = new Map([
  ['calls', calls],
  ['categories', categories],
  ['combination', combination],
  ['endpoints', endpoints],
  ['entries', entries],
  ['offset-beyond', offsetBeyond],
  ['pages', pages],
  ['response-time-limits', responseTimeLimits],
  ['tag-queries', tagQueries],
  ['tags', tags],
  ['testees', testees],
  ['uptime-limits', uptimeLimits],
  ['words', words],
]);
