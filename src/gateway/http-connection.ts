import { setTimeout as delay } from 'node:timers/promises';
import {
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { stringifyExactly, withDoubles } from '../json/exact-json.ts';
import type { Header } from '../model/exchange.ts';
import { createGuardedFetch } from '../probe/guarded-fetch.ts';
import { type Connection, openSession, type SessionOptions } from './session.ts';
import { type Session, SubjectError } from './subject.ts';

export interface RemoteSubject {
  readonly url: string;
  /** Sent with every request. */
  readonly headers: readonly Header[];
  readonly publicOnly: boolean;
  readonly ca: string | null;
  /** Use the proxies of the environment, unless only public addresses are allowed. */
  readonly viaProxy: boolean;
  /** Of one answer, or of one event in a stream. */
  readonly maxAnswerBytes: number;
}

/** Statuses with which a server of the older transport answers the POST of a newer one (transports, compatibility). */
const OLDER_TRANSPORT: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Opens a session with a remote server: in the newest revision, which has no sessions, or else in the older ones; over
 * streamable HTTP, or SSE if the server only has that. Unlike the client's own negotiation, it takes silence and
 * failures on the first question for no sign of an outage.
 */
export async function openRemoteSession(subject: RemoteSubject, options: SessionOptions): Promise<Session> {
  // Half of the time is for each era, because a server may leave a question that it does not know without an answer.
  const half = { ...options, startTimeoutMs: options.startTimeoutMs / 2 };
  let left = options;
  try {
    return await openSession(connect(subject, 'streamable HTTP', half), { ...half, stateless: true });
  } catch (error) {
    const fault = error instanceof SubjectError ? error.fault : null;
    if (fault === 'ended') throw error;
    if (fault === 'unavailable') left = half;
  }
  try {
    return await openSession(connect(subject, 'streamable HTTP', left), left);
  } catch (error) {
    const status = statusOf(error);
    if (status === null || !OLDER_TRANSPORT.has(status)) throw error;
    return openSession(connect(subject, 'SSE', left), left).catch(() => {
      throw error;
    });
  }
}

/** The HTTP status behind an error of a session; null without one. */
export function statusOf(error: unknown): number | null {
  if (error instanceof SubjectError) return statusOf(error.cause);
  return error instanceof SdkHttpError ? (error.status ?? null) : null;
}

function connect(
  { url, headers, publicOnly, ca, viaProxy, maxAnswerBytes }: RemoteSubject,
  kind: 'streamable HTTP' | 'SSE',
  { startTimeoutMs }: SessionOptions,
): Connection {
  const guarded = createGuardedFetch({
    publicOnly,
    ca,
    viaProxy,
    connectTimeoutMs: startTimeoutMs,
    maxBytes: maxAnswerBytes,
  });
  const requestInit = { headers: headers.map(([name, value]): [string, string] => [name, value]) };
  // The transport takes messages and writes them with JSON.stringify.
  const exactTexts = new Map<string, string>();
  const common = {
    fetch: (address: string | URL, init?: RequestInit) => {
      const exact = typeof init?.body === 'string' ? exactTexts.get(init.body) : undefined;
      return guarded.fetch(address, exact === undefined ? init : { ...init, body: exact });
    },
    requestInit,
  };
  const transport: Transport =
    kind === 'SSE'
      ? new SSEClientTransport(new URL(url), { ...common, eventSourceInit: { fetch: guarded.fetch } })
      : new StreamableHTTPClientTransport(new URL(url), common);
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const rounded = withDoubles(message);
    if (rounded === message) return send(message, options);
    const text = JSON.stringify(rounded);
    exactTexts.set(text, stringifyExactly(message));
    try {
      await send(rounded, options);
    } finally {
      exactTexts.delete(text);
    }
  };
  return {
    transport,
    kind,
    // A remote server ends sessions one request at a time; each such request fails.
    ended: new Promise(() => undefined),
    ...(transport instanceof StreamableHTTPClientTransport ? { end: () => endSession(transport) } : {}),
    close: async () => {
      await transport.close();
      await guarded.close();
    },
  };
}

const END_MS = 2000;

/** Servers that do not end sessions answer with 405, and a broken one never answers. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const enough = new AbortController();
  await Promise.race([
    transport.terminateSession().catch(() => undefined),
    delay(END_MS, undefined, { signal: enough.signal }).catch(() => undefined),
  ]);
  enough.abort();
}
