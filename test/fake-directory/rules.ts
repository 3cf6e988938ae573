import type { DoubleRecord } from './records.ts';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly body: unknown;
  /** The number of the search, from 1. */
  readonly searches: number;
}

export interface FakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Page {
  readonly servers: readonly unknown[];
  readonly pagination: Readonly<Record<string, unknown>>;
}

/** The parsed query of a search. */
export interface Wanted {
  readonly limit: number;
  readonly offset: number;
}

export type Operation = 'search' | 'details' | 'test' | 'execute';

/** Every decision of the fake directory, so that tests can change each one. */
export interface Rules {
  readonly basePath: string;
  readonly isKey: (authorization: string | undefined, operation: Operation) => boolean;
  /** What is wrong with a query, or null. */
  readonly problemOf: (query: URLSearchParams) => string | null;
  readonly wantedOf: (query: URLSearchParams) => Wanted;
  /** Filters by the name of their parameter; a record is shown if it matches all of them. */
  readonly filters: Readonly<Record<string, (record: DoubleRecord, query: URLSearchParams) => boolean>>;
  readonly matches: (
    records: readonly DoubleRecord[],
    query: URLSearchParams,
    filters: Rules['filters'],
  ) => readonly DoubleRecord[];
  readonly pageOf: (found: readonly DoubleRecord[], wanted: Wanted, all: readonly DoubleRecord[]) => Page;
  readonly show: (record: DoubleRecord) => unknown;
  readonly details: (record: DoubleRecord) => unknown;
  readonly statuses: Readonly<
    Record<'unknownDetails' | 'unknownTest' | 'unknownExecute' | 'unknownFunction' | 'noKey', number>
  >;
  readonly testOf: (results: Readonly<Record<string, unknown>>) => FakeAnswer;
  readonly outputOf: (output: unknown) => FakeAnswer;
  readonly errorOf: (status: number, message: string) => FakeAnswer;
  readonly limiter: Limiter | null;
}

/** This many requests are answered, in each window if there is one. */
export interface Limiter {
  readonly requests: number;
  readonly windowMs?: number;
  readonly headers: Readonly<Record<string, string>>;
}

export const KEY = 'fake-key-4f9a1c';

export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): FakeAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

const NUMBERS = ['minUptime', 'maxResponseTime', 'limit', 'offset'];
export const MAX_LIMIT = 100;

export const conformingRules: Rules = {
  basePath: '/v1',
  isKey: (authorization) => authorization === `Bearer ${KEY}`,
  problemOf: (query) => {
    for (const name of NUMBERS) {
      const text = query.get(name);
      if (text !== null && !/^-?\d+(\.\d+)?$/.test(text)) return `${name} is no number`;
      if (text !== null && Number(text) < 0) return `${name} is below 0`;
    }
    if (Number(query.get('minUptime') ?? 0) > 100) return 'minUptime is above 100';
    if (Number(query.get('limit') ?? 1) > MAX_LIMIT) return 'limit is above 100';
    const transport = query.get('transport');
    return transport !== null && !['http', 'websocket'].includes(transport)
      ? 'there is no such transport'
      : null;
  },
  wantedOf: (query) => ({
    limit: Math.min(MAX_LIMIT, Number(query.get('limit') ?? 20)),
    offset: Number(query.get('offset') ?? 0),
  }),
  filters: {
    q: (record, query) => {
      const text = [record.name, record.description, ...record.tags].join('\n').toLowerCase();
      return text.includes((query.get('q') ?? '').toLowerCase());
    },
    category: (record, query) => record.category === query.get('category'),
    tags: (record, query) => tagsIn(query).every((tag) => record.tags.includes(tag)),
    transport: (record, query) => record.transport.includes(query.get('transport') ?? ''),
    minUptime: (record, query) => record.uptime >= Number(query.get('minUptime')),
    maxResponseTime: (record, query) => record.responseTime <= Number(query.get('maxResponseTime')),
    audited: (record, query) => query.get('audited') !== 'true' || record.audited,
    openSource: (record, query) => query.get('openSource') !== 'true' || record.openSource,
  },
  matches: (records, query, filters) => {
    const own = Object.entries(filters).filter(([name]) => query.has(name));
    return records.filter((record) => own.every(([, keeps]) => keeps(record, query)));
  },
  pageOf: (found, { limit, offset }) => {
    const servers = found.slice(offset, offset + limit);
    const hasNext = offset + servers.length < found.length;
    return { servers, pagination: { total: found.length, limit, offset, hasNext } };
  },
  show: (record) => record,
  details: (record) => ({ ...record, status: 'online', functions: [] }),
  statuses: {
    noKey: 401,
    unknownDetails: 404,
    unknownTest: 404,
    unknownExecute: 404,
    unknownFunction: 404,
  },
  testOf: (results) => json(200, results),
  outputOf: (output) => json(200, { output }),
  errorOf: (status, message) => json(status, { error: { code: `E${status}`, message } }),
  limiter: null,
};

export function tagsIn(query: URLSearchParams): readonly string[] {
  return query.getAll('tags').flatMap((text) => text.split(','));
}
