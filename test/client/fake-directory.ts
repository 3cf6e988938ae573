import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDirectoryClient, type DirectoryClient } from '../../src/client/directory-client.ts';
import { DirectoryError } from '../../src/client/directory-error.ts';
import type { ClientClock, DirectoryClientOptions } from '../../src/client/options.ts';
import type { ServerRecord } from '../../src/model/saved/server-record.ts';

export const KEY = 'prb_test_2f9c41d7a8';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface FakeDirectory {
  readonly baseUrl: string;
  readonly seen: readonly Seen[];
  readonly close: () => Promise<void>;
}

/** The answer to the n-th request, from 0. */
type Answer = (request: Seen, response: ServerResponse, index: number) => void;

/** A directory whose answers the test defines. */
export async function startFake(answer: Answer): Promise<FakeDirectory> {
  const seen: Seen[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      seen.push(one);
      answer(one, response, seen.length - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function json(
  response: ServerResponse,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** A clock whose waits end at once and are recorded. */
export function fakeClock(): ClientClock & { readonly waits: number[]; pass(durationMs: number): void } {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const waits: number[] = [];
  return {
    waits,
    pass: (durationMs) => {
      nowMs += durationMs;
    },
    nowMs: () => nowMs,
    random: () => 0.5,
    sleep: async (durationMs) => {
      waits.push(durationMs);
      nowMs += durationMs;
    },
  };
}

export function clientOf(
  { baseUrl }: Pick<FakeDirectory, 'baseUrl'>,
  options: Partial<DirectoryClientOptions> = {},
  clock: ClientClock = fakeClock(),
): DirectoryClient {
  return createDirectoryClient({ baseUrl, apiKey: KEY, ...options }, clock);
}

export function record(id: string, more: Partial<ServerRecord> = {}): ServerRecord {
  return {
    id,
    name: `Server ${id}`,
    description: 'A server',
    category: 'science',
    tags: ['a', 'b'],
    transport: ['http'],
    uptime: 99.5,
    responseTime: 12,
    lastUpdated: '2026-01-01T00:00:00.000Z',
    audited: true,
    openSource: false,
    endpoint: 'https://server.example',
    ...more,
  };
}

export function page(ids: readonly string[], { offset = 0, total = ids.length, hasNext = false } = {}) {
  return { servers: ids.map((id) => record(id)), pagination: { total, limit: 100, offset, hasNext } };
}

/** The error of a call that must fail; it never contains the key. */
export async function failureOf(call: Promise<unknown>): Promise<DirectoryError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DirectoryError)) throw new Error(`no DirectoryError, but ${String(error)}`);
  const reported = JSON.stringify([
    error.message,
    error.detail,
    error.requestId,
    error.stack,
    String(error.cause),
  ]);
  if (reported.includes(KEY)) throw new Error('the error holds the key');
  return error;
}
