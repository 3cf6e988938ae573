import {
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
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
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Statuses with which a server of the older transport answers the POST of a newer one (transports, compatibility). */
const OLDER_TRANSPORT: ReadonlySet<number> = new Set([400, 404, 405]);

/** Opens a session with a remote server: over streamable HTTP, or SSE if the server only has that. */
export async function openRemoteSession(subject: RemoteSubject, options: SessionOptions): Promise<Session> {
  try {
    return await openSession(connect(subject, 'streamable HTTP', options), options);
  } catch (error) {
    const status = statusOf(error);
    if (status === null || !OLDER_TRANSPORT.has(status)) throw error;
    return openSession(connect(subject, 'SSE', options), options).catch(() => {
      throw error;
    });
  }
}

/** The HTTP status behind an error of a session; null without one. */
export function statusOf(error: unknown): number | null {
  const cause = error instanceof SubjectError ? error.cause : error;
  return cause instanceof SdkHttpError ? (cause.status ?? null) : null;
}

function connect(
  { url, headers, publicOnly, ca }: RemoteSubject,
  kind: 'streamable HTTP' | 'SSE',
  { startTimeoutMs }: SessionOptions,
): Connection {
  const guarded = createGuardedFetch({
    publicOnly,
    ca,
    connectTimeoutMs: startTimeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
  });
  const requestInit = { headers: headers.map(([name, value]): [string, string] => [name, value]) };
  const common = { fetch: guarded.fetch, requestInit };
  const transport =
    kind === 'SSE'
      ? new SSEClientTransport(new URL(url), { ...common, eventSourceInit: { fetch: guarded.fetch } })
      : new StreamableHTTPClientTransport(new URL(url), common);
  return {
    transport,
    kind,
    // A remote server ends sessions one request at a time; each such request fails.
    ended: new Promise(() => undefined),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport)
        // Servers that do not end sessions answer with 405.
        await transport.terminateSession().catch(() => undefined);
      await transport.close();
      await guarded.close();
    },
  };
}
