import { ownProperty, showJson } from '../../json/json.ts';
import { type Evidence, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { countIn, isFullPage, queryNumber, queryOf, type SearchPage, searchPage } from './search-page.ts';

export const versionedBasePath = defineCheck(
  'step',
  'versioned-base-path',
  'the base address of the directory ends in /v1',
  ({ targetUrl, asked: [first] }) => {
    const { pathname } = new URL(targetUrl);
    if (/\/v1\/?$/.test(pathname)) return passed;
    return failed({
      message: 'the base address does not end in /v1',
      expected: 'a base address whose path ends in /v1',
      received: `the path ${JSON.stringify(pathname)}`,
      exchangeKey: first?.exchange.request.key,
    });
  },
);

export const searchResults = defineCheck(
  'answer',
  'search-results',
  'the body is a page of search results: servers, an array, and pagination, an object',
  ({ exchange }) => {
    const { value, problem } = jsonBody(exchange);
    if (searchPage(value) !== null) return passed;
    const expected = 'a JSON object with servers, an array, and pagination, an object';
    if (value === undefined)
      return (problem.serversFault ? failed : undecided)({
        message: problem.message,
        expected,
        received: problem.received,
      });
    const servers = ownProperty(value, 'servers');
    const [name, kind, found] = Array.isArray(servers)
      ? (['pagination', 'object', ownProperty(value, 'pagination')] as const)
      : (['servers', 'array', servers] as const);
    return failed({
      message: found === undefined ? `${name} is missing` : `${name} is not an ${kind}`,
      expected,
      received: `${name}: ${showJson(found)}`,
      pointer: found === undefined ? undefined : `/${name}`,
    });
  },
);

export const paginationTrue = defineCheck(
  'answer',
  'pagination-true',
  'total, limit, offset and hasNext exist and agree with the request and with the records of the page',
  ({ exchange }) => {
    const page = searchPage(jsonBody(exchange).value);
    if (page === null) return inapplicable('the answer is not a page of search results');
    const problem = typeProblem(page) ?? contradiction(page, queryOf(exchange));
    return problem === null ? passed : failed(problem);
  },
);

type Problem = Pick<Evidence, 'message' | 'expected' | 'received' | 'pointer'>;

const COUNTS = ['total', 'limit', 'offset'] as const;

function typeProblem(page: SearchPage): Problem | null {
  const wrong = COUNTS.find((name) => countIn(page, name) === null);
  if (wrong !== undefined)
    return {
      message: `${wrong} of the pagination is not a count`,
      expected: 'a whole number, 0 or more',
      received: showJson(ownProperty(page.pagination, wrong)),
      pointer: `/pagination/${wrong}`,
    };
  const hasNext = ownProperty(page.pagination, 'hasNext');
  if (typeof hasNext === 'boolean') return null;
  return {
    message: 'hasNext of the pagination is not a boolean',
    expected: 'true or false',
    received: showJson(hasNext),
    pointer: '/pagination/hasNext',
  };
}

function contradiction(page: SearchPage, query: URLSearchParams): Problem | null {
  const [total = 0, limit = 0, offset = 0] = COUNTS.map((name) => countIn(page, name) ?? 0);
  const held = page.servers.length;
  const requestedLimit = queryNumber(query, 'limit');
  const requestedOffset = queryNumber(query, 'offset');
  if (requestedOffset !== null && offset !== requestedOffset)
    return {
      message: 'offset is not the requested offset',
      expected: `${requestedOffset}`,
      received: `${offset}`,
      pointer: '/pagination/offset',
    };
  if (held > limit)
    return {
      message: 'the page holds more records than its limit',
      expected: `at most ${limit}`,
      received: `${held} records`,
      pointer: '/pagination/limit',
    };
  // Another requirement judges requests for more than the maximum.
  if (requestedLimit !== null && requestedLimit <= MAX_RECORDS && held > requestedLimit)
    return {
      message: 'the page holds more records than requested',
      expected: `at most ${requestedLimit}`,
      received: `${held} records`,
      pointer: '/servers',
    };
  const reaches = offset + held;
  if (held > 0 && reaches > total)
    return {
      message: 'total is less than the number of records shown',
      expected: `at least ${reaches}`,
      received: `${total}`,
      pointer: '/pagination/total',
    };
  if (!isFullPage(page, query) && reaches < total)
    return {
      message: 'the page is not full, but total says that there are more records',
      expected: `a page of ${limit} records, or a total of ${reaches}`,
      received: `${held} records from offset ${offset} of ${total}`,
      pointer: '/pagination/total',
    };
  const hasNext = reaches < total;
  if (ownProperty(page.pagination, 'hasNext') === hasNext) return null;
  return {
    message: hasNext
      ? 'hasNext says that this is the last page, but it is not'
      : 'hasNext says that there is a next page, but there is none',
    expected: `${hasNext}: the page ends at ${reaches} of ${total}`,
    received: `${!hasNext}`,
    pointer: '/pagination/hasNext',
  };
}

/** Specification, section 8. */
const MAX_RECORDS = 100;

export const pageSizeKept = defineCheck(
  'answer',
  'page-size-kept',
  'no page holds more than 100 records or reports a larger limit: a larger limit is reduced or refused',
  ({ exchange }) => {
    const { status } = exchange.response;
    if (status >= 400 && status < 500) return passed;
    const page = searchPage(jsonBody(exchange).value);
    if (page === null)
      return failed({
        message: 'the search is neither answered with a page nor refused',
        expected: 'a page of at most 100 records, or a 4xx status',
        received: `status ${status} without a page`,
      });
    const held = page.servers.length;
    if (held > MAX_RECORDS)
      return failed({
        message: 'the page holds more than 100 records',
        expected: 'at most 100 records',
        received: `${held} records`,
        pointer: '/servers',
      });
    const limit = countIn(page, 'limit');
    if (limit === null) return inapplicable('the pagination gives no limit');
    if (limit <= MAX_RECORDS) return passed;
    return failed({
      message: 'the pagination reports a limit above 100',
      expected: 'a limit of at most 100',
      received: `${limit}`,
      pointer: '/pagination/limit',
    });
  },
);
