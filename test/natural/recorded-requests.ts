import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningServer } from './natural-server.ts';

export interface RecordedServer extends RunningServer {
  /** Method, path and body of each request, in alphabetical order: calls that are made at once have no other one. */
  readonly requests: () => readonly string[];
}

/** Stands before a server, records what it is sent, and passes it on after a delay. */
export async function recordRequests(target: RunningServer, delayMs: number): Promise<RecordedServer> {
  const requests: string[] = [];
  const { hostname, port } = new URL(target.url);
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // How much arrived before the client went away is a matter of time.
      requests.push(`${method} ${path} …`);
      return;
    }
    const body = Buffer.concat(chunks);
    requests.push(`${method} ${path} ${body.toString()}`);
    await delay(delayMs);
    const passedOn = forward({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    passedOn.once('error', () => response.destroy());
    passedOn.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests.toSorted(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await target.close();
    },
  };
}
