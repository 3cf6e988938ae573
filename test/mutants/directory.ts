import type { DoubleOptions } from '../fake-directory/directory.ts';
import type { DoubleRecord } from '../fake-directory/records.ts';
import {
  conformingRules,
  type FakeAnswer,
  json,
  KEY,
  MAX_LIMIT,
  type Operation,
  type Rules,
  tagsIn,
} from '../fake-directory/rules.ts';
import type { MutantClaims } from './mutant.ts';

/** A directory that breaks one row of the registry. */
export interface DirectoryMutant extends MutantClaims {
  readonly directory: DoubleOptions;
}

const OPERATIONS: readonly Operation[] = ['search', 'details', 'test', 'execute'];
const { isKey, filters, matches, pageOf, problemOf, wantedOf, statuses } = conformingRules;

type More = Omit<MutantClaims, 'row' | 'name'>;

/** A mutant with other decisions. */
function ruled(
  row: string,
  name: string,
  rules: Partial<Rules>,
  more: More & Pick<DoubleOptions, 'records'> = {},
): DirectoryMutant {
  const { records, ...claims } = more;
  return {
    row: `directory/${row}`,
    name,
    directory: { rules, ...(records === undefined ? {} : { records }) },
    ...claims,
  };
}

type Matches = (record: DoubleRecord, query: URLSearchParams) => boolean;

/** A mutant of one filter. */
function filtering(row: string, parameter: string, name: string, matches: Matches): DirectoryMutant {
  return ruled(row, name, { filters: { ...filters, [parameter]: matches } });
}

const everything: Matches = () => true;

/** A mutant that changes one record, which no other request of the check uses. */
function showing(name: string, change: Readonly<Record<string, unknown>>): DirectoryMutant {
  return ruled('server-record', name, {
    show: (record) => (record.id === 'srv-0006' ? { ...record, ...change } : record),
  });
}

function paging(row: string, name: string, page: Rules['pageOf'], more: More = {}): DirectoryMutant {
  return ruled(row, name, { pageOf: page }, more);
}

/** A mutant with wrong figures in the pagination. */
function figures(
  name: string,
  change: (
    pagination: Readonly<Record<string, unknown>>,
    all: readonly DoubleRecord[],
  ) => Readonly<Record<string, unknown>>,
  more: More = {},
): DirectoryMutant {
  return paging(
    'pagination',
    name,
    (found, wanted, all) => {
      const { servers, pagination } = pageOf(found, wanted, all);
      return { servers, pagination: { ...pagination, ...change(pagination, all) } };
    },
    more,
  );
}

const NOTHING_REFUSED: More = {
  leavesOpen: { 'directory/error-body': 'no remaining request must be refused' },
};

const html = (status: number): FakeAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<h1>No</h1>',
});

const accessMutants: readonly DirectoryMutant[] = [
  ruled('base-path', 'the base address ends in /api', { basePath: '/api' }),
  ruled('base-path', 'the base address ends in /v2', { basePath: '/v2' }),
  ruled('base-path', 'the version is in the middle of the base address', { basePath: '/v1/directory' }),

  ...OPERATIONS.map((open) =>
    ruled('auth-missing', `the operation ${open} needs no key`, {
      isKey: (authorization, operation) =>
        (operation === open && authorization === undefined) || isKey(authorization, operation),
    }),
  ),
  {
    row: 'directory/auth-missing',
    name: 'a missing key is answered with 403',
    directory: {
      wrap: async ({ authorization }, conform) =>
        authorization === undefined ? json(403, { error: 'forbidden' }) : conform(),
    },
  },
  ...OPERATIONS.map((open) =>
    ruled('auth-invalid', `the operation ${open} takes any key`, {
      isKey: (authorization, operation) =>
        operation === open ? /^Bearer ./.test(authorization ?? '') : isKey(authorization, operation),
    }),
  ),
  ruled('auth-invalid', 'any other scheme is accepted', {
    isKey: (authorization, operation) =>
      /^(?!Bearer )\S+ ./.test(authorization ?? '') || isKey(authorization, operation),
  }),
  ruled('auth-invalid', 'the scheme is ignored', {
    isKey: (authorization) => authorization?.endsWith(` ${KEY}`) === true,
  }),
  {
    row: 'directory/auth-invalid',
    name: 'a wrong key is answered with 404',
    directory: {
      wrap: async ({ authorization }, conform) =>
        authorization?.includes('wrong') ? json(404, { error: 'not found' }) : conform(),
    },
  },

  ruled('error-body', 'errors are plain text', {
    errorOf: (status, message) => ({ status, headers: { 'content-type': 'text/plain' }, body: message }),
  }),
  ruled('error-body', 'errors have a JSON type, but are not JSON', {
    errorOf: (status, message) => ({ ...json(status, {}), body: message }),
  }),
  ruled('error-body', 'the body of a 401 is empty', {
    errorOf: (status, message) =>
      status === 401 ? { status, headers: {}, body: '' } : json(status, { message }),
  }),
  ruled('error-body', 'a 404 is a page of HTML', {
    errorOf: (status, message) => (status === 404 ? html(status) : json(status, { message })),
  }),

  ...[{}, { 'retry-after': 'soon' }].map((headers) =>
    ruled(
      'rate-limit',
      `a 429 comes ${'retry-after' in headers ? 'with a Retry-After in words' : 'without Retry-After'}`,
      { limiter: { requests: 300, headers } },
      { options: { directory: { tryRateLimit: true } } },
    ),
  ),
];

const searchMutants: readonly DirectoryMutant[] = [
  ...(
    [
      ['servers is an object', { servers: {} }],
      ['servers is null', { servers: null }],
      ['pagination is left out', { pagination: undefined }],
      ['pagination is a list', { pagination: [] }],
    ] as const
  ).map(([name, change]) =>
    ruled(
      'search-shape',
      name,
      { pageOf: (...given) => ({ ...pageOf(...given), ...change }) as never, show: (record) => record },
      NOTHING_REFUSED,
    ),
  ),
  {
    row: 'directory/search-shape',
    name: 'a search is answered with 500',
    directory: {
      wrap: async ({ path, authorization }, conform) =>
        path === '/servers/search' && authorization !== undefined ? json(500, { error: 'oh' }) : conform(),
    },
  },

  showing('lastUpdated carries the offset of another zone', { lastUpdated: '2026-01-31T12:00:00+02:00' }),
  showing('lastUpdated is a number', { lastUpdated: 1_769_860_800 }),
  showing('uptime is 101', { uptime: 101 }),
  showing('responseTime is a string', { responseTime: '42 ms' }),
  showing('description is missing', { description: undefined }),
  showing('tags is null', { tags: null }),
  showing('endpoint is not a URL', { endpoint: 'example' }),
  showing('a transport is unknown', { transport: ['websocket', 'smtp'] }),

  figures('hasNext is always true', () => ({ hasNext: true })),
  figures('hasNext is always false', () => ({ hasNext: false })),
  figures('hasNext is a string', ({ hasNext }) => ({ hasNext: String(hasNext) })),
  figures('total is a string', ({ total }) => ({ total: String(total) })),
  figures('limit is left out', () => ({ limit: undefined })),
  figures('offset is always 0', () => ({ offset: 0 })),
  figures('total is that of the whole directory for every search', (_, all) => ({
    total: all.length,
  })),
  paging('pagination', 'total is the number of records on the page', (found, wanted, all) => {
    const { servers, pagination } = pageOf(found, wanted, all);
    return { servers, pagination: { ...pagination, total: servers.length } };
  }),
  ruled(
    'pagination',
    'limit is ignored',
    { wantedOf: (query) => ({ ...wantedOf(query), limit: 20 }) },
    { alsoFails: { 'directory/page-walk': 'pages that are too large overlap' } },
  ),

  paging('page-walk', 'every page begins one record too early', (found, { limit, offset }, all) => {
    const { pagination } = pageOf(found, { limit, offset }, all);
    const from = Math.max(0, offset - 1);
    return { servers: offset > found.length ? [] : found.slice(from, from + limit), pagination };
  }),
  paging('page-walk', 'every page is the first', (found, { limit, offset }, all) => {
    const { pagination } = pageOf(found, { limit, offset }, all);
    return { servers: offset >= found.length ? [] : found.slice(0, limit), pagination };
  }),
  {
    row: 'directory/page-walk',
    name: 'the order changes with every search',
    directory: {
      onSearch: (records, searches) => {
        records.push(...records.splice(0, (searches * 7) % records.length));
      },
    },
  },
  paging(
    'page-walk',
    'a record is lost between two pages',
    (found, { limit, offset }, all) => {
      const { pagination } = pageOf(found, { limit, offset }, all);
      return { servers: found.slice(offset + (offset > 0 ? 1 : 0)).slice(0, limit), pagination };
    },
    { alsoFails: { 'directory/pagination': 'the last page lacks the record that total counts' } },
  ),

  ruled('limit-maximum', 'there is no maximum', {
    problemOf: (query) => (Number(query.get('limit')) > MAX_LIMIT ? null : problemOf(query)),
    wantedOf: (query) => ({ ...wantedOf(query), limit: Number(query.get('limit') ?? 20) }),
  }),
  ruled(
    'limit-maximum',
    'a page holds more than its limit',
    {
      problemOf: (query) => (Number(query.get('limit')) > MAX_LIMIT ? null : problemOf(query)),
      pageOf: (found, wanted, all) => {
        const page = pageOf(found, wanted, all);
        return wanted.limit < MAX_LIMIT ? page : { ...page, servers: found.slice(0, 150) };
      },
      wantedOf: (query) => ({
        ...wantedOf(query),
        limit: Math.min(MAX_LIMIT, Number(query.get('limit') ?? 20)),
      }),
    },
    {
      records: 150,
      alsoFails: {
        'directory/pagination': 'the page holds more than its limit',
      },
      mayFail: /^directory\/page-walk$/,
    },
  ),
  {
    row: 'directory/limit-maximum',
    name: 'a limit above the maximum is answered with 500',
    directory: {
      wrap: async ({ query }, conform) =>
        Number(query.get('limit') ?? 0) > MAX_LIMIT ? json(500, { error: 'oh' }) : conform(),
    },
  },

  ...(
    [
      ['a minUptime above 100 is accepted', 'minUptime', '101', 200],
      ['a minUptime below 0 ends in a 500', 'minUptime', '-1', 500],
      ['an unknown transport is accepted', 'transport', 'carrier-pigeon', 200],
      ['a limit that is not a number ends in a 500', 'limit', 'abc', 500],
      ['a negative offset is accepted', 'offset', '-1', 200],
      ['a maxResponseTime that is not a number is accepted', 'maxResponseTime', 'fast', 200],
    ] as const
  ).map(([name, parameter, text, status]): DirectoryMutant => {
    return {
      row: 'directory/bad-query',
      name,
      directory: {
        wrap: async ({ query }, conform) =>
          query.get(parameter) === text ? json(status, pageOf([], { limit: 20, offset: 0 }, [])) : conform(),
      },
    };
  }),
];

const filterMutants: readonly DirectoryMutant[] = [
  filtering('filter-q', 'q', 'q is ignored', everything),
  filtering('filter-q', 'q', 'a word without matches gives everything', (record, query) => {
    return query.get('q')?.startsWith('xq') === true || filters.q?.(record, query) === true;
  }),
  filtering(
    'filter-q',
    'q',
    'only the description is searched, and from its start',
    ({ description }, query) => description.startsWith(query.get('q') ?? ''),
  ),

  filtering('filter-category', 'category', 'category is ignored', everything),
  filtering('filter-category', 'category', 'an unknown category gives everything', ({ category }, query) => {
    const wanted = query.get('category') ?? '';
    return wanted.startsWith('probity') || category === wanted;
  }),
  filtering('filter-category', 'category', 'category gives all other categories', ({ category }, query) => {
    return category !== query.get('category');
  }),
  filtering(
    'filter-category',
    'category',
    'a record of the category is missing',
    ({ category, id }, query) => {
      return category === query.get('category') && !/[16]$/.test(id) && !/[27]$/.test(id);
    },
  ),
  {
    row: 'directory/filter-category',
    name: 'an unknown category is answered with 404',
    directory: {
      wrap: async ({ query }, conform) =>
        query.get('category')?.startsWith('probity') ? json(404, { error: 'no such category' }) : conform(),
    },
  },

  filtering('filter-tags', 'tags', 'tags is ignored', everything),
  filtering('filter-tags', 'tags', 'several tags are read as one', ({ tags }, query) =>
    tags.includes(query.getAll('tags').join(',')),
  ),
  filtering('filter-tags', 'tags', 'of several tags only the last counts', ({ tags }, query) =>
    tags.includes(tagsIn(query).at(-1) ?? ''),
  ),
  filtering('filter-tags', 'tags', 'parts of tags are enough', ({ tags }, query) =>
    tagsIn(query).some((tag) => tags.some((own) => own[0] === tag[0] || own[1] === tag[1])),
  ),
  ruled('filter-tags', 'several tags are refused', {
    problemOf: (query) =>
      query.has('tags[]') || tagsIn(query).length > 1 ? 'one tag at a time' : problemOf(query),
  }),

  filtering('filter-transport', 'transport', 'transport is ignored', everything),
  filtering(
    'filter-transport',
    'transport',
    'a record with both transports is missing',
    ({ transport }, query) => transport.length === 1 && transport[0] === query.get('transport'),
  ),
  filtering(
    'filter-transport',
    'transport',
    'websocket gives everything',
    ({ transport }, query) => query.get('transport') === 'websocket' || transport.includes('http'),
  ),

  filtering('filter-min-uptime', 'minUptime', 'minUptime is ignored', everything),
  filtering('filter-min-uptime', 'minUptime', 'minUptime is read as a maximum', ({ uptime }, query) => {
    return uptime <= Number(query.get('minUptime'));
  }),
  filtering(
    'filter-min-uptime',
    'minUptime',
    'minUptime is compared with a share of 1',
    ({ uptime }, query) => {
      return uptime / 100 >= Number(query.get('minUptime'));
    },
  ),

  filtering('filter-max-response-time', 'maxResponseTime', 'maxResponseTime is ignored', everything),
  filtering(
    'filter-max-response-time',
    'maxResponseTime',
    'maxResponseTime is read as a minimum',
    ({ responseTime }, query) => responseTime >= Number(query.get('maxResponseTime')),
  ),
  filtering(
    'filter-max-response-time',
    'maxResponseTime',
    'maxResponseTime is read as seconds',
    ({ responseTime }, query) => responseTime / 1000 <= Number(query.get('maxResponseTime')),
  ),

  ...(['audited', 'openSource'] as const).flatMap((flag) => {
    const row = flag === 'audited' ? 'filter-audited' : 'filter-open-source';
    return [
      filtering(row, flag, `${flag} is ignored`, everything),
      filtering(row, flag, `${flag}=true gives all other records`, (record) => !record[flag]),
      filtering(row, flag, `${flag}=true gives nothing`, () => false),
    ];
  }),

  ruled('filters-combine', 'of several filters only the first counts', {
    matches: (records, query, given) => {
      const [name = ''] = [...query.keys()];
      return matches(records, new URLSearchParams([[name, query.get(name) ?? '']]), given);
    },
  }),
  ruled('filters-combine', 'several filters widen the search', {
    matches: (records, query, given) => {
      const own = Object.entries(given).filter(([name]) => query.has(name));
      return records.filter(
        (record) => own.length === 0 || own.some(([, matches]) => matches(record, query)),
      );
    },
  }),
  ruled('filters-combine', 'several filters give nothing', {
    matches: (records, query, given) =>
      Object.keys(given).filter((name) => query.has(name)).length > 1 ? [] : matches(records, query, given),
  }),
];

/** A mutant with another status. */
function answering(row: string, which: keyof Rules['statuses'], status: number): DirectoryMutant {
  const words = {
    unknownDetails: 'details of an unknown server',
    unknownTest: 'a test of an unknown server',
    unknownExecute: 'a call to an unknown server',
    unknownFunction: 'a call of an unknown function',
    noKey: 'no key',
  };
  return ruled(row, `${words[which]}: status ${status}`, { statuses: { ...statuses, [which]: status } });
}

const entryMutants: readonly DirectoryMutant[] = [
  ruled('details', 'the details show another endpoint', {
    details: (record) => ({ ...record, endpoint: 'http://127.0.0.1:1' }),
  }),
  ruled('details', 'the details show another audit', {
    details: (record) => ({ server: { ...record, audited: !record.audited } }),
  }),
  ruled('details', 'the details are those of another server', {
    details: (record) => ({ ...record, id: 'srv-0002' }),
  }),
  ruled('details', 'the details have no id', { details: () => ({ status: 'online' }) }),
  ruled('details', 'the uptime of the details is a string', {
    details: (record) => ({ ...record, uptime: `${record.uptime} %` }),
  }),
  {
    row: 'directory/details',
    name: 'the details of a listed server are answered with 500',
    directory: {
      wrap: async ({ path, authorization }, conform) =>
        /^\/servers\/srv-\d+$/.test(path) && isKey(authorization, 'details')
          ? json(500, { error: 'oh' })
          : conform(),
    },
  },
  ...[200, 400, 500].map((status) => answering('details-not-found', 'unknownDetails', status)),
  ...[200, 400, 500].map((status) => answering('test-not-found', 'unknownTest', status)),
  ...[200, 400, 502].map((status) => answering('execute-unknown-server', 'unknownExecute', status)),
  ...[200, 400, 500].map((status) => answering('execute-unknown-function', 'unknownFunction', status)),

  ruled('test', 'a test is only acknowledged', { testOf: () => json(202, { accepted: true }) }),
  ruled('test', 'a test reports no times', { testOf: () => json(200, { errors: [], samples: [] }) }),
  ruled('test', 'a test reports only times', { testOf: () => json(200, { responseTimeMs: 12 }) }),
  ruled('test', 'a test is answered with plain text', {
    testOf: () => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'time: 3 ms, errors: none',
    }),
  }),
  ruled('test', 'a test of a listed server is answered with 404', {
    testOf: () => json(404, { error: 'not found' }),
  }),

  ruled('execute', 'a listed function is answered with 404', {
    outputOf: () => json(404, { error: 'no' }),
  }),
  ruled('execute', 'the output comes back as plain text', {
    outputOf: () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'done' }),
  }),
  ruled('execute', 'the output is lost', { outputOf: () => json(200, {}) }),
  ruled('execute', 'a call ends in a 500', { outputOf: () => json(500, { error: 'oh' }) }),
];

export const directoryMutants: readonly DirectoryMutant[] = [
  ...accessMutants,
  ...searchMutants,
  ...filterMutants,
  ...entryMutants,
];
