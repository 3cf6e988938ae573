import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { ownProperty } from '../model/json.ts';
import { createGuardedFetch } from '../probe/guarded-fetch.ts';
import type { RemoteSubject } from './http-connection.ts';
import {
  type ChannelListener,
  type HttpReply,
  type MessageChannel,
  objectIn,
  type SendOptions,
} from './message-channel.ts';

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
/** For a stream to be closed by the server after its answer. */
const CLOSING_MS = 1000;
const EVENTS = 'text/event-stream';
const MAX_MOVES = 5;
/** Without a body (transports, sending messages to the server). */
const ACCEPTED = 202;
/** Before a closed stream is continued, unless the server names a time. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 5000;

/** What a stream of events showed until it ended. */
interface ReadStream {
  readonly isAnswered: boolean;
  /** By the server, in time after its answer. */
  readonly isClosed: boolean;
  /** Of the last event that had one. */
  readonly lastId: string | null;
  readonly retryMs: number;
}

/** A channel over streamable HTTP: each message is the body of a POST. */
export function openHttpChannel(subject: RemoteSubject, listener: ChannelListener): MessageChannel {
  const { headers: own, publicOnly, ca, viaProxy, onAnswer } = subject;
  let { url } = subject;
  let moves = 0;
  const guarded = createGuardedFetch({
    publicOnly,
    ca,
    viaProxy,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
    ...(onAnswer === undefined ? {} : { onAnswer }),
  });
  let sessionId: string | null = null;
  let version: string | null = null;

  const headersOf = (method: SendOptions['method'], changes: SendOptions['headers']): [string, string][] => {
    const usual = {
      accept: method === 'GET' ? EVENTS : `application/json, ${EVENTS}`,
      'content-type': method === 'POST' ? 'application/json' : null,
      'mcp-session-id': sessionId,
      'mcp-protocol-version': version,
    };
    return Object.entries({ ...Object.fromEntries(own), ...usual, ...changes }).flatMap(
      ([name, value]): [string, string][] => (value === null ? [] : [[name, value]]),
    );
  };

  const request = async (body: string | null, options: SendOptions): Promise<HttpReply> => {
    const { method, signal } = options;
    const response = await guarded.fetch(url, {
      method,
      headers: headersOf(method, options.headers),
      signal,
      redirect: 'manual',
      ...(method === 'POST' ? { body: body ?? '' } : {}),
    });
    const moved = movedTo(response, url);
    if (moved !== null && moves < MAX_MOVES) {
      moves += 1;
      url = moved;
      await response.body?.cancel();
      return request(body, options);
    }
    sessionId ??= response.headers.get('mcp-session-id');
    const [type = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';', 1);
    const reply = {
      status: response.status,
      type: type.trim(),
      headers: Object.fromEntries(response.headers),
    };
    if (method === 'GET' || response.body === null) {
      // A stream that the server keeps open would never end.
      await response.body?.cancel();
      return reply;
    }
    if (reply.status === ACCEPTED && reply.type === EVENTS) {
      await response.body.cancel();
      return { ...reply, unwantedCharacters: 0 };
    }
    if (reply.type !== EVENTS) {
      const text = await response.text();
      if (reply.status === ACCEPTED)
        return text === '' ? reply : { ...reply, unwantedCharacters: text.length };
      const message = objectIn(text);
      if (message !== undefined) hear(message, text.length);
      else if (reply.type === 'application/json' && text.trim() !== '') listener.onNoise(text);
      return reply;
    }
    return { ...reply, closed: await followed(await readEvents(response.body), options) };
  };

  /** A server may close a stream before its answer; it is continued after the last event (transports, resumability). */
  const followed = async (
    { isAnswered, isClosed, lastId, retryMs }: ReadStream,
    options: SendOptions,
  ): Promise<boolean> => {
    if (isAnswered || lastId === null) return isClosed;
    const { signal } = options;
    await delay(retryMs, null, { signal });
    const headers = headersOf('GET', { ...options.headers, 'last-event-id': lastId });
    const response = await guarded.fetch(url, { method: 'GET', headers, signal, redirect: 'manual' });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      return isClosed;
    }
    const next = await readEvents(response.body);
    return followed({ ...next, lastId: next.lastId ?? lastId }, options);
  };

  const hear: ChannelListener['onMessage'] = (message, characters) => {
    const negotiated = ownProperty(ownProperty(message, 'result'), 'protocolVersion');
    if (version === null && typeof negotiated === 'string') version = negotiated;
    listener.onMessage(message, characters);
  };

  const readEvents = async (body: ReadableStream<Uint8Array>): Promise<ReadStream> => {
    let isAnswered = false;
    let lastId: string | null = null;
    let retryMs = RETRY_MS;
    const parser = createParser({
      onRetry: (ms) => {
        retryMs = Math.min(ms, MAX_RETRY_MS);
      },
      onEvent: ({ id, event = 'message', data }) => {
        lastId = id ?? lastId;
        // Clients ignore events of other types, such as pings that keep a connection open.
        if (event !== 'message') return;
        const message = objectIn(data);
        // A stream may start with an event that has only an id.
        if (message === undefined) return data === '' ? undefined : listener.onNoise(data);
        isAnswered ||= ownProperty(message, 'method') === undefined;
        hear(message, data.length);
      },
    });
    const reader = body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const next = reader.read();
      // A later failure of what is no longer waited for concerns nobody.
      next.catch(() => undefined);
      const read = isAnswered
        ? await Promise.race([next, delay(CLOSING_MS, null, { ref: false })])
        : await next;
      if (read === null) {
        await reader.cancel().catch(() => undefined);
        return { isAnswered, isClosed: false, lastId, retryMs };
      }
      if (read.done) return { isAnswered, isClosed: true, lastId, retryMs };
      parser.feed(decoder.decode(read.value, { stream: true }));
    }
  };

  return {
    send: (text, options) => request(text, options),
    end: (options) => request(null, { ...options, method: 'DELETE' }),
    close: () => guarded.close(),
  };
}

/** Where a redirect leads that keeps method and body, such as from /mcp to /mcp/; null elsewhere, or to another origin. */
function movedTo({ status, headers }: Response, from: string): string | null {
  const to = headers.get('location');
  if ((status !== 307 && status !== 308) || to === null || !URL.canParse(to, from)) return null;
  const { origin, href } = new URL(to, from);
  return origin === new URL(from).origin ? href : null;
}
