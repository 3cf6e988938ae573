import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RedirectListener {
  /** Where the authorization server sends the browser back to. */
  readonly url: string;
  /** What it was sent back with; rejects when the signal fires. */
  readonly redirected: (state: string, signal: AbortSignal) => Promise<URLSearchParams>;
  close(): void;
}

const PATH = '/callback';

/**
 * Listens on this machine only, for the one request with the expected state. Any other page may send the browser here too,
 * so that everything else is refused, and waiting goes on.
 */
export async function listenForRedirect(port: number): Promise<RedirectListener> {
  const host = '127.0.0.1';
  const waiting = new Map<string, (query: URLSearchParams) => void>();
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${host}`);
    const state = searchParams.get('state') ?? '';
    const arrived = request.method === 'GET' && pathname === PATH ? waiting.get(state) : undefined;
    waiting.delete(state);
    response.writeHead(arrived === undefined ? 404 : 200, {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
    });
    response.end(
      arrived === undefined
        ? 'Nobody waits for this.\n'
        : 'Done. Close this page and return to the terminal.\n',
    );
    arrived?.(searchParams);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${chosen}${PATH}`,
    redirected: (state, signal) =>
      new Promise((resolve, reject) => {
        waiting.set(state, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
