import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenCall {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A target whose answers a test defines. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** Requests to /execute. */
  readonly calls: readonly SeenCall[];
  capabilityReads(): number;
  connections(): number;
  close(): Promise<void>;
}

export interface Behaviour {
  readonly capabilities?: (read: number, response: ServerResponse) => void;
  readonly execute: (call: SeenCall, response: ServerResponse) => void;
}

export const FORM_A = { functions: [{ name: 'f', description: 'One function', inputs: [], outputs: [] }] };
export const FORM_B = {
  mcpVersion: '1.0',
  functions: [{ name: 'f', description: 'One', parameters: { type: 'object' }, returns: { type: 'object' } }],
};

export function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export async function startTarget({ capabilities, execute }: Behaviour): Promise<Target> {
  const calls: SeenCall[] = [];
  let reads = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/capabilities') {
        reads += 1;
        if (capabilities === undefined) answer(response, 200, FORM_A);
        else capabilities(reads, response);
        return;
      }
      const call = { headers: request.headers, text: Buffer.concat(chunks).toString('utf8') };
      calls.push(call);
      execute(call, response);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls,
    capabilityReads: () => reads,
    connections: () => connections,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
