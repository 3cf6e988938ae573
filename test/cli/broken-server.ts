import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReference } from '../../src/reference/contract.ts';

export interface BrokenServer {
  readonly url: string;
  readonly close: () => void;
  /** The number of received requests. */
  readonly requests: () => number;
  /** Breaks it in this way from now on; null repairs it. */
  readonly breakSo: (breakage: Breakage | null) => void;
}

/** The body that replaces the reference server’s. */
export type Breakage = (path: string, body: string) => string;

/** A reference server of form B that can be broken and repaired while it runs. */
export async function startBrokenServer(first: Breakage | null = null): Promise<BrokenServer> {
  const reference = createReference({ form: 'B' });
  let breakage = first;
  let requests = 0;
  const server = http.createServer(async (incoming, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      // A client that ends in the middle of a body gets no answer.
      return;
    }
    const path = (incoming.url ?? '').split('?', 1)[0] ?? '';
    const { status, headers, body } = await reference.answer({
      method: incoming.method ?? '',
      path,
      contentType: incoming.headers['content-type'],
      body: Buffer.concat(chunks),
    });
    const text = Buffer.from(body).toString('utf8');
    response.writeHead(status, headers).end(breakage === null ? text : breakage(path, text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
    requests: () => requests,
    breakSo: (next) => {
      breakage = next;
    },
  };
}

/** Breaks one MUST row: health/status-string. */
export const statusIsNumber: Breakage = (path, body) =>
  path === '/health' ? JSON.stringify({ ...(JSON.parse(body) as object), status: 200 }) : body;

export const statusIsNull: Breakage = (path, body) =>
  path === '/health' ? JSON.stringify({ ...(JSON.parse(body) as object), status: null }) : body;

/** Breaks one SHOULD row: health/timestamp-zone. */
export const timestampWithoutZone: Breakage = (path, body) =>
  path === '/health' ? body.replace(/("timestamp":"[^"]*)Z"/, '$1"') : body;
