import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const OFFICIAL = 'io.modelcontextprotocol.registry/official';

export interface FakeServer {
  readonly name: string;
  readonly version?: string;
  readonly status?: string;
  readonly isLatest?: boolean;
  readonly updatedAt?: string;
  /** Members of the `server.json`. */
  readonly more?: object;
}

/** An answer about a server, as a registry sends it. */
export function answerFor({
  name,
  version = '1.0.0',
  status = 'active',
  isLatest = true,
  ...rest
}: FakeServer) {
  const { updatedAt = '2026-01-01T00:00:00Z', more = {} } = rest;
  return {
    server: { name, description: `The server ${name}`.slice(0, 100), version, ...more },
    _meta: { [OFFICIAL]: { status, publishedAt: '2026-01-01T00:00:00Z', updatedAt, isLatest } },
  };
}

export function remoteAt(url: string, more: object = {}) {
  return { remotes: [{ type: 'streamable-http', url }], ...more };
}

export const PACKAGE = {
  packages: [{ registryType: 'npm', identifier: 'a-server', version: '1.0.0', transport: { type: 'stdio' } }],
};

type Respond = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export interface FakeRegistry {
  readonly url: string;
  /** The queries of the lists that were requested. */
  readonly queries: URLSearchParams[];
  /** Another answer than the list. */
  respond: Respond | null;
  servers: readonly FakeServer[];
  /** Servers on a page, unless the client wants fewer. */
  pageSize: number;
  stop(): Promise<void>;
}

/** A registry on a free port, whose cursors are positions in its list. */
export async function startRegistry(servers: readonly FakeServer[] = []): Promise<FakeRegistry> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://registry');
    registry.queries.push(url.searchParams);
    if (registry.respond !== null) return registry.respond(request, response, url);
    const since = url.searchParams.get('updated_since');
    const found = registry.servers.filter(
      ({ updatedAt = '2026-01-01T00:00:00Z' }) =>
        since === null || Date.parse(updatedAt) >= Date.parse(since),
    );
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const to = from + Math.min(registry.pageSize, Number(url.searchParams.get('limit')));
    const metadata = to < found.length ? { nextCursor: String(to) } : {};
    sendJson(response, { servers: found.slice(from, to).map(answerFor), metadata });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const registry: FakeRegistry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queries: [],
    respond: null,
    servers,
    pageSize: 100,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return registry;
}

export function sendJson(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}
