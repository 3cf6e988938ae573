import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Connection, Header, TlsSession, TransportFailure } from '../model/exchange.ts';
import type { ReceivedAnswer } from './capture.ts';
import { type AgentOptions, createGuardedAgent, MAX_HEADER_BYTES } from './guarded-agent.ts';
import { transportFailure } from './transport-failure.ts';
import { createByteCollector } from './wire/byte-collector.ts';
import type { EndSignal } from './wire/ending.ts';
import { FailedExchange, failureOf, type WireRequest } from './wire/send-request.ts';
import type { WireLimits } from './wire/wire-response.ts';

export type PooledRequest = Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>;

export interface PoolWatch {
  /** Receives the parts of the body, which is then not kept. */
  readonly onBody?: (part: Buffer) => void;
  /** Called when the connection is open and the request is about to be written. */
  connected?(): void;
  firstByte?(): void;
}

/** Sends requests that are not part of a test with undici, over guarded connections that are kept open. */
export interface ConnectionPool {
  /** Rejects with a FailedExchange, a socket error, or the signal's reason. */
  send(
    request: PooledRequest,
    limits: WireLimits,
    signal: EndSignal,
    watch: PoolWatch,
  ): Promise<Omit<ReceivedAnswer, 'kind'>>;
  /** How many connections are open. */
  open(): number;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

export interface PoolOptions extends AgentOptions {
  /** More connections than this are not kept open: those to the origins that were used least recently are closed. */
  readonly maxOpen?: number;
}

const MAX_OPEN = 256;

interface Origin {
  /** The number of connections opened to it, and the TLS session of the last one. */
  opened: number;
  tls: TlsSession | null;
  requests: number;
  readonly sockets: Set<Socket>;
}

export function createConnectionPool({ maxOpen = MAX_OPEN, ...options }: PoolOptions): ConnectionPool {
  /** Origins with requests or connections, the least recently used first. */
  const origins = new Map<string, Origin>();
  let open = 0;

  const use = ({ origin: name }: URL): Origin => {
    const origin = origins.get(name) ?? { opened: 0, tls: null, requests: 0, sockets: new Set() };
    origins.delete(name);
    origins.set(name, origin);
    return origin;
  };
  const forgetUnused = ({ origin: name }: URL): void => {
    const origin = origins.get(name);
    if (origin?.requests === 0 && origin.sockets.size === 0) origins.delete(name);
  };
  const closeIdle = (): void => {
    for (const { requests, sockets } of origins.values()) {
      if (open <= maxOpen) return;
      if (requests > 0) continue;
      open -= sockets.size;
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    }
  };
  const agent = createGuardedAgent(options, ({ socket, tls }, url) => {
    const origin = use(url);
    origin.opened += 1;
    origin.tls = tls;
    origin.sockets.add(socket);
    open += 1;
    socket.once('close', () => {
      if (origin.sockets.delete(socket)) open -= 1;
      forgetUnused(url);
    });
    closeIdle();
  });

  return {
    send: async (request, limits, signal, watch) => {
      const dispatcher = await agent.made();
      const { url, method } = request;
      const origin = use(url);
      const openedBefore = origin.opened;
      origin.requests += 1;
      let isAnswering = false;
      const firstByte = (): void => {
        isAnswering = true;
        watch.firstByte?.();
      };
      const send = () => dispatch(dispatcher, request, limits, signal, { ...watch, firstByte });
      const connection = (): Connection => ({
        reused: origin.opened === openedBefore,
        tls: origin.tls,
      });
      try {
        return { response: await send(), connection: connection() };
      } catch (error) {
        // A server may close an idle connection at any time, even while the next request is in transit.
        const wasIdle = method === 'GET' && !isAnswering && isClosed(error) && connection().reused;
        if (signal.aborted || !wasIdle) throw error;
        return { response: await send(), connection: connection() };
      } finally {
        origin.requests -= 1;
        closeIdle();
        forgetUnused(url);
      }
    },
    open: () => open,
    close: () => agent.close('the pool was closed'),
  };
}

type Answered = ReceivedAnswer['response'];

function dispatch(
  dispatcher: Dispatcher,
  { method, url, headers, body }: PooledRequest,
  limits: WireLimits,
  signal: EndSignal,
  watch: PoolWatch,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const collected = createByteCollector();
    const onBody = watch.onBody ?? collected.add;
    let head: Pick<Answered, 'status' | 'headers'> = { status: 0, headers: [] };
    let informational = 0;
    let bodyBytes = 0;
    let end: (() => void) | null = null;
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    const fail = (error: unknown): void => {
      settle();
      reject(error);
      end?.();
    };
    const onAbort = (): void => fail(signal.reason);
    const requireWithin = (amount: number, max: number, of: 'head' | 'body', what: string): void => {
      if (amount > max) fail(tooLarge(of, `more than ${max} ${what}`));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const { origin, pathname, search } = url;
    dispatcher.dispatch(
      {
        origin,
        path: `${pathname}${search}`,
        method: method as Dispatcher.HttpMethod,
        headers: headers.flat(),
        body,
      },
      {
        onRequestStart: (controller) => {
          end = () => controller.abort(new Error('cancelled'));
          // The request was cancelled while it waited for a connection, so it is not written.
          if (signal.aborted) return end();
          watch.connected?.();
        },
        onResponseStart: (controller, status) => {
          watch.firstByte?.();
          head = { status, headers: headersOf(controller.rawHeaders) };
          requireWithin(head.headers.length, limits.maxHeaderCount, 'head', 'headers');
          if (status >= 200) return;
          informational += 1;
          requireWithin(informational, limits.maxInformational, 'head', 'informational responses');
        },
        onResponseData: (_, part) => {
          bodyBytes += part.byteLength;
          requireWithin(bodyBytes, limits.maxBodyBytes, 'body', 'bytes');
          if (bodyBytes <= limits.maxBodyBytes) onBody(part);
        },
        onResponseEnd: () => {
          settle();
          resolve({ ...head, body: collected.whole(), bodyProblem: null, oddities: [] });
        },
        onResponseError: (_, error) => fail(fromUndiciError(error)),
      },
    );
  });
}

function headersOf(raw: unknown): readonly Header[] {
  const parts: readonly Buffer[] = Array.isArray(raw) ? raw : [];
  const headers: Header[] = [];
  for (let at = 0; at < parts.length; at += 2)
    headers.push([parts[at]?.toString('latin1') ?? '', (parts[at + 1]?.toString('latin1') ?? '').trim()]);
  return headers;
}

function failed(code: TransportFailure['code'], fault: TransportFailure['fault'], message: string) {
  return new FailedExchange({ code, fault, message });
}

function tooLarge(of: 'head' | 'body', message: string): FailedExchange {
  return new FailedExchange(failureOf({ kind: 'limit', of, message }));
}

const CLOSED: ReadonlySet<string> = new Set(['closed-early', 'connection-reset']);

function isClosed(error: unknown): boolean {
  return CLOSED.has((error instanceof FailedExchange ? error.failure : transportFailure(error)).code);
}

/** Converts errors of undici to failures; errors of sockets and of the guard are classified elsewhere. */
function fromUndiciError(error: Error & { readonly code?: unknown }): Error {
  const { message } = error;
  const code = String(error.code ?? '');
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return failed('closed-early', 'server', 'the body is not as long as Content-Length says');
  if (code === 'HPE_INVALID_EOF_STATE' || /^(other side )?closed$/.test(message))
    return failed('closed-early', 'server', 'the connection was closed before the answer was complete');
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return tooLarge('head', `headers take more than ${MAX_HEADER_BYTES} bytes`);
  // undici ends a request that is answered with status 100, which RFC 9110 (section 15.2) allows at any time.
  if (code === 'UND_ERR_SOCKET' && message === 'bad response')
    return failed(
      'invalid-http',
      'harness',
      'the server sent 100 Continue, which nobody asked for; HTTP allows it, but this client cannot read it',
    );
  if (code === 'UND_ERR_SOCKET' || code.startsWith('HPE_'))
    return failed('invalid-http', 'server', `the answer breaks HTTP/1.1: ${message}`);
  if (code === 'UND_ERR_INVALID_ARG')
    return failed('request-refused', 'harness', `the request was not sent: ${message}`);
  return error;
}
