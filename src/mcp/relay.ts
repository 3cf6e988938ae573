import { stringifyExactly } from '../model/exact-json.ts';
import type { TransportFailure } from '../model/exchange.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty } from '../model/json.ts';
import type { Clock } from '../model/probe.ts';
import { transportFailure } from '../probe/transport-failure.ts';
import { type EndpointAnswer, type EndpointRequest, errorAnswer } from '../reference/endpoints.ts';
import { exactAnswer } from './exact-answer.ts';
import type { ChannelSource, HttpReply, SendOptions } from './message-channel.ts';
import { type RelayRequest, readRelayRequest } from './relay-request.ts';
import { nothingReceived, openSession, type RelaySession } from './relay-session.ts';

/** Passes messages to the server as they are, in sessions of its own, and returns what comes back. */
export interface Relay {
  readonly answer: (request: Pick<EndpointRequest, 'contentType' | 'body'>) => Promise<EndpointAnswer>;
  close(): Promise<void>;
}

export interface RelayOptions {
  readonly channels: ChannelSource;
  readonly clock: Clock;
  /** What the bridge itself got from the server. */
  readonly recorded: () => JsonObject;
  /** Removes secrets, before a text of the server is cut. */
  readonly redact: (text: string) => string;
}

const MAX_SESSIONS = 8;
const MAX_PAGES = 100;
/** For the expected answer, after another one came in its place. */
const GRACE_MS = 500;

/** What happened says nothing of the server. */
class UnreachedServer extends Error {
  readonly isTooLarge: boolean;

  constructor({ code, message }: Pick<TransportFailure, 'code' | 'message'>) {
    super(message);
    this.isTooLarge = code === 'body-too-large';
  }
}

export function createRelay({ channels, clock, recorded, redact }: RelayOptions): Relay {
  const { transport } = channels;
  const sessions = new Map<string, RelaySession>();

  const sessionOf = (name: string): RelaySession => {
    const known = sessions.get(name);
    // The one that was used last is the last to be replaced.
    sessions.delete(name);
    const session = known ?? openSession(channels, redact);
    sessions.set(name, session);
    const [oldest] = sessions;
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) {
      sessions.delete(oldest[0]);
      void oldest[1].channel.close();
    }
    return session;
  };

  /** Waits for the answers to these requests, for the end of the session, or until the time is over. */
  const wait = async (session: RelaySession, ids: readonly Json[], endsAtMs: number): Promise<boolean> => {
    let graceEndsAtMs = endsAtMs;
    for (;;) {
      const came = session.answers.map(({ id }) => id);
      if (session.ended !== null || session.exceeded !== null || ids.every((id) => came.includes(id)))
        return true;
      if (came.length >= ids.length) graceEndsAtMs = Math.min(graceEndsAtMs, clock.monotonicMs() + GRACE_MS);
      const leftMs = graceEndsAtMs - clock.monotonicMs();
      if (leftMs <= 0) return came.length >= ids.length;
      const enough = new AbortController();
      await Promise.race([
        new Promise<void>((resolve) => {
          session.wake = resolve;
        }),
        clock.sleep(leftMs, enough.signal),
      ]);
      enough.abort();
    }
  };

  const exchange = async (request: RelayRequest): Promise<JsonObject> => {
    if (request.over !== null && request.over !== transport) return { ...NOTHING, transport };
    const session = sessionOf(request.session);
    const turn = session.turn.then(() => exchangeIn(session, request));
    session.turn = turn.catch(() => undefined);
    return turn;
  };

  const exchangeIn = async (session: RelaySession, request: RelayRequest): Promise<JsonObject> => {
    const { channel } = session;
    const endsAtMs = clock.monotonicMs() + request.waitMs;
    const replies: HttpReply[] = [];
    const sent: Json[] = [];
    let problem: string | null = null;
    let isAnswered = true;
    const { method, headers } = request;
    const attempt = async (work: (options: SendOptions) => Promise<HttpReply | null>): Promise<void> => {
      const late = new AbortController();
      const enough = new AbortController();
      void clock.sleep(Math.max(1, endsAtMs - clock.monotonicMs()), enough.signal).then(() => late.abort());
      try {
        const reply = await work({ method, headers, signal: late.signal });
        if (reply === null) return;
        replies.push(reply);
        session.sessionId ??= reply.headers['mcp-session-id'] ?? null;
      } catch (error) {
        // The server had its time; the missing answer shows it.
        if (late.signal.aborted) return;
        const failure = transportFailure(error);
        if (failure.fault !== 'server') throw new UnreachedServer(failure);
        problem = failure.message;
      } finally {
        enough.abort();
      }
    };
    const ask = async (messages: readonly Json[]): Promise<void> => {
      const ids = messages.flatMap((message) => requestIdOf(message));
      for (const message of messages) {
        sent.push(message);
        await attempt((options) =>
          channel.send(typeof message === 'string' ? message : stringifyExactly(message), options),
        );
      }
      if (transport === 'stdio') isAnswered &&= await wait(session, ids, endsAtMs);
      else isAnswered &&= session.answers.length >= ids.length;
    };
    if (request.method !== 'POST' && transport !== 'stdio')
      await attempt((options) => channel.send(null, options));
    if (request.pages) await askAllPages(request.send[0] ?? null, session, ask);
    else await ask(request.send);
    const { exceeded } = session;
    if (exceeded !== null) {
      Object.assign(session, nothingReceived());
      throw new UnreachedServer({
        code: 'body-too-large',
        message: `a message of more than ${exceeded} bytes`,
      });
    }
    if (request.end) {
      await attempt((options) => channel.end(options));
      if (transport === 'stdio') {
        sessions.delete(request.session);
        await channel.close();
      } else session.isClosed = (replies.at(-1)?.status ?? 500) < 300;
    }
    const { answers, others, noise, ended, sessionId, isClosed } = session;
    session.learned ??= initializedIn(answers);
    session.isPaged ||= answers.some(({ result }) => ownProperty(result, 'nextCursor') !== undefined);
    Object.assign(session, nothingReceived());
    return {
      transport,
      sent,
      answers,
      others,
      noise,
      replies: replies as unknown as Json,
      answered: isAnswered,
      ended,
      ...(problem === null ? {} : { problem }),
      ...(session.learned === null ? {} : { learned: session.learned }),
      ...(sessionId === null ? {} : { sessionId }),
      ...(session.isPaged ? { paged: true } : {}),
      ...(isClosed ? { sessionEnded: true } : {}),
      ...(hasVersionHeader(session.learned) ? { versionHeader: true } : {}),
      ...(request.end && transport === 'stdio' ? { inputClosed: true } : {}),
    };
  };

  return {
    answer: async ({ contentType, body }) => {
      // A web page can send any other type to this machine without asking.
      if (!/^application\/json\s*(;|$)/i.test(contentType ?? ''))
        return errorAnswer('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
      const read = readRelayRequest(body);
      switch (read.kind) {
        case 'refused':
          return errorAnswer('INVALID_REQUEST', read.problem);
        case 'recorded':
          return exactAnswer(200, recorded());
        case 'exchange':
          try {
            return exactAnswer(200, await exchange(read.request));
          } catch (error) {
            if (error instanceof UnreachedServer) return unreachedAnswer(error);
            throw error;
          }
      }
    },
    close: async () => {
      await Promise.all([...sessions.values()].map(({ channel }) => channel.close()));
    },
  };
}

function unreachedAnswer({ isTooLarge, message }: UnreachedServer): EndpointAnswer {
  return isTooLarge
    ? exactAnswer(502, {
        error: { code: 'ANSWER_TOO_LARGE', message: `The answer cannot be used: ${message}.` },
      })
    : errorAnswer('INTERNAL_ERROR', message);
}

/** The answer to a request that is only for another transport. */
const NOTHING = { sent: [], answers: [], others: [], noise: [], replies: [], answered: true, ended: null };

/** Follows the cursors of a list. */
async function askAllPages(
  first: Json,
  session: RelaySession,
  ask: (messages: readonly Json[]) => Promise<void>,
): Promise<void> {
  const seen = new Set<string>();
  for (let message = first; ; ) {
    await ask([message]);
    const cursor = ownProperty(ownProperty(session.answers.at(-1), 'result'), 'nextCursor');
    if (typeof cursor !== 'string' || seen.has(cursor) || seen.size >= MAX_PAGES) return;
    seen.add(cursor);
    const { id, params } = message as JsonObject;
    message = {
      ...(message as JsonObject),
      id: typeof id === 'number' ? id + 1 : `${String(id)}+`,
      params: { ...(isJsonObject(params) ? params : {}), cursor },
    };
  }
}

function requestIdOf(message: Json): readonly Json[] {
  const id = ownProperty(message, 'id');
  return id === undefined || ownProperty(message, 'method') === undefined ? [] : [id];
}

function initializedIn(answers: readonly JsonObject[]): JsonObject | null {
  const results = answers.map(({ result }) => result);
  return results.filter(isJsonObject).find(({ protocolVersion }) => protocolVersion !== undefined) ?? null;
}

/** The header MCP-Protocol-Version came with this version; versions are dates. */
function hasVersionHeader(learned: JsonObject | null): boolean {
  return String(learned?.protocolVersion ?? '') >= '2025-06-18';
}
