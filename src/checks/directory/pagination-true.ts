import { ownProperty, showJson } from '../../model/json.ts';
import { type Evidence, failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { askedNumber, countIn, isFullPage, queryOf, type SearchPage, searchPage } from './search-page.ts';

export const paginationTrue = defineCheck(
  'answer',
  'pagination-true',
  'total, limit, offset and hasNext are there and agree with the request and with the records of the page',
  ({ exchange }) => {
    const page = searchPage(jsonBody(exchange).value);
    if (page === null) return inapplicable('the answer is no page of search results');
    const problem = typeProblem(page) ?? lie(page, queryOf(exchange));
    return problem === null ? passed : failed(problem);
  },
);

type Problem = Pick<Evidence, 'message' | 'expected' | 'received' | 'pointer'>;

const COUNTS = ['total', 'limit', 'offset'] as const;

function typeProblem(page: SearchPage): Problem | null {
  const wrong = COUNTS.find((name) => countIn(page, name) === null);
  if (wrong !== undefined)
    return {
      message: `${wrong} of the pagination is no count`,
      expected: 'a whole number, 0 or more',
      received: showJson(ownProperty(page.pagination, wrong)),
      pointer: `/pagination/${wrong}`,
    };
  const hasNext = ownProperty(page.pagination, 'hasNext');
  if (typeof hasNext === 'boolean') return null;
  return {
    message: 'hasNext of the pagination is neither true nor false',
    expected: 'true or false',
    received: showJson(hasNext),
    pointer: '/pagination/hasNext',
  };
}

function lie(page: SearchPage, query: URLSearchParams): Problem | null {
  const [total = 0, limit = 0, offset = 0] = COUNTS.map((name) => countIn(page, name) ?? 0);
  const held = page.servers.length;
  const askedLimit = askedNumber(query, 'limit');
  const askedOffset = askedNumber(query, 'offset');
  if (askedOffset !== null && offset !== askedOffset)
    return {
      message: 'offset is not the offset that was asked for',
      expected: `${askedOffset}`,
      received: `${offset}`,
      pointer: '/pagination/offset',
    };
  if (held > limit)
    return {
      message: 'the page holds more records than its limit says',
      expected: `at most ${limit}`,
      received: `${held} records`,
      pointer: '/pagination/limit',
    };
  // What comes of asking for more than the maximum is another requirement.
  if (askedLimit !== null && askedLimit <= MAX_RECORDS && held > askedLimit)
    return {
      message: 'the page holds more records than were asked for',
      expected: `at most ${askedLimit}`,
      received: `${held} records`,
      pointer: '/servers',
    };
  const reaches = offset + held;
  if (held > 0 && reaches > total)
    return {
      message: 'total is less than the records that are shown',
      expected: `${reaches} at least`,
      received: `${total}`,
      pointer: '/pagination/total',
    };
  if (!isFullPage(page, query) && reaches < total)
    return {
      message: 'the page has room left, and yet total says that there are more records',
      expected: `a page of ${limit} records, or a total of ${reaches}`,
      received: `${held} records from offset ${offset} of ${total}`,
      pointer: '/pagination/total',
    };
  const hasNext = reaches < total;
  if (ownProperty(page.pagination, 'hasNext') === hasNext) return null;
  return {
    message: hasNext
      ? 'hasNext says that this is the last page, and it is not'
      : 'hasNext says that there is a next page, and there is none',
    expected: `${hasNext}: the page ends at ${reaches} of ${total}`,
    received: `${!hasNext}`,
    pointer: '/pagination/hasNext',
  };
}

/** Specification, section 8. */
export const MAX_RECORDS = 100;
