import type { buildConnector } from 'undici';
import type { Header, TransportFailure } from '../../model/exchange.ts';
import { transportFailure } from '../transport-failure.ts';
import {
  createResponseParser,
  type WireLimits,
  type WireResponse,
  type WireState,
} from './response-parser.ts';

export interface LookRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | null;
}

export type Looked = { readonly response: WireResponse } | { readonly failure: TransportFailure };

/**
 * Sends a request again over a plain socket and reads the answer with our own strict parser, to tell a server that
 * breaks HTTP from one that the HTTP client merely dislikes. Bounded by the parser's limits and by the signal.
 */
export function lookAgain(
  request: LookRequest,
  connect: buildConnector.connector,
  limits: WireLimits,
  signal: AbortSignal,
): Promise<Looked> {
  return new Promise((resolve) => {
    const { url } = request;
    const target = { hostname: url.hostname, protocol: url.protocol, port: url.port };
    connect(target, (error, socket) => {
      if (error !== null) return resolve({ failure: transportFailure(error) });
      const parser = createResponseParser(request.method, limits);
      const settle = (looked: Looked): void => {
        signal.removeEventListener('abort', onAbort);
        socket.destroy();
        resolve(looked);
      };
      const onAbort = (): void =>
        settle({
          failure: {
            code: 'timeout',
            fault: 'server',
            message: 'the answer was not complete in time, asked a second time',
          },
        });
      const take = (state: WireState): void => {
        if (state.kind === 'complete') settle({ response: state.response });
        else if (state.kind !== 'incomplete') settle({ failure: failureOf(state) });
      };
      socket.on('data', (chunk: Buffer) => take(parser.push(chunk)));
      socket.once('end', () => take(parser.end()));
      socket.once('error', (cause) => settle({ failure: transportFailure(cause) }));
      socket.once('close', () => take(parser.end()));
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      socket.write(requestBytes(request));
    });
  });
}

function failureOf(state: Extract<WireState, { readonly kind: 'violation' | 'limit' }>): TransportFailure {
  if (state.kind === 'violation') {
    const code = state.of === 'end' ? 'closed-early' : 'invalid-http';
    return { code, fault: 'server', message: `the answer breaks HTTP/1.1: ${state.message}` };
  }
  const code = state.of === 'body' ? 'body-too-large' : 'headers-too-large';
  return { code, fault: 'harness', message: `the answer is more than the harness reads: ${state.message}` };
}

function requestBytes({ method, url, headers, body }: LookRequest): Buffer {
  const own: readonly Header[] = [
    ['host', url.host],
    ['connection', 'close'],
    ...headers,
    ...(body === null ? [] : ([['content-length', String(body.byteLength)]] as const)),
  ];
  const head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}
