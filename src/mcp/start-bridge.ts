import type { Clock } from '../model/probe.ts';
import type { WireForm } from '../reference/endpoints.ts';
import { type ListenOptions, serve } from '../reference/server.ts';
import { createBridge } from './bridge.ts';
import { createCallRecord } from './call-record.ts';
import { statusOf } from './http-connection.ts';
import type { ChannelSource } from './message-channel.ts';
import { createRelay } from './relay.ts';
import type { SessionOptions } from './session.ts';
import { createSessionPool } from './session-pool.ts';
import type { Session, SubjectError } from './subject.ts';

export interface BridgeSettings extends ListenOptions {
  readonly form: WireForm;
  /** Opens a session with the server. */
  readonly open: (options: SessionOptions) => Promise<Session>;
  /** For messages that are passed on as they are. */
  readonly channels: ChannelSource;
  /** Number of sessions that are kept open. */
  readonly sessions: number;
  /** For one request of a caller. */
  readonly timeoutMs: number;
  /** For the server to start and to answer for the first time. */
  readonly startTimeoutMs: number;
  readonly clientVersion: string;
  readonly clock: Clock;
  /** Removes secrets from the answers, which the server may repeat. */
  readonly redact: (text: string) => string;
  /** A session ended by itself or could not be opened. */
  readonly onLost: (reason: string, retryInMs: number) => void;
  readonly onOpen: (session: Session) => void;
}

export interface RunningBridge {
  /** The address of the three endpoints, without a slash at its end. */
  readonly url: string;
  /** The first session; rejects with a SubjectError if it could not be opened. */
  readonly first: Promise<Session>;
  /** Ends the sessions and everything that was started for them. */
  close(): Promise<void>;
}

/** For the reason of a failed start to be known. */
const REPORTING_MS = 10_000;

/** Where messages are passed on as they are. */
const MESSAGES = '/messages';

/** A session that the server does not know (any more): 404 in streamable HTTP. */
const FORGOTTEN = 404;

/** Starts a bridge. Rejects when the address is taken or cannot be bound; nothing is started then. */
export async function startBridge(settings: BridgeSettings): Promise<RunningBridge> {
  const { form, open, sessions: size, timeoutMs, startTimeoutMs, clientVersion, clock } = settings;
  const pool = createSessionPool({
    size,
    open: () => open({ startTimeoutMs, clientVersion, onToolsChanged: () => bridge.toolsChanged() }),
    clock,
    onLost: settings.onLost,
    onOpen: (session) => {
      bridge.opened();
      settings.onOpen(session);
    },
  });
  const calls = createCallRecord();
  const bridge = createBridge({
    form,
    sessions: pool,
    timeoutMs,
    isForgotten: (error) => statusOf(error) === FORGOTTEN,
    nowMs: () => clock.monotonicMs(),
    unixMs: () => clock.nowMs(),
    onCall: calls.addCall,
    onTools: calls.addTools,
  });
  const relay = createRelay({
    channels: settings.channels,
    clock,
    recorded: calls.shown,
  });
  const server = await serve(async (request) => {
    const isRelayed = request.path === MESSAGES && request.method === 'POST';
    const answer = isRelayed ? await relay.answer(request.body) : await bridge.answer(request);
    return { ...answer, body: settings.redact(answer.body) };
  }, settings);
  pool.start();
  const first = pool.session(startTimeoutMs + REPORTING_MS);
  first.catch((_: SubjectError) => undefined);
  return {
    url: server.url,
    first,
    close: async () => {
      // Calls under way end first, with an error.
      await Promise.all([pool.close(), relay.close()]);
      await server.close();
    },
  };
}
