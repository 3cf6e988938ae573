import type { Asked, JsonAnswer } from '../../src/checks/define-check.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import {
  type AnswerParts,
  answer,
  cannotJudge,
  containing,
  type Example,
  fails,
  type Given,
  jsonAnswer,
  notApplicable,
  passes,
  undecided,
} from './example.ts';

const DIRECTORY = 'http://directory.example/v1';

const record = (id: string, parts: JsonObject = {}): JsonObject => ({
  id,
  name: `Name of ${id}`,
  description: 'What it does',
  category: 'finance',
  tags: ['sandbox'],
  transport: ['http'],
  uptime: 99.5,
  responseTime: 40,
  lastUpdated: '2026-01-31T12:00:00Z',
  audited: true,
  openSource: false,
  endpoint: 'https://server.example',
  ...parts,
});

const page = (servers: readonly Json[], pagination: JsonObject = {}): JsonObject => ({
  servers,
  pagination: { total: servers.length, limit: 100, offset: 0, hasNext: false, ...pagination },
});

const request = (query: string) => ({ url: `${DIRECTORY}/servers/search?${query}` });

const searched = (query: string, value: Json, key = `search?${query}`): JsonAnswer =>
  jsonAnswer({ key, value, request: request(query) });

const given = (query: string, value: Json): Given => {
  return { exchange: answer({ value, request: request(query) }), value };
};

const asked = (parts: AnswerParts): Asked => ({ exchange: answer(parts), call: null, item: undefined });

/** The answers to searches with filters, in a directory that shows the same records before and after. */
const filteredIn = (records: readonly Json[], ...answers: readonly JsonAnswer[]): Given => {
  const walk = [searched('limit=100&offset=0', page(records))];
  return { used: { before: walk, again: walk, asked: answers } };
};

const A = record('a', { category: 'finance', tags: ['x', 'y'], audited: true });
const B = record('b', { category: 'maps', tags: ['x'], audited: false, uptime: 90, name: 'Harbour' });
const C = record('c', { category: 'maps', tags: ['z'], audited: true, responseTime: 400 });
const ALL = [A, B, C];

interface Case {
  readonly what: string;
  readonly given: Given;
  readonly finds: Example['finds'];
}

const of = (check: string, cases: readonly Case[]): readonly Example[] =>
  cases.map((one) => ({ check, ...one }));

const examplesOfPages: readonly Example[] = [
  ...of('versioned-base-path', [
    { what: '/v1', given: { targetUrl: DIRECTORY }, finds: passes },
    { what: '/api/v1', given: { targetUrl: 'https://d.example/api/v1' }, finds: passes },
    ...[
      'https://d.example',
      'https://d.example/v2',
      'https://d.example/v1/api',
      'https://d.example/apiv1',
    ].map((targetUrl) => ({ what: targetUrl, given: { targetUrl }, finds: fails({}) })),
  ]),
  ...of('search-results', [
    { what: 'a page', given: given('', page([])), finds: passes },
    {
      what: 'servers is an object',
      given: given('', { servers: {}, pagination: {} }),
      finds: fails({ pointer: '/servers' }),
    },
    {
      what: 'no pagination',
      given: given('', { servers: [] }),
      finds: fails({ received: 'pagination: nothing' }),
    },
    {
      what: 'a body that is not JSON',
      given: { exchange: answer({ body: { text: 'no' } }) },
      finds: fails({}),
    },
  ]),
  ...of('server-records', [
    { what: 'whole records', given: given('', page(ALL)), finds: passes },
    { what: 'no records', given: given('', page([])), finds: undecided({}) },
    {
      what: 'an uptime of 101',
      given: given('', page([A, record('b', { uptime: 101 })])),
      finds: fails({ pointer: '/servers/1/uptime' }),
    },
    {
      what: 'a time in another zone',
      given: given('', page([record('a', { lastUpdated: '2026-01-31T12:00:00+01:00' })])),
      finds: fails({ pointer: '/servers/0/lastUpdated' }),
    },
    {
      what: 'a string among the records',
      given: given('', page(['a'])),
      finds: fails({ pointer: '/servers/0' }),
    },
    {
      what: 'no page',
      given: given('', {}),
      finds: notApplicable('the answer is not a page of search results'),
    },
  ]),
  ...of('pagination-true', [
    { what: 'a whole directory', given: given('limit=100&offset=0', page(ALL)), finds: passes },
    {
      what: 'a page in the middle',
      given: given('limit=3&offset=3', page(ALL, { total: 9, limit: 3, offset: 3, hasNext: true })),
      finds: passes,
    },
    {
      what: 'a smaller limit than requested',
      given: given('limit=100', page(ALL, { total: 9, limit: 3, hasNext: true })),
      finds: passes,
    },
    {
      what: 'an empty page past the end',
      given: given('offset=50', page([], { total: 3, offset: 50 })),
      finds: passes,
    },
    {
      what: 'hasNext on the last page',
      given: given('', page(ALL, { hasNext: true })),
      finds: fails({ pointer: '/pagination/hasNext' }),
    },
    {
      what: 'an offset that was not requested',
      given: given('offset=3', page(ALL)),
      finds: fails({ pointer: '/pagination/offset' }),
    },
    {
      what: 'a total as text',
      given: given('', page(ALL, { total: '3' })),
      finds: fails({ pointer: '/pagination/total' }),
    },
    {
      what: 'hasNext as text',
      given: given('', page(ALL, { hasNext: 'false' })),
      finds: fails({ pointer: '/pagination/hasNext' }),
    },
    {
      what: 'more records than the limit',
      given: given('', page(ALL, { limit: 2 })),
      finds: fails({ pointer: '/pagination/limit' }),
    },
    {
      what: 'more records than requested',
      given: given('limit=2', page(ALL)),
      finds: fails({ pointer: '/servers' }),
    },
    {
      what: 'a total below the records shown',
      given: given('', page(ALL, { total: 2 })),
      finds: fails({ pointer: '/pagination/total' }),
    },
    {
      what: 'a page that is not full, and a higher total',
      given: given('', page(ALL, { total: 9, hasNext: true })),
      finds: fails({ pointer: '/pagination/total' }),
    },
    {
      what: 'no page',
      given: given('', {}),
      finds: notApplicable('the answer is not a page of search results'),
    },
  ]),
  ...of('page-size-kept', [
    { what: 'a reduced limit', given: given('limit=1000', page(ALL)), finds: passes },
    { what: 'a refusal', given: { exchange: answer({ status: 400 }) }, finds: passes },
    {
      what: 'a limit of 1000',
      given: given('limit=1000', page(ALL, { limit: 1000 })),
      finds: fails({ pointer: '/pagination/limit' }),
    },
    {
      what: '101 records',
      given: given('limit=101', page(Array.from({ length: 101 }, (_, id) => record(`${id}`)))),
      finds: fails({ pointer: '/servers' }),
    },
    { what: 'something else', given: given('limit=101', []), finds: fails({}) },
  ]),
];

const walk = (
  ...pages: readonly (readonly [offset: number, ids: string, total?: number])[]
): readonly JsonAnswer[] =>
  pages.map(([offset, ids, total = 5]) =>
    searched(
      `limit=2&offset=${offset}`,
      page(
        [...ids].map((id) => record(id)),
        { total, limit: 2, offset, hasNext: offset + ids.length < total },
      ),
    ),
  );
const walked = (before: readonly JsonAnswer[], again = before): Given => ({ used: { before, again } });

const examplesOfWalks: readonly Example[] = of('page-walk', [
  { what: 'every record once', given: walked(walk([0, 'ab'], [2, 'cd'], [4, 'e'])), finds: passes },
  {
    what: 'a record twice',
    given: walked(walk([0, 'ab'], [2, 'bc'], [4, 'd'])),
    finds: fails({
      message: 'a record is listed twice',
      received: '"b" at 1 and at 2',
    }),
  },
  {
    what: 'a record left out',
    given: walked(walk([0, 'ab'], [2, 'c'], [4, 'e'])),
    finds: fails({ message: 'records are missing from the pages' }),
  },
  {
    what: 'fewer than total',
    given: walked(walk([0, 'ab'], [2, 'cd'], [4, ''])),
    finds: fails({ message: 'the pages hold fewer records than total says' }),
  },
  {
    what: 'some pages of a large directory',
    given: walked(walk([0, 'ab', 99], [50, 'cd', 99], [98, 'e', 99])),
    finds: passes,
  },
  {
    what: 'a change during one of two walks',
    given: walked(
      walk([0, 'ab'], [2, 'bc', 6], [4, 'de', 6]),
      walk([0, 'xa', 6], [2, 'bc', 6], [4, 'de', 6]),
    ),
    finds: passes,
  },
  {
    what: 'a change during both walks',
    given: walked(walk([0, 'ab'], [2, 'bc', 6]), walk([0, 'ab', 6], [2, 'bc', 7])),
    finds: undecided({ message: 'the number of records changed while the pages were read' }),
  },
  {
    what: 'a total that is not a number',
    given: walked([searched('offset=0', page([], { total: '5' }))]),
    finds: cannotJudge('no-total'),
  },
  {
    what: 'an empty directory',
    given: walked(walk([0, '', 0])),
    finds: undecided({ received: 'a total of 0' }),
  },
  { what: 'no page', given: walked([]), finds: notApplicable('no page was read') },
]);

const examplesOfFilters: readonly Example[] = [
  ...of('filtered', [
    { what: 'one category', given: filteredIn(ALL, searched('category=maps', page([B, C]))), finds: passes },
    {
      what: 'a record of another category',
      given: filteredIn(ALL, searched('category=maps', page(ALL))),
      finds: fails({ pointer: '/servers/0', message: containing('"category=maps"') }),
    },
    {
      what: 'a missing record',
      given: filteredIn(ALL, searched('category=maps', page([C]))),
      finds: fails({ expected: '"b" among the results' }),
    },
    {
      what: 'a missing record that the second walk did not return',
      given: {
        used: {
          before: [searched('', page(ALL))],
          again: [searched('', page([A, C]))],
          asked: [searched('category=maps', page([C]))],
        },
      },
      finds: passes,
    },
    {
      what: 'a first page that matches by chance',
      given: filteredIn(
        ALL,
        searched('category=maps&limit=1', page([B], { total: 3, limit: 1, hasNext: true })),
      ),
      finds: fails({ pointer: '/pagination/total' }),
    },
    {
      what: 'a total that is too high for the page is ignored',
      given: filteredIn(ALL, searched('category=maps', page([B, C], { total: 3 }))),
      finds: passes,
    },
    {
      what: 'a category in another case',
      given: filteredIn(ALL, searched('category=MAPS', page([B, C]))),
      finds: passes,
    },
    {
      what: 'a filter that all records match',
      given: filteredIn([A, C], searched('audited=true', page([A, C]))),
      finds: undecided({ message: 'no shown record can prove that the filter is applied' }),
    },
    { what: 'an uptime', given: filteredIn(ALL, searched('minUptime=95', page([A, C]))), finds: passes },
    {
      what: 'an uptime close to the limit',
      given: filteredIn(ALL, searched('minUptime=99.55', page([A, C]))),
      finds: passes,
    },
    {
      what: 'a response time above the limit',
      given: filteredIn(ALL, searched('maxResponseTime=100', page(ALL))),
      finds: fails({ pointer: '/servers/2' }),
    },
    { what: 'a word', given: filteredIn(ALL, searched('q=harbour', page([B]))), finds: passes },
    {
      what: 'a word of the same stem',
      given: filteredIn(ALL, searched('q=harbours', page([B]))),
      finds: passes,
    },
    {
      what: 'a word that no record contains',
      given: filteredIn(ALL, searched('q=xqzvkwjy', page([B]))),
      finds: fails({ pointer: '/servers/0' }),
    },
    {
      what: 'two filters',
      given: filteredIn(ALL, searched('category=maps&audited=true', page([C]))),
      finds: passes,
    },
    {
      what: 'only one of two filters applied',
      given: filteredIn(ALL, searched('category=maps&audited=true', page([B, C]))),
      finds: fails({ message: containing('"audited=true"') }),
    },
    {
      what: 'two filters, one of which does not work alone either',
      given: {
        used: {
          ...filteredIn(ALL, searched('category=maps&audited=true', page([B, C]))).used,
          alone: [searched('audited=true', page(ALL))],
        },
      },
      finds: cannotJudge('audited'),
    },
    {
      what: 'no search answered',
      given: filteredIn(ALL),
      finds: notApplicable('no search with the filter was answered'),
    },
  ]),
  ...of('tags-filtered', [
    {
      what: 'records with both',
      given: filteredIn(ALL, searched('tags=x&tags=y', page([A]))),
      finds: passes,
    },
    {
      what: 'records with any',
      given: filteredIn(ALL, searched('tags=x&tags=y', page([A, B]))),
      finds: passes,
    },
    {
      what: 'the second encoding works',
      given: filteredIn(ALL, searched('tags=x&tags=y', page(ALL)), searched('tags=x,y', page([A]))),
      finds: passes,
    },
    {
      what: 'the last encoding works',
      given: filteredIn(ALL, searched('tags=x,y', page([])), searched('tags[]=x&tags[]=y', page([A]))),
      finds: passes,
    },
    { what: 'everything', given: filteredIn(ALL, searched('tags=x&tags=y', page(ALL))), finds: fails({}) },
    { what: 'nothing', given: filteredIn(ALL, searched('tags=x,y', page([]))), finds: fails({}) },
    {
      what: 'a record with one of the tags is missing',
      given: filteredIn([...ALL, record('d', { tags: ['y'] })], searched('tags=x&tags=y', page([A, B]))),
      finds: fails({}),
    },
    {
      what: 'a directory that changed meanwhile',
      given: {
        used: {
          before: [searched('', page(ALL))],
          again: [searched('', page([A, B]))],
          asked: [searched('tags=x&tags=y', page(ALL))],
        },
      },
      finds: undecided({}),
    },
    {
      what: 'no search answered',
      given: filteredIn(ALL),
      finds: notApplicable('no search for two tags was answered with a page'),
    },
  ]),
  ...of('one-accepted', [
    { what: 'one of two', given: { asked: [asked({ status: 400 }), asked({})] }, finds: passes },
    {
      what: 'none of two',
      given: { asked: [asked({ status: 400 }), asked({ status: 422 })] },
      finds: fails({ received: 'status 400, status 422' }),
    },
    { what: 'no search answered', given: { asked: [] }, finds: notApplicable('nothing was answered') },
  ]),
];

const details = (value: Json, item: Json = A, later: Json = item): Given => ({
  exchange: answer({ value, request: { url: `${DIRECTORY}/servers/a` } }),
  value,
  item,
  used: { again: [searched('', page([later]))] },
});
const executedWith = (parts: AnswerParts, source = 'example'): Given => ({
  exchange: answer(parts),
  item: { id: 'a', function: 'add', input: {}, source },
});

const examplesOfEntries: readonly Example[] = [
  ...of('details-agree', [
    { what: 'the same record', given: details(A), finds: passes },
    { what: 'under a key', given: details({ server: A }), finds: passes },
    { what: 'the id alone', given: details({ id: 'a', state: {} }), finds: passes },
    {
      what: 'changed figures, and tags in another order',
      given: details({ ...A, uptime: 12, responseTime: 900, tags: ['y', 'x'] }),
      finds: passes,
    },
    {
      what: 'as one of two searches shows it',
      given: details({ ...A, name: 'New' }, A, { ...A, name: 'New' }),
      finds: passes,
    },
    {
      what: 'as neither of two searches shows it',
      given: details({ ...A, name: 'Newer' }, A, { ...A, name: 'New' }),
      finds: undecided({ pointer: '/name' }),
    },
    {
      what: 'another endpoint',
      given: details({ server: { ...A, endpoint: 'https://other.example' } }),
      finds: fails({ pointer: '/server/endpoint' }),
    },
    {
      what: 'an uptime as text',
      given: details({ ...A, uptime: '99 %' }),
      finds: fails({ pointer: '/uptime' }),
    },
    {
      what: 'another server',
      given: details(B),
      finds: fails({ expected: 'an object whose id is "a" (string)' }),
    },
  ]),
  ...of('test-results', [
    {
      what: 'times and errors',
      given: { exchange: answer({ value: { responseTimes: [{ ms: 3 }], errors: [] } }) },
      finds: passes,
    },
    {
      what: 'a time and an output',
      given: { exchange: answer({ value: { run: { durationMs: 3, output: {} } } }) },
      finds: passes,
    },
    {
      what: 'no times',
      given: { exchange: answer({ value: { errors: [], time: 'short' } }) },
      finds: fails({ message: 'the results of the test have no response times' }),
    },
    { what: 'an acknowledgement', given: { exchange: answer({ value: { ok: true } }) }, finds: fails({}) },
    { what: 'a list', given: { exchange: answer({ value: [] }) }, finds: fails({}) },
    {
      what: 'refused parameters',
      given: { exchange: answer({ status: 422 }) },
      finds: undecided({ fault: 'server' }),
    },
    {
      what: 'a server-side failure',
      given: { exchange: answer({ status: 500 }) },
      finds: fails({ received: 'status 500' }),
    },
  ]),
  ...of('executed', [
    { what: 'an output', given: executedWith({ value: { output: { sum: 3 } } }), finds: passes },
    { what: 'an empty object', given: executedWith({ value: {} }), finds: fails({}) },
    { what: 'a list', given: executedWith({ value: [1] }), finds: fails({}) },
    {
      what: 'a listed function that does not exist',
      given: executedWith({ status: 404 }, 'assembled'),
      finds: fails({}),
    },
    { what: 'an example that is refused', given: executedWith({ status: 400 }), finds: fails({}) },
    {
      what: 'a generated input that is refused',
      given: executedWith({ status: 400 }, 'assembled'),
      finds: undecided({}),
    },
  ]),
  ...of('unknown-function-refused', [
    { what: '404', given: { exchange: answer({ status: 404 }) }, finds: passes },
    { what: '400', given: { exchange: answer({ status: 400 }) }, finds: fails({ received: 'status 400' }) },
    {
      what: '502, of a server that answers',
      given: { exchange: answer({ status: 502 }), item: { function: 'add' } },
      finds: fails({}),
    },
    {
      what: '502, of a server that cannot be reached',
      given: { exchange: answer({ status: 502 }), item: { id: 'a' } },
      finds: undecided({ fault: 'network' }),
    },
  ]),
];

const TYPED = (type: string) => [['content-type', type]] as const;
const ofDirectory = (parts: AnswerParts): Asked =>
  asked({ request: { url: `${DIRECTORY}/servers/x` }, ...parts });
const errors = (...given: readonly Asked[]): Given => ({ targetUrl: DIRECTORY, asked: given });

const examplesOfRefusals: readonly Example[] = [
  ...of('error-bodies-json', [
    { what: 'JSON', given: errors(ofDirectory({ status: 404, value: { error: 'no' } })), finds: passes },
    {
      what: 'problem details',
      given: errors(ofDirectory({ status: 400, headers: TYPED('application/problem+json; charset=utf-8') })),
      finds: passes,
    },
    {
      what: 'text',
      given: errors(ofDirectory({ status: 401, headers: TYPED('text/plain'), body: { text: 'no' } })),
      finds: fails({ received: 'Content-Type: text/plain' }),
    },
    {
      what: 'a JSON type without JSON',
      given: errors(ofDirectory({ status: 404, body: { text: 'no' } })),
      finds: fails({}),
    },
    {
      what: 'errors of other hosts',
      given: errors(
        asked({ status: 500, body: { text: '' }, request: { url: 'http://server.example/capabilities' } }),
        ofDirectory({ status: 404 }),
      ),
      finds: passes,
    },
    { what: 'no error answers', given: errors(ofDirectory({})), finds: undecided({}) },
  ]),
  ...of('rate-limited', [
    {
      what: 'seconds',
      given: { asked: [asked({}), asked({ status: 429, headers: [['retry-after', '7']] })] },
      finds: passes,
    },
    {
      what: 'a date',
      given: { asked: [asked({ status: 429, headers: [['retry-after', 'Sat, 31 Jan 2026 12:00:00 GMT']] })] },
      finds: passes,
    },
    {
      what: 'no Retry-After',
      given: { asked: [asked({ status: 429 })] },
      finds: fails({ received: 'no such header' }),
    },
    {
      what: 'words',
      given: { asked: [asked({ status: 429, headers: [['retry-after', 'soon']] })] },
      finds: fails({}),
    },
    {
      what: 'no 429',
      given: { asked: [asked({}), asked({})] },
      finds: undecided({ received: '2 answers with other statuses' }),
    },
  ]),
];

export const examplesOfDirectories: readonly Example[] = [
  ...examplesOfPages,
  ...examplesOfWalks,
  ...examplesOfFilters,
  ...examplesOfEntries,
  ...examplesOfRefusals,
];
