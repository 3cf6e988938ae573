import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject, ownProperty } from '../json/json.ts';
import { eraOf, newestOf } from '../wires/mcp/opening.ts';
import { subjectError } from './session-error.ts';
import { type AskOptions, type Session, SubjectError, type SubjectTransport } from './subject.ts';

/** A way to exchange messages with a server, before the first message. */
export interface Connection {
  readonly transport: Transport;
  readonly kind: SubjectTransport;
  /** Resolves with the reason when the server ends the connection. */
  readonly ended: Promise<string>;
  /** Tells the server that the session ends, while the connection is still open. */
  readonly end?: () => Promise<void>;
  /** Waits until its processes and sockets are gone. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** For the first answer of the server, which may have to start. */
  readonly startTimeoutMs: number;
  readonly clientVersion: string;
  /** Asks for a revision without sessions only; the server is taken to have sessions otherwise. */
  readonly stateless?: boolean;
  readonly onToolsChanged: () => void;
  /** Removes secrets, before a text of the server is cut. */
  readonly redact: (text: string) => string;
  /** Aborted when the session is no longer wanted. */
  readonly signal: AbortSignal;
}

const MAX_PAGES = 200;
/** Of all pages of tools/list together, as JSON. */
const MAX_LIST_CHARACTERS = 16 * 1024 * 1024;
/** For a busy machine to report the end of a process. */
export const END_NOTICE_MS = 5000;

/** Opens a session over a connection, which is closed if that fails. Rejects with a SubjectError. */
export async function openSession(connection: Connection, options: SessionOptions): Promise<Session> {
  const { transport, kind } = connection;
  const client = new Client(
    { name: 'probity', version: options.clientVersion },
    {
      capabilities: {},
      versionNegotiation: { mode: options.stateless ? { pin: newestOf('stateless') } : 'legacy' },
    },
  );
  let lost: string | null = null;
  void connection.ended.then((reason) => {
    lost = reason;
    // Rejects the requests under way.
    void client.close();
  });
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => resolve(lost ?? 'the connection was closed');
  });
  const failure = (error: unknown): SubjectError => subjectError(error, lost, options.redact);
  try {
    await connectWithin(client, transport, options);
  } catch (error) {
    // How the process ended may be reported a moment after its streams were closed.
    if (failure(error).fault === 'ended' && lost === null)
      await Promise.race([connection.ended, delay(END_NOTICE_MS, null, { ref: false })]);
    // Closing the connection would hide the reason.
    const reason = failure(error);
    await connection.close();
    throw reason.fault === 'timeout'
      ? new SubjectError('unavailable', `no answer to initialize within ${options.startTimeoutMs / 1000} s`)
      : reason;
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => options.onToolsChanged());
  const protocolVersion = client.getNegotiatedProtocolVersion() ?? '';
  const isStateless = eraOf(protocolVersion) === 'stateless';
  let pending = 0;
  const ask = async (
    method: string,
    params: JsonObject,
    { timeoutMs, signal, trace, headers }: AskOptions,
  ): Promise<Json> => {
    pending += 1;
    const sent = trace === undefined ? params : { ...params, _meta: { ...trace } };
    try {
      return await client.request({ method, params: sent }, ANYTHING, {
        timeout: timeoutMs,
        ...(signal === undefined ? {} : { signal }),
        ...(headers === undefined || !isStateless ? {} : { headers }),
      });
    } catch (error) {
      throw signal?.aborted
        ? new SubjectError('abandoned', 'the caller did not wait', { cause: error })
        : failure(error);
    } finally {
      pending -= 1;
    }
  };
  const { name = '', version = '', title, description } = client.getServerVersion() ?? {};
  return {
    info: {
      name,
      version,
      title: title ?? null,
      description: description ?? null,
      protocolVersion,
      transport: kind,
      offersTools: client.getServerCapabilities()?.tools !== undefined,
      // Without a session, changes are told only to those who keep a stream open for them.
      announcesTools: !isStateless && client.getServerCapabilities()?.tools?.listChanged === true,
    },
    listTools: (to) => allPages((params) => ask('tools/list', params, to)),
    callTool: async (tool, input, to) => {
      const result = await ask('tools/call', { name: tool, arguments: input }, to);
      if (!isJsonObject(result)) throw new SubjectError('invalid', 'the result of tools/call is no object');
      return result;
    },
    ping: async (to) => {
      await ask(isStateless ? 'server/discover' : 'ping', {}, to);
    },
    pending: () => pending,
    ended,
    close: async () => {
      await connection.end?.();
      await client.close().catch(() => undefined);
      await connection.close();
    },
  };
}

/** The time-out of the client covers the first answer, not the wait for a stream that leads to it. */
async function connectWithin(
  client: Client,
  transport: Transport,
  { startTimeoutMs, signal }: SessionOptions,
): Promise<void> {
  const enough = new AbortController();
  const over = delay(startTimeoutMs, undefined, { signal: AbortSignal.any([enough.signal, signal]) });
  const connecting = client.connect(transport, { timeout: startTimeoutMs });
  // After a time-out, closing the connection makes it reject.
  connecting.catch(() => undefined);
  try {
    await Promise.race([
      connecting,
      over.then(() => {
        throw new SdkError(SdkErrorCode.RequestTimeout, 'no answer in time');
      }),
    ]);
  } finally {
    enough.abort();
  }
}

async function allPages(ask: (params: JsonObject) => Promise<Json>): Promise<readonly Json[]> {
  const entries: Json[] = [];
  const seen = new Set<string>();
  let characters = 0;
  for (let params: JsonObject = {}; ; ) {
    const page = await ask(params);
    const tools = ownProperty(page, 'tools');
    if (!Array.isArray(tools))
      throw new SubjectError('invalid', 'the result of tools/list has no list of tools');
    characters += JSON.stringify(tools).length;
    if (characters > MAX_LIST_CHARACTERS)
      throw new SubjectError('too-large', `tools/list has more than ${MAX_LIST_CHARACTERS} characters`);
    for (const tool of tools) entries.push(tool);
    const cursor = ownProperty(page, 'nextCursor');
    if (typeof cursor !== 'string') return entries;
    // Pages that repeat have no end. What they list is known.
    if (seen.has(cursor)) return [...new Map(entries.map((tool) => [JSON.stringify(tool), tool])).values()];
    if (seen.size >= MAX_PAGES)
      throw new SubjectError('too-large', `tools/list has more than ${MAX_PAGES} pages`);
    seen.add(cursor);
    params = { cursor };
  }
}

/** Results are passed on as they are, even invalid ones. */
const ANYTHING: StandardSchemaV1<unknown, Json> = {
  '~standard': { version: 1, vendor: 'probity', validate: (value) => ({ value: value as Json }) },
};
