import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject, ownProperty } from '../model/json.ts';
import { transportFailure } from '../probe/transport-failure.ts';
import { type AskOptions, type Session, SubjectError, type SubjectTransport } from './subject.ts';

/** A way to exchange messages with a server, before the first message. */
export interface Connection {
  readonly transport: Transport;
  readonly kind: SubjectTransport;
  /** Resolves with the reason when the server ends the connection. */
  readonly ended: Promise<string>;
  /** Waits until its processes and sockets are gone. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** For the first answer of the server, which may have to start. */
  readonly startTimeoutMs: number;
  readonly clientVersion: string;
  readonly onToolsChanged: () => void;
}

const MAX_PAGES = 200;

/** Opens a session over a connection, which is closed if that fails. Rejects with a SubjectError. */
export async function openSession(connection: Connection, options: SessionOptions): Promise<Session> {
  const { transport, kind } = connection;
  const client = new Client({ name: 'probity', version: options.clientVersion }, { capabilities: {} });
  let lost: string | null = null;
  void connection.ended.then((reason) => {
    lost = reason;
    // Rejects the requests under way.
    void client.close();
  });
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => resolve(lost ?? 'the connection was closed');
  });
  const failure = (error: unknown): SubjectError => subjectError(error, lost);
  try {
    await client.connect(transport, { timeout: options.startTimeoutMs });
  } catch (error) {
    await connection.close();
    throw failure(error);
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => options.onToolsChanged());
  let pending = 0;
  const ask = async (
    method: string,
    params: JsonObject,
    { timeoutMs, signal }: AskOptions,
  ): Promise<Json> => {
    pending += 1;
    try {
      return await client.request({ method, params }, ANYTHING, {
        timeout: timeoutMs,
        ...(signal === undefined ? {} : { signal }),
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
      protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
      transport: kind,
      announcesTools: client.getServerCapabilities()?.tools?.listChanged === true,
    },
    listTools: (to) => allPages((params) => ask('tools/list', params, to)),
    callTool: async (tool, input, to) => {
      const result = await ask('tools/call', { name: tool, arguments: input }, to);
      if (!isJsonObject(result)) throw new SubjectError('invalid', 'the result of tools/call is no object');
      return result;
    },
    ping: async (to) => {
      await ask('ping', {}, to);
    },
    pending: () => pending,
    ended,
    close: async () => {
      await client.close().catch(() => undefined);
      await connection.close();
    },
  };
}

async function allPages(ask: (params: JsonObject) => Promise<Json>): Promise<readonly Json[]> {
  const entries: Json[] = [];
  const seen = new Set<string>();
  for (let params: JsonObject = {}; ; ) {
    const page = await ask(params);
    const tools = ownProperty(page, 'tools');
    if (!Array.isArray(tools))
      throw new SubjectError('invalid', 'the result of tools/list has no list of tools');
    entries.push(...(tools as readonly Json[]));
    const cursor = ownProperty(page, 'nextCursor');
    if (typeof cursor !== 'string') return entries;
    if (seen.has(cursor)) throw new SubjectError('invalid', 'tools/list returned the same nextCursor twice');
    if (seen.size >= MAX_PAGES)
      throw new SubjectError('invalid', `tools/list has more than ${MAX_PAGES} pages`);
    seen.add(cursor);
    params = { cursor };
  }
}

/** Results are passed on as they are, even invalid ones. */
const ANYTHING: StandardSchemaV1<unknown, Json> = {
  '~standard': { version: 1, vendor: 'probity', validate: (value) => ({ value: value as Json }) },
};

/** The process of the server has ended, and its end is not reported yet. */
const WRITTEN_TOO_LATE: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

function subjectError(error: unknown, lost: string | null): SubjectError {
  if (lost !== null) return new SubjectError('ended', lost, { cause: error });
  // The parsers and writers of JSON recurse.
  if (error instanceof RangeError)
    return new SubjectError('unsendable', 'it is nested too deeply', { cause: error });
  if (error instanceof ProtocolError)
    return new SubjectError('refused', error.message, { code: error.code, cause: error });
  if (WRITTEN_TOO_LATE.has((error as NodeJS.ErrnoException).code ?? ''))
    return new SubjectError('ended', 'the server ended', { cause: error });
  if (!(error instanceof SdkError))
    return new SubjectError('unavailable', transportFailure(error).message, { cause: error });
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return new SubjectError('timeout', 'the server did not answer in time', { cause: error });
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
      return new SubjectError('ended', 'the connection was closed', { cause: error });
    case SdkErrorCode.InvalidResult:
      return new SubjectError('invalid', error.message, { cause: error });
    default:
      return new SubjectError('unavailable', error.message, { cause: error });
  }
}
