import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import type { LoadHooks, LoadPlan } from '../../src/latency/load-plan.ts';
import { runLoad } from '../../src/latency/run-load.ts';
import type { LoadResult, LoadTransport } from '../../src/model/load.ts';
import { createLeanTransport } from '../../src/probe/load/lean-transport.ts';

export interface LoadTarget {
  readonly url: string;
  readonly server: http.Server;
  /** Requests so far, by path. */
  readonly received: Map<string, number>;
}

const running: http.Server[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
});

/** A server for one test. `nth` counts the requests for a path from 1. */
export async function loadTarget(
  answer: (request: http.IncomingMessage, response: http.ServerResponse, nth: number) => void,
): Promise<LoadTarget> {
  const received = new Map<string, number>();
  const server = http.createServer((request, response) => {
    request.resume();
    const path = request.url ?? '';
    const nth = (received.get(path) ?? 0) + 1;
    received.set(path, nth);
    answer(request, response, nth);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  running.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, received };
}

export const TRANSPORT = { ca: null, publicOnly: false, timeoutMs: 5000 } as const;

/** By default, a hundred GET requests over two connections in a closed loop. */
export function loadOf(
  url: string,
  plan: Partial<LoadPlan> = {},
  hooks: Partial<LoadHooks> = {},
  transport: LoadTransport = createLeanTransport(TRANSPORT),
): Promise<LoadResult> {
  return runLoad(
    {
      requests: [{ method: 'GET', url: `${url}/`, headers: [], body: null, weight: 1 }],
      model: { kind: 'closed', connections: 2 },
      maxRequests: 100,
      durationMs: null,
      warmUpMs: 0,
      requestTimeoutMs: 5000,
      seed: 1,
      stopOnStatuses: [],
      maxWaiting: null,
      ...plan,
    },
    transport,
    { signal: new AbortController().signal, cores: 2, threadTime: () => null, ...hooks },
  );
}
