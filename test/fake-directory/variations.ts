import type { CheckOptions } from '../../src/check/check-options.ts';
import type { DoubleOptions } from './directory.ts';
import { recordOf } from './records.ts';
import { conformingRules, json, MAX_LIMIT, tagsIn } from './rules.ts';

export interface Variation {
  readonly name: string;
  readonly options: DoubleOptions;
  readonly run?: CheckOptions;
}

const { problemOf, filters, pageOf, wantedOf } = conformingRules;

/** Variations that the specification allows. */
export const variations: readonly Variation[] = [
  { name: 'as it is', options: {} },
  {
    name: 'a limit above the maximum is reduced instead of refused',
    options: {
      rules: { problemOf: (query) => (Number(query.get('limit')) > MAX_LIMIT ? null : problemOf(query)) },
    },
  },
  {
    name: 'pages have up to 10 records, which is also the default',
    options: {
      rules: {
        wantedOf: (query) => ({ ...wantedOf(query), limit: Math.min(10, Number(query.get('limit') ?? 10)) }),
      },
    },
  },
  {
    name: 'a record must have any of several tags, not all',
    options: {
      rules: {
        filters: { ...filters, tags: ({ tags }, query) => tagsIn(query).some((tag) => tags.includes(tag)) },
      },
    },
  },
  {
    name: 'several tags need brackets',
    options: {
      rules: {
        filters: {
          ...filters,
          tags: ({ tags }, query) => tags.includes(query.getAll('tags').at(-1) ?? ''),
          'tags[]': ({ tags }, query) => query.getAll('tags[]').every((tag) => tags.includes(tag)),
        },
      },
    },
  },
  {
    name: 'several tags are joined by commas, and refused if repeated',
    options: {
      rules: {
        problemOf: (query) => (query.getAll('tags').length > 1 ? 'tags stands twice' : problemOf(query)),
      },
    },
  },
  {
    name: 'errors are a plain JSON string',
    options: { rules: { errorOf: (status, message) => json(status, { error: message }) } },
  },
  {
    name: 'errors are problem details',
    options: {
      rules: {
        errorOf: (status, title) => json(status, { title }, { 'content-type': 'application/problem+json' }),
      },
    },
  },
  {
    name: 'an offset behind the last record is refused',
    options: {
      rules: {
        pageOf: (found, wanted, all) => {
          if (wanted.offset > all.length) throw new Error('never asked for');
          return pageOf(found, wanted, all);
        },
        problemOf: (query) =>
          Number(query.get('offset')) > 500 ? 'there is no such page' : problemOf(query),
      },
    },
  },
  { name: '5,000 records', options: { records: 5000 } },
  {
    name: '5,000 records in pages of 10',
    options: {
      records: 5000,
      rules: {
        wantedOf: (query) => ({ ...wantedOf(query), limit: Math.min(10, Number(query.get('limit') ?? 10)) }),
      },
    },
  },
  {
    name: 'records and pages have further fields',
    options: {
      rules: {
        show: (record) => ({ ...record, stars: 4, owner: { name: 'somebody' } }),
        pageOf: (found, wanted, all) => {
          const { servers, pagination } = pageOf(found, wanted, all);
          return { servers, pagination: { ...pagination, page: 1 }, took: 3 } as never;
        },
      },
    },
  },
  {
    name: 'listed servers use form B, and their answers are passed on unchanged',
    options: {
      form: 'B',
      rules: { outputOf: (result) => json(200, { requestId: 'r1', result, executionTime: 3 }) },
    },
  },
  {
    name: 'details are under a separate key',
    options: { rules: { details: (server) => ({ server }) } },
  },
  { name: 'details are the search record again', options: { rules: { details: (record) => record } } },
  {
    name: 'details have only the id and a status',
    options: { rules: { details: ({ id }) => ({ id, status: { state: 'online', since: 3 } }) } },
  },
  {
    name: 'details show the functions',
    options: {
      rules: {
        details: (record) => ({
          ...record,
          functions: [
            {
              name: 'add',
              description: 'Adds.',
              inputs: ['a', 'b'],
              outputs: ['sum'],
              examples: [{ input: { a: 1, b: 2 } }],
            },
          ],
        }),
      },
    },
  },
  {
    name: 'tags and transports have another order in the details, and figures have changed',
    options: {
      rules: {
        details: (record) => ({
          ...record,
          tags: record.tags.toReversed(),
          transport: record.transport.toReversed(),
          uptime: record.uptime - 0.1,
          responseTime: record.responseTime + 7,
          lastUpdated: '2026-03-01T00:00:00.000Z',
        }),
      },
    },
  },
  {
    name: 'a record is added while the pages are read',
    options: {
      onSearch: (records, searches) => {
        if (searches === 4) records.unshift(recordOf(900, [records[0]?.endpoint ?? '']));
      },
    },
  },
  {
    name: 'a record is removed while the pages are read',
    options: {
      onSearch: (records, searches) => {
        if (searches === 4) records.splice(1, 1);
      },
    },
  },
  {
    name: 'uptime and response time change continuously',
    options: {
      onSearch: (records, searches) => {
        for (const [index, record] of records.entries()) {
          const moved = ((searches + index) % 3) / 20;
          const uptime = record.uptime > 95 ? 99.2 + moved : 91.5 + moved;
          records[index] = {
            ...record,
            uptime,
            responseTime: record.responseTime + (searches % 2 === 0 ? 0.4 : -0.4),
          };
        }
      },
    },
  },
  {
    name: 'q matches the start of words, only in names',
    options: {
      rules: {
        filters: {
          ...filters,
          q: ({ name }, query) =>
            name
              .toLowerCase()
              .split(' ')
              .some((word) => word.startsWith((query.get('q') ?? '').slice(0, 5))),
        },
      },
    },
  },
  {
    name: 'figures are shown without their fractions',
    options: {
      rules: {
        show: (record) => ({
          ...record,
          uptime: Math.floor(record.uptime * 10) / 10,
          responseTime: Math.round(record.responseTime),
        }),
      },
    },
  },
  {
    name: 'no record is audited',
    options: {
      change: (records) =>
        records.splice(0, records.length, ...records.map((one) => ({ ...one, audited: false }))),
    },
  },
  {
    name: 'all records have one category and only http',
    options: {
      change: (records) =>
        records.splice(
          0,
          records.length,
          ...records.map((one) => ({ ...one, category: 'tools', transport: ['http'] })),
        ),
    },
  },
  {
    name: 'ids need encoding in a path',
    options: {
      change: (records) =>
        records.splice(0, records.length, ...records.map((one) => ({ ...one, id: `acme/${one.id} ü` }))),
    },
  },
  {
    name: 'an entry that the user named',
    options: {},
    run: { directory: { entry: 'srv-0017' } },
  },
  {
    name: 'a rate limit that requires waiting',
    options: { rules: { limiter: { requests: 25, windowMs: 1000, headers: { 'retry-after': '1' } } } },
  },
  {
    name: 'a rate limit that is tested',
    options: { rules: { limiter: { requests: 300, headers: { 'retry-after': '7' } } } },
    run: { directory: { tryRateLimit: true } },
  },
];
