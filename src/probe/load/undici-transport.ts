import { Client, type Dispatcher } from 'undici';
import type {
  LoadConnection,
  LoadFailure,
  LoadListener,
  LoadRequest,
  LoadTransport,
  TransportOptions,
} from '../../model/load.ts';
import { openConnection } from '../connector.ts';
import { transportFailure } from '../transport-failure.ts';

/**
 * Sends a load with undici, the HTTP client of Node.js. It is slower than the lean transport, but independent of it, so
 * that the two can be compared.
 */
export function createUndiciTransport(options: TransportOptions): LoadTransport {
  return {
    name: 'undici',
    connect: (requests, listener) => connection(requests, listener, options),
  };
}

function connection(
  requests: readonly LoadRequest[],
  listener: LoadListener,
  options: TransportOptions,
): LoadConnection {
  const prepared = requests.map(dispatchOptions);
  const origin = new URL(requests[0]?.url ?? '').origin;
  let client = createClient(origin, options);
  /** Identifies the current request, so that answers to cancelled ones are ignored. */
  let turn = 0;
  return {
    // The client cannot connect without a request.
    open: async () => undefined,
    send: (index) => {
      const own = prepared[index];
      turn += 1;
      const sent = turn;
      let status = 0;
      if (own === undefined) return;
      client.dispatch(own, {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, received) => {
          status = received;
        },
        onResponseData: () => undefined,
        onResponseEnd: () => {
          if (sent === turn) listener.onAnswer(status, performance.now());
        },
        onResponseError: (_controller, error) => {
          // The client accepts another request only after this callback returns.
          setImmediate(() => {
            if (sent === turn) listener.onFailure(failureOf(error));
          });
        },
      });
    },
    drop: () => {
      turn += 1;
      // Errors of a cancelled request are ignored.
      client.destroy().catch(() => undefined);
      client = createClient(origin, options);
    },
  };
}

function createClient(origin: string, { ca, publicOnly, timeoutMs }: TransportOptions): Client {
  return new Client(origin, {
    pipelining: 1,
    // The caller limits the time of a call.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 64 * 1024,
    connect: (_target, done) => {
      openConnection(new URL(origin), { timeoutMs, publicOnly, ca }, AbortSignal.timeout(timeoutMs)).then(
        ({ socket }) => done(null, socket),
        (error: Error) => done(error, null),
      );
    },
  });
}

function failureOf(error: Error & { readonly code?: string }): LoadFailure {
  const { code = '' } = error;
  if (code === 'UND_ERR_SOCKET')
    return { code: 'closed-early', message: 'the connection was closed before the answer was complete' };
  if (code.startsWith('HPE_'))
    return { code: 'invalid-http', message: `the answer breaks HTTP/1.1: ${error.message}` };
  return transportFailure(error);
}

function dispatchOptions({ method, url, headers, body }: LoadRequest): Dispatcher.DispatchOptions {
  const { pathname, search } = new URL(url);
  return {
    method: method as Dispatcher.HttpMethod,
    path: pathname + search,
    headers: headers.flat(),
    body,
  };
}
