import { setTimeout as delay } from 'node:timers/promises';
import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { stringifyExactly, withDoubles } from '../json/exact-json.ts';
import type { Secret } from '../model/probe.ts';
import type { GivenHeader } from '../probe/given-headers.ts';
import { createGuardedFetch } from '../probe/guarded-fetch.ts';
import { createRedactor, type Redactor } from '../probe/redactor.ts';
import { type Connection, openSession, type SessionOptions } from './session.ts';
import { statusOf, UNAUTHORISED } from './session-error.ts';
import { type Session, SubjectError } from './subject.ts';

/** How to open sessions with a server of the Model Context Protocol, without showing its secrets. */
export interface McpTarget {
  readonly open: (options: SessionOptions) => Promise<Session>;
  /** Removes secrets from the answers, which the server may repeat. */
  readonly redactor: Redactor;
}

export interface RemoteServer {
  readonly url: string;
  /** Sent with every request. */
  readonly headers: readonly GivenHeader[];
  /** The values to remove from answers. */
  readonly secrets: readonly Secret[];
  readonly publicOnly: boolean;
  readonly ca: string | null;
  /** Use the proxies of the environment, unless only public addresses are allowed. */
  readonly viaProxy: boolean;
  /** Called with the header WWW-Authenticate of an answer that refuses a request; null: it has none. */
  readonly onRefused?: (challenge: string | null) => void;
  /** Of one answer, or of one event in a stream; default: 16 MB. */
  readonly maxAnswerBytes?: number;
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** A server at an address: over streamable HTTP, or over the older SSE transport. */
export function remoteTarget(server: RemoteServer): McpTarget {
  return {
    open: (options) => openRemoteSession(server, options),
    redactor: createRedactor(server.secrets),
  };
}

/** Statuses with which a server of the older transport answers the POST of a newer one (transports, compatibility). */
const OLDER_TRANSPORT: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Opens a session with a remote server: in the newest revision, which has no sessions, or else in the older ones; over
 * streamable HTTP, or SSE if the server only has that. Unlike the client's own negotiation, it takes silence and
 * failures on the first question for no sign of an outage.
 */
async function openRemoteSession(server: RemoteServer, options: SessionOptions): Promise<Session> {
  // Half of the time is for each era, because a server may leave a question that it does not know without an answer.
  const half = { ...options, startTimeoutMs: options.startTimeoutMs / 2 };
  let left = options;
  try {
    return await openSession(connect(server, 'streamable HTTP', half), { ...half, stateless: true });
  } catch (error) {
    const fault = error instanceof SubjectError ? error.fault : null;
    if (fault === 'ended') throw error;
    if (fault === 'unavailable') left = half;
  }
  try {
    return await openSession(connect(server, 'streamable HTTP', left), left);
  } catch (error) {
    const status = statusOf(error);
    if (status === null || !OLDER_TRANSPORT.has(status)) throw error;
    return openSession(connect(server, 'SSE', left), left).catch(() => {
      throw error;
    });
  }
}

function connect(
  {
    url,
    headers,
    secrets,
    publicOnly,
    ca,
    viaProxy,
    onRefused,
    maxAnswerBytes = MAX_ANSWER_BYTES,
  }: RemoteServer,
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
  const requestInit = { headers: headers.map(({ name, value }): [string, string] => [name, value]) };
  // The transport takes messages and writes them with JSON.stringify.
  const exactTexts = new Map<string, string>();
  const common = {
    fetch: async (address: string | URL, init?: RequestInit) => {
      const exact = typeof init?.body === 'string' ? exactTexts.get(init.body) : undefined;
      const answer = await guarded.fetch(address, exact === undefined ? init : { ...init, body: exact });
      if (onRefused !== undefined && UNAUTHORISED.has(answer.status)) {
        const challenge = answer.headers.get('www-authenticate');
        onRefused(challenge === null ? null : createRedactor(secrets).text(challenge));
      }
      return answer;
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
  await Promise.race([
    transport.terminateSession().catch(() => undefined),
    delay(END_MS, undefined, { ref: false }),
  ]);
}
