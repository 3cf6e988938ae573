import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a target of a fleet does. */
export type FleetBehaviour = 'right' | 'renamed' | 'failing' | 'wrong' | 'moved' | 'hanging' | 'limited';

export interface SeenRequests {
  /** Highest number of requests that began in any second. */
  readonly perSecond: number;
  readonly inFlight: number;
  readonly requests: number;
  /** When the last request began, by `performance.now`. */
  readonly lastAtMs: number;
}

/** Many targets in one server: an address of 127.0.0.0/8 for each. */
export interface Fleet {
  readonly port: number;
  endpointOf(address: string): string;
  seenBy(address: string): SeenRequests;
  readonly addresses: () => readonly string[];
  close(): Promise<void>;
}

interface Log {
  readonly begunAtMs: number[];
  inFlight: number;
  mostInFlight: number;
}

/** @param behaviourOf by the address that was called, and how many of its requests came before */
export async function startFleet(
  behaviourOf: (address: string, before: number) => FleetBehaviour,
  { answerAfterMs = 0 }: { readonly answerAfterMs?: number } = {},
): Promise<Fleet> {
  const logs = new Map<string, Log>();
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    const address = request.socket.localAddress?.replace(/^::ffff:/, '') ?? '';
    const log = logs.get(address) ?? { begunAtMs: [], inFlight: 0, mostInFlight: 0 };
    logs.set(address, log);
    const before = log.begunAtMs.push(performance.now()) - 1;
    log.inFlight += 1;
    log.mostInFlight = Math.max(log.mostInFlight, log.inFlight);
    response.once('close', () => {
      log.inFlight -= 1;
    });
    const send = (): void => answer(response, request.url ?? '', behaviourOf(address, before));
    if (answerAfterMs === 0) send();
    else setTimeout(send, answerAfterMs);
  });
  server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    endpointOf: (address) => `http://${address}:${port}`,
    addresses: () => [...logs.keys()],
    seenBy: (address) => {
      const { begunAtMs, mostInFlight } = logs.get(address) ?? { begunAtMs: [], mostInFlight: 0 };
      return {
        perSecond: mostWithinSecond(begunAtMs),
        inFlight: mostInFlight,
        requests: begunAtMs.length,
        lastAtMs: begunAtMs.at(-1) ?? 0,
      };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const RIGHT = { functions: [{ name: 'f', description: 'One', inputs: [], outputs: [] }] };
const RENAMED = { functions: [{ name: 'g', description: 'Another', inputs: [], outputs: [] }] };
const RETRY_AFTER_SECONDS = 3600;

/** A hanging target never answers. */
function answer(response: ServerResponse, path: string, behaviour: FleetBehaviour): void {
  if (behaviour === 'hanging') return;
  const [status, body, headers = {}] = answerOf(path, behaviour);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function answerOf(
  path: string,
  behaviour: Exclude<FleetBehaviour, 'hanging'>,
): readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>] {
  switch (behaviour) {
    case 'right':
      return path.endsWith('/capabilities')
        ? [200, RIGHT]
        : [200, { status: 'ok', uptime: 10, timestamp: new Date().toISOString() }];
    case 'renamed':
      return path.endsWith('/capabilities') ? [200, RENAMED] : answerOf(path, 'right');
    case 'failing':
      return [500, { error: 'it fails' }];
    case 'wrong':
      return [200, { status: 'broken' }];
    case 'moved':
      return [301, {}, { location: 'http://127.0.0.1:1/health' }];
    case 'limited':
      return [429, {}, { 'retry-after': String(RETRY_AFTER_SECONDS) }];
  }
}

/** Times of `performance.now`, in their order. */
export function mostWithinSecond(timesMs: readonly number[]): number {
  let most = 0;
  let first = 0;
  timesMs.forEach((atMs, index) => {
    while (atMs - (timesMs[first] ?? atMs) >= 1000) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}
