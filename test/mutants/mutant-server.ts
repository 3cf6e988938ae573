import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { isJsonObject } from '../../src/json/json.ts';
import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import type { ReferenceFunction } from '../../src/reference/define-function.ts';
import { referenceFunctions } from '../../src/reference/functions.ts';
import { realTime, type ServerTime } from '../latency/test-time.ts';
import type { Conform, Mutant, MutantCall, MutantRequest, MutantServer, Operation } from './mutant.ts';

export interface RunningMutant {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/health': 'health',
  '/capabilities': 'capabilities',
  '/execute': 'execute',
};

/** Serves the reference contract on a free loopback port, changed by the mutant, if any. */
export async function startMutantServer(
  form: Form,
  mutant?: Pick<Mutant, 'mutate' | 'closed' | 'serveWith' | 'scheme'>,
  { pass }: ServerTime = realTime,
  beside: readonly ReferenceFunction[] = [],
): Promise<RunningMutant> {
  const reference = createReference({ form, functions: [...referenceFunctions, ...beside] });
  const conform: Conform = async (request) => {
    const { status, headers, body } = await reference.answer(request);
    return { status, headers, body: Buffer.from(body) };
  };
  const counts = new Map<Operation, number>();
  const handlers: Parameters<MutantServer['beforeBody']>[0][] = [];

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (handlers.some((handler) => handler(incoming, response))) return;
    const [path = ''] = (incoming.url ?? '').split('?', 1);
    const operation = OPERATIONS[path] ?? 'other';
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    const body = await readBody(incoming);
    const request: MutantRequest = {
      operation,
      method: incoming.method ?? '',
      path,
      contentType: incoming.headers['content-type'],
      authorization: incoming.headers.authorization,
      connection: incoming.headers.connection,
      body,
      call: operation === 'execute' ? callIn(body) : {},
      count,
    };
    const answer = await mutation(request, conform);
    if ('takeOver' in answer) answer.takeOver(response);
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  };

  const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
    // Without this, a mutation that throws would handler like a missing answer.
    handle(incoming, response).catch((error: unknown) => response.writeHead(599, String(error)).end());
  };
  const server: Server = mutant?.serveWith?.(answer) ?? createServer(answer);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const mutation =
    mutant?.mutate({ beforeBody: (handler) => void handlers.push(handler), stop, pass }) ??
    ((request: MutantRequest) => conform(request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The mutant has no port.');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    stop();
    await closed;
  };
  if (mutant?.closed === true) await close();
  return { url: `${mutant?.scheme ?? 'http'}://127.0.0.1:${address.port}`, close };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function callIn(body: Buffer): MutantCall {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
