import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createReference, type Reference } from '../../src/reference/contract.ts';
import type { EndpointRequest } from '../../src/reference/endpoints.ts';
import type { Answer, Behaviour, Endpoint, Visit } from './behaviour.ts';
import { bytesOf } from './wire.ts';

export interface MalformedServer {
  readonly url: string;
  /** Connections to the server that the client must never call. */
  readonly strayConnections: () => number;
  readonly close: () => Promise<void>;
}

type Shown = Pick<Behaviour, 'play' | 'on' | 'serves'>;

/**
 * Serves the reference contract over raw sockets, and closes the connection after each answer. The behaviour, if any,
 * replaces one endpoint.
 */
export async function startMalformedServer(
  behaviour?: Shown,
  endpoint: Endpoint = 'health',
): Promise<MalformedServer> {
  const reference = createReference({ form: 'B' });
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  let strays = 0;
  const decoy = createServer((socket) => {
    strays += 1;
    keep(socket);
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
  });
  const decoyUrl = await listening(decoy);

  let capabilitiesServed = false;
  const onRequest = async (socket: Socket, request: EndpointRequest): Promise<void> => {
    const answer = await conform(reference, request, behaviour?.serves ?? {});
    const bytes = bytesOf(answer);
    if (request.path === '/capabilities') capabilitiesServed = true;
    if (behaviour === undefined || behaviour.on === 'accepted' || request.path !== `/${endpoint}`)
      return void socket.end(bytes);
    const requestUrl = `${url}${request.path}`;
    await behaviour.play({ socket, endpoint, answer, bytes, decoyUrl, requestUrl });
  };
  const server = createServer((socket) => {
    keep(socket);
    // The functions must be read before a call of them can be misplayed.
    const playing = behaviour?.on === 'accepted' && (endpoint !== 'execute' || capabilitiesServed);
    if (!playing) return readRequest(socket, (request) => void onRequest(socket, request));
    const visit: Visit = {
      socket,
      endpoint,
      answer: { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from('{}') },
      bytes: Buffer.alloc(0),
      decoyUrl,
      requestUrl: `${url}/${endpoint}`,
    };
    void behaviour.play(visit);
  });
  const url = await listening(server);

  return {
    url,
    strayConnections: () => strays,
    close: async () => {
      const closed = [server, decoy].map((one) => once(one, 'close'));
      for (const one of [server, decoy]) one.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Calls `onRequest` when the head and the announced body have arrived. */
function readRequest(socket: Socket, onRequest: (request: EndpointRequest) => void): void {
  const received: Buffer[] = [];
  let done = false;
  socket.on('data', (part) => {
    if (done) return;
    received.push(part);
    const bytes = Buffer.concat(received);
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = bytes.subarray(0, end).toString('latin1');
    const body = bytes.subarray(end + 4);
    if (body.length < Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)) return;
    done = true;
    const [, method = '', target = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
    const contentType = /^content-type: *(.*)$/im.exec(head)?.[1]?.trim();
    onRequest({ method, path: target.split('?', 1)[0] ?? '', contentType, body });
  });
}

async function conform(
  reference: Reference,
  request: EndpointRequest,
  serves: NonNullable<Behaviour['serves']>,
): Promise<Answer> {
  const { status, headers, body } = await reference.answer({
    ...request,
    body: renamed(request.body, serves),
  });
  return { status, headers: Object.entries(headers), body: Buffer.from(body) };
}

/** Renames the function of a call to the name that the reference server knows. */
function renamed(body: Uint8Array, serves: NonNullable<Behaviour['serves']>): Uint8Array {
  if (Object.keys(serves).length === 0 || body.length === 0) return body;
  const call = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly function?: unknown };
  const name =
    typeof call.function === 'string' && Object.hasOwn(serves, call.function) ? call.function : null;
  return name === null ? body : Buffer.from(JSON.stringify({ ...call, function: serves[name] }));
}
