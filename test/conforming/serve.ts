import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createReference } from '../../src/reference/contract.ts';
import type { EndpointAnswer, EndpointRequest, WireForm } from '../../src/reference/endpoints.ts';

/** A complete request. */
export interface ArrivedRequest extends EndpointRequest {
  readonly headers: IncomingHttpHeaders;
}

export type Answering = (request: ArrivedRequest) => Promise<EndpointAnswer>;
/** Receives a request before its body is read, and handles it if it returns true. */
export type Looking = (incoming: IncomingMessage, response: ServerResponse) => boolean;
/** Writes an answer to the connection, possibly in an unusual way. */
export type Writing = (
  response: ServerResponse,
  answer: EndpointAnswer,
  request: ArrivedRequest,
) => void | Promise<void>;

export interface ServedTarget {
  readonly url: string;
  /** Every request so far, in the order in which they arrived. */
  readonly arrived: readonly ArrivedRequest[];
  readonly close: () => Promise<void>;
}

export interface ServeOptions {
  readonly beforeBody?: Looking;
  readonly write?: Writing;
  readonly host?: string;
  /** The path of the contract, such as /mcp. */
  readonly basePath?: string;
  /** Makes the server, if it is not a plain HTTP server. */
  readonly serverFor?: (answer: RequestListener) => Server;
  readonly scheme?: 'http' | 'https';
}

/** Serves answers over node:http on a free port. */
export async function serve(answer: Answering, options: ServeOptions = {}): Promise<ServedTarget> {
  const {
    beforeBody = () => false,
    write = writePlainly,
    host = '127.0.0.1',
    basePath = '',
    scheme = 'http',
  } = options;
  const arrived: ArrivedRequest[] = [];
  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (beforeBody(message, response)) return;
    const request = await arrive(message, basePath);
    arrived.push(request);
    await write(response, await answer(request), request);
  };
  const serverFor = options.serverFor ?? createServer;
  const server = serverFor((message, response) => {
    // A client that aborts a request must not end the test run.
    handle(message, response).catch(() => response.destroy());
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${basePath}`,
    arrived,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function arrive(message: IncomingMessage, basePath: string): Promise<ArrivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const [path = ''] = (message.url ?? '').split('?', 1);
  return {
    method: message.method ?? '',
    path: path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : '',
    contentType: message.headers['content-type'],
    headers: message.headers,
    body: Buffer.concat(chunks),
  };
}

export const writePlainly: Writing = (response, { status, headers, body }) => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
};

/** The reference contract, with each of its answers changed. */
export function referenceWith(
  form: WireForm,
  change: (answer: EndpointAnswer, request: ArrivedRequest) => EndpointAnswer | Promise<EndpointAnswer>,
): Answering {
  const reference = createReference({ form });
  return async (request) => change(await reference.answer(request), request);
}

export type Members = Record<string, unknown>;

/** The reference contract, with the JSON of each of its answers changed. */
export function referenceWithJson(
  form: WireForm,
  change: (value: Members, request: ArrivedRequest) => Members,
): Answering {
  return referenceWith(form, (answer, request) => {
    const value = JSON.parse(answer.body) as Members;
    return { ...answer, body: JSON.stringify(change(value, request)) };
  });
}

export function jsonAnswer(status: number, value: unknown): EndpointAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
