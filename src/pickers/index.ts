import { countIn, searchPage } from '../checks/directory/search-page.ts';
import { chosen, noneFits, type Picker } from './define-picker.ts';
import { calls, endpoints, entries, testees } from './entries.ts';
import {
  categories,
  combination,
  responseTimeLimits,
  tagQueries,
  tags,
  uptimeLimits,
  words,
} from './filter-values.ts';
import {
  addressesOutside,
  firstResource,
  promptCompletions,
  promptRequests,
  promptWithArguments,
  resourceReads,
  templateCompletions,
  unknownResource,
} from './mcp-entries.ts';

/** Maximum number of pages to read; those of a larger directory are chosen evenly. */
const MAX_PAGES = 20;
/** A small directory is split into at least this many pages, to test its pagination. */
const MIN_PAGES = 3;

/** The pages of a walk, computed from the first page, which was read with the largest limit. */
const pages: Picker = ({ answers }) => {
  const page = searchPage(answers[0]?.value);
  if (page === null)
    return noneFits(
      'the first page was not read',
      'a page of search results',
      'none',
      'Fix the search first.',
    );
  const held = page.servers.length;
  const total = Math.max(countIn(page, 'total') ?? held, held);
  const limit = Math.max(1, Math.min(held, Math.ceil(total / MIN_PAGES)));
  const count = Math.max(1, Math.ceil(total / limit));
  return chosen(pageNumbers(count).map((number) => ({ offset: number * limit, limit })));
};

/** Page numbers, evenly spread from the first to the last. */
function pageNumbers(count: number): readonly number[] {
  const pageCount = Math.min(count, MAX_PAGES);
  return Array.from({ length: pageCount }, (_, index) =>
    pageCount === 1 ? 0 : Math.round((index * (count - 1)) / (pageCount - 1)),
  );
}

/** An offset behind the last record. */
const offsetBeyond: Picker = ({ answers }) => {
  const page = searchPage(answers[0]?.value);
  const total = page === null ? null : countIn(page, 'total');
  return chosen((total ?? 0) + BEYOND);
};

const BEYOND = 1000;

/** All pickers, by the name that suites use. */
export const pickers: ReadonlyMap<string, Picker> = new Map([
  ['addresses-outside', addressesOutside],
  ['calls', calls],
  ['categories', categories],
  ['combination', combination],
  ['endpoints', endpoints],
  ['entries', entries],
  ['first-resource', firstResource],
  ['offset-beyond', offsetBeyond],
  ['pages', pages],
  ['prompt-completions', promptCompletions],
  ['prompt-requests', promptRequests],
  ['prompt-with-arguments', promptWithArguments],
  ['resource-reads', resourceReads],
  ['response-time-limits', responseTimeLimits],
  ['tag-queries', tagQueries],
  ['tags', tags],
  ['template-completions', templateCompletions],
  ['testees', testees],
  ['unknown-resource', unknownResource],
  ['uptime-limits', uptimeLimits],
  ['words', words],
]);
