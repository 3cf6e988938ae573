import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { startAwakeTimer } from './awake-timer.ts';
import { type ConnectorOptions, type OpenConnection, openConnection } from './connector.ts';
import { FailedExchange } from './wire/send-request.ts';

export interface AgentOptions extends Pick<ConnectorOptions, 'ca'> {
  /** Connect only to public addresses, and never through a proxy, because a proxy resolves names itself. */
  readonly publicOnly: boolean;
  /** For one connection, from the DNS lookup to the end of the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** Use the proxies in HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly viaProxy: boolean;
  /** Replaces the guarded connector in tests, which have no public server. */
  readonly connect?: typeof openConnection;
}

/** Used if the server announces no time: common servers close idle connections after 2 s or later. */
const KEEP_ALIVE_MS = 1000;
const MAX_KEEP_ALIVE_MS = 30_000;
export const MAX_HEADER_BYTES = 64 * 1024;

/** An agent of undici, which is made for its first request. */
export interface GuardedAgent {
  made(): Promise<Dispatcher>;
  /** Closes all connections at once. */
  close(message: string): Promise<void>;
}

/** Sends requests of undici over guarded connections that are kept open. */
export function createGuardedAgent(
  options: AgentOptions,
  onOpen: (opened: OpenConnection, url: URL) => void = () => undefined,
): GuardedAgent {
  const ending = new AbortController();
  // Many connections open at once, and each listens.
  setMaxListeners(0, ending.signal);
  let agent: Promise<Dispatcher> | null = null;
  const connect = async (url: URL): Promise<Socket> => {
    const opened = await guardedConnection(url, options, ending.signal);
    onOpen(opened, url);
    return opened.socket;
  };
  return {
    made: () => {
      agent ??= makeAgent(options, connect);
      return agent;
    },
    close: async (message) => {
      ending.abort(new Error(message));
      const made = await agent?.catch(() => null);
      await made?.destroy();
    },
  };
}

async function makeAgent(
  { publicOnly, viaProxy, ca }: AgentOptions,
  connect: (url: URL) => Promise<Socket>,
): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  const options = {
    // The caller applies the time-out, which counts only while this process runs.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: ({ protocol, host = '' }, callback) => {
      connect(new URL(`${protocol}//${host}`)).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
  } satisfies ConstructorParameters<typeof Agent>[0];
  if (publicOnly || !viaProxy) return new Agent(options);
  try {
    return new EnvHttpProxyAgent({
      ...options,
      // Like other clients: many proxies tunnel only to HTTPS ports.
      proxyTunnel: false,
      requestTls: { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(ca === null ? {} : { ca }) },
    });
  } catch {
    // The value is not quoted because it may contain a password.
    throw new FailedExchange({
      code: 'not-sent',
      fault: 'harness',
      message: 'HTTP_PROXY or HTTPS_PROXY is not the address of a proxy: give it as http://host:port',
    });
  }
}

/** Opens a connection to an origin; rejects when `closing` is aborted. */
async function guardedConnection(
  url: URL,
  { publicOnly, ca, connectTimeoutMs, connect = openConnection }: AgentOptions,
  closing: AbortSignal,
): Promise<OpenConnection> {
  const ending = new AbortController();
  const onClose = (): void => ending.abort(closing.reason);
  const message = `no connection within ${connectTimeoutMs / 1000} s`;
  const timer = startAwakeTimer({
    awakeMs: connectTimeoutMs,
    onOver: () => ending.abort(new FailedExchange({ code: 'connect-timeout', fault: 'network', message })),
  });
  closing.addEventListener('abort', onClose, { once: true });
  try {
    return await connect(url, { timeoutMs: connectTimeoutMs, publicOnly, ca }, ending.signal);
  } finally {
    timer.stop();
    closing.removeEventListener('abort', onClose);
  }
}
