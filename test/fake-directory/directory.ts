import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createReference } from '../../src/reference/contract.ts';
import { type DoubleRecord, makeRecords } from './records.ts';
import { conformingRules, type FakeAnswer, type FakeRequest, type Operation, type Rules } from './rules.ts';

export interface RunningDirectory {
  /** The base address of the platform API. */
  readonly url: string;
  readonly records: DoubleRecord[];
  /** Headers of the requests that the listed servers received from others than the directory. */
  readonly askedOfServers: IncomingHttpHeaders[];
  readonly close: () => Promise<void>;
}

/** Replaces the answers of the directory; to keep one, it returns the result of `conform`. */
export type Wrap = (request: FakeRequest, conform: () => Promise<FakeAnswer>) => Promise<FakeAnswer>;

export interface DoubleOptions {
  readonly rules?: Partial<Rules>;
  readonly records?: number;
  readonly wrap?: Wrap;
  /** The form of the listed servers. */
  readonly form?: 'A' | 'B';
  /** Changes the records before the first request. */
  readonly change?: (records: DoubleRecord[]) => void;
  /** Changes them with every search. */
  readonly onSearch?: (records: DoubleRecord[], searches: number) => void;
}

const RECORDS = 30;

/** A small directory in memory, in front of a reference server that executes the calls. */
export async function startDirectory(options: DoubleOptions = {}): Promise<RunningDirectory> {
  const { form = 'A' } = options;
  const rules: Rules = { ...conformingRules, ...options.rules };
  const reference = createReference({ form });
  const askedOfServers: IncomingHttpHeaders[] = [];
  const listed = await listen(async (incoming, body) => {
    if (incoming.headers['user-agent']?.startsWith('probity/')) askedOfServers.push(incoming.headers);
    const {
      status,
      headers,
      body: text,
    } = await reference.answer({
      method: incoming.method ?? '',
      path: pathOf(incoming),
      contentType: incoming.headers['content-type'],
      body,
    });
    return { status, headers, body: text };
  });
  const records = [...makeRecords(options.records ?? RECORDS, [listed.url])];
  options.change?.(records);
  let searches = 0;
  let requests = 0;
  let windowStartMs = performance.now();
  const gateway = createGateway(rules, records, listed.url, form);

  const directory = await listen(async (incoming, bytes) => {
    const url = new URL(incoming.url ?? '/', 'http://directory');
    requests += 1;
    if (url.pathname.endsWith('/search')) {
      searches += 1;
      options.onSearch?.(records, searches);
    }
    const { limiter } = rules;
    if (limiter?.windowMs !== undefined && performance.now() - windowStartMs > limiter.windowMs) {
      windowStartMs = performance.now();
      requests = 1;
    }
    if (limiter !== null && requests > limiter.requests) {
      const refused = rules.errorOf(429, 'too many requests');
      return { ...refused, headers: { ...refused.headers, ...limiter.headers } };
    }
    const request: FakeRequest = {
      method: incoming.method ?? '',
      path: url.pathname.startsWith(rules.basePath) ? url.pathname.slice(rules.basePath.length) : '',
      query: url.searchParams,
      authorization: incoming.headers.authorization,
      body: parsed(bytes),
      searches,
    };
    const conform = (): Promise<FakeAnswer> => gateway(request);
    return options.wrap === undefined ? conform() : options.wrap(request, conform);
  });
  return {
    url: `${directory.url}${rules.basePath}`,
    records,
    askedOfServers,
    close: async () => void (await Promise.all([directory.close(), listed.close()])),
  };
}

const ROUTE = /^\/servers\/(?<id>[^/]+)(?:\/(?<action>test|execute))?$/;

function createGateway(
  rules: Rules,
  records: readonly DoubleRecord[],
  serverUrl: string,
  form: 'A' | 'B',
): (request: FakeRequest) => Promise<FakeAnswer> {
  const execute = async (name: unknown, input: unknown): Promise<Response> =>
    fetch(`${serverUrl}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ function: name, [form === 'A' ? 'input' : 'parameters']: input }),
    });

  const search = ({ query }: FakeRequest): FakeAnswer => {
    const problem = rules.problemOf(query);
    if (problem !== null) return rules.errorOf(400, problem);
    const page = rules.pageOf(rules.matches(records, query, rules.filters), rules.wantedOf(query), records);
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...page, servers: shown(page.servers) }),
    };
  };

  /** A mutant may return something other than a list. */
  function shown(servers: unknown): unknown {
    return Array.isArray(servers) ? servers.map((one) => rules.show(one as DoubleRecord)) : servers;
  }

  const test = async (record: DoubleRecord): Promise<FakeAnswer> => {
    const started = performance.now();
    const health = await fetch(`${record.endpoint}/health`);
    const sample: unknown = await health.json();
    const responseTimeMs = performance.now() - started;
    return rules.testOf({
      responseTimes: [{ operation: 'health', ms: responseTimeMs }],
      errors: [],
      samples: [sample],
    });
  };

  const call = async (body: unknown): Promise<FakeAnswer> => {
    const { function: name, input = {} } = (body ?? {}) as { function?: unknown; input?: unknown };
    const answer = await execute(name, input);
    const value = (await answer.json()) as { output?: unknown; result?: unknown; error?: { code?: string } };
    if (value.error?.code === 'FUNCTION_NOT_FOUND')
      return rules.errorOf(rules.statuses.unknownFunction, 'there is no such function');
    if (!answer.ok) return rules.errorOf(answer.status, 'the function failed');
    return rules.outputOf(value.output ?? value.result);
  };

  return async (request) => {
    const { id = '', action } = ROUTE.exec(request.path)?.groups ?? {};
    const operation: Operation = id === 'search' ? 'search' : ((action ?? 'details') as Operation);
    if (!rules.isKey(request.authorization, operation))
      return rules.errorOf(rules.statuses.noKey, 'the key is missing or not known');
    if (id === '') return rules.errorOf(404, 'there is nothing at this path');
    if (operation === 'search') return search(request);
    const record = records.find((one) => one.id === decodeURIComponent(id));
    const { unknownDetails, unknownTest, unknownExecute } = rules.statuses;
    if (operation === 'details')
      return record === undefined
        ? rules.errorOf(unknownDetails, 'there is no such server')
        : jsonOf(rules.details(record));
    if (record === undefined)
      return rules.errorOf(operation === 'test' ? unknownTest : unknownExecute, 'there is no such server');
    return operation === 'test' ? test(record) : call(request.body);
  };
}

function jsonOf(value: unknown): FakeAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function listen(
  answer: (incoming: IncomingMessage, body: Buffer) => Promise<FakeAnswer>,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      answer(incoming, Buffer.concat(chunks)).then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        // Otherwise a rule that throws would look like a missing answer.
        (error: unknown) => response.writeHead(599).end(String(error)),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The fake directory has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
