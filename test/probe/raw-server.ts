import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The bytes received on one connection. */
export interface Connection {
  readonly socket: Socket;
  received(): Buffer;
  /** Resolves once the head of the request and this many bytes of its body have arrived. */
  whenReceived(bodyBytes: number): Promise<void>;
  /** Resolves when the client has disconnected. */
  readonly gone: Promise<void>;
}

export interface RawServer {
  readonly port: number;
  readonly url: string;
  readonly connections: readonly Connection[];
  readonly close: () => Promise<void>;
}

/** Accepts connections; the caller writes all answers. */
export async function listen(onConnection: (connection: Connection) => void): Promise<RawServer> {
  const connections: Connection[] = [];
  const server = createServer((socket) => {
    const connection = connectionOf(socket);
    connections.push(connection);
    onConnection(connection);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const { socket } of connections) socket.destroy();
      await closed;
    },
  };
}

function connectionOf(socket: Socket): Connection {
  const chunks: Buffer[] = [];
  const waiting = new Set<() => void>();
  const received = (): Buffer => Buffer.concat(chunks);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    for (const check of waiting) check();
  });
  return {
    socket,
    received,
    whenReceived: (bodyBytes) =>
      new Promise((resolve) => {
        const check = (): void => {
          const { head, body } = splitRequest(received());
          if (head === null || body.length < bodyBytes) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    gone: new Promise((resolve) => socket.once('close', () => resolve())),
  };
}

/** The head of a request without its empty line, and the rest. */
export function splitRequest(bytes: Buffer): { readonly head: string | null; readonly body: Buffer } {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return { head: null, body: Buffer.alloc(0) };
  return { head: bytes.subarray(0, end).toString('latin1'), body: bytes.subarray(end + 4) };
}

/** Answers every connection after its request head with these bytes, and then closes it. */
export function listenAndAnswer(...parts: readonly (string | Buffer)[]): Promise<RawServer> {
  return listen(async ({ socket, whenReceived }) => {
    await whenReceived(0);
    socket.end(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
  });
}

export function head(status: number, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Some Reason\r\n${lines.join('')}\r\n`;
}
