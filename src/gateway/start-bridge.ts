import { parseExactly, stringifyExactly } from '../json/exact-json.ts';
import { isJsonObject, type Json } from '../json/json.ts';
import type { Clock } from '../model/probe.ts';
import type { Redactor } from '../probe/redactor.ts';
import {
  type EndpointAnswer,
  type EndpointRequest,
  errorAnswer,
  type WireForm,
} from '../reference/endpoints.ts';
import { type ListenOptions, serve } from '../reference/server.ts';
import { parseUrl } from '../text/parse-url.ts';
import { type BridgeAnswer, createBridge } from './bridge.ts';
import { statusOf } from './http-connection.ts';
import type { SessionOptions } from './session.ts';
import { createSessionPool } from './session-pool.ts';
import type { Session, SubjectError } from './subject.ts';

export interface BridgeSettings {
  readonly form: WireForm;
  /** Opens a session with the server. */
  readonly open: (options: SessionOptions) => Promise<Session>;
  /** Number of sessions that are kept open. */
  readonly sessions: number;
  /** For one request of a caller. */
  readonly timeoutMs: number;
  /** For one request to /health; default: 5 s. */
  readonly healthTimeoutMs?: number;
  /** For the server to start and to answer for the first time. */
  readonly startTimeoutMs: number;
  readonly clientVersion: string;
  readonly clock: Clock;
  /** Removes secrets from the answers, which the server may repeat. */
  readonly redactor: Pick<Redactor, 'text'>;
  /** A session ended by itself or could not be opened. */
  readonly onLost?: (reason: string, retryInMs: number) => void;
  readonly onOpen?: (session: Session) => void;
}

export interface ListeningSettings extends BridgeSettings, ListenOptions {}

export interface OpenAnswer extends BridgeAnswer {
  /** The HTTP status behind an error of a remote server; null without one. */
  readonly serverStatus: number | null;
}

/** A bridge for callers in the same process. */
export interface OpenBridge {
  readonly answer: (request: EndpointRequest) => Promise<OpenAnswer>;
  /** The first session; rejects with a SubjectError if it could not be opened. */
  readonly first: Promise<Session>;
  readonly hasSession: () => boolean;
  /** Ends the sessions and everything that was started for them. */
  close(): Promise<void>;
}

/** A bridge that listens. */
export interface RunningBridge extends Pick<OpenBridge, 'first' | 'close'> {
  /** The address of the three endpoints, without a slash at its end. */
  readonly url: string;
}

const HEALTH_TIMEOUT_MS = 5000;
/** For the reason of a failed start to be known. */
const REPORTING_MS = 10_000;

const LOCAL = /^(localhost|127\.0\.0\.1|\[?::1\]?)$/;

function isOfOtherSite(origin: string | undefined): boolean {
  return origin !== undefined && !LOCAL.test(parseUrl(origin)?.hostname ?? '');
}

/** A session that the server does not know (any more): 404 in streamable HTTP. */
const FORGOTTEN = 404;

/** Opens a bridge and its sessions; requests may come at once. */
export function openBridge(settings: BridgeSettings): OpenBridge {
  const { pool, bridge } = createParts(settings);
  pool.start();
  return {
    answer: async (request) => {
      const answer = redacted(await bridge.answer(request), settings);
      return { ...answer, serverStatus: statusOf(answer.error) };
    },
    first: firstOf(pool, settings),
    hasSession: () => !(pool.now() instanceof Error),
    close: () => pool.close(),
  };
}

/** Starts a bridge. Rejects when the address is taken or cannot be bound; nothing is started then. */
export async function startBridge(settings: ListeningSettings): Promise<RunningBridge> {
  const { pool, bridge } = createParts(settings);
  const isLocal = LOCAL.test(settings.host ?? 'localhost');
  const server = await serve(async (request) => {
    // DNS rebinding makes a page of another site one of this address.
    if (isLocal && isOfOtherSite(request.origin))
      return errorAnswer('FORBIDDEN', 'Web pages of other sites must not use a bridge on this machine.');
    return redacted(await bridge.answer(request), settings);
  }, settings);
  pool.start();
  return {
    url: server.url,
    first: firstOf(pool, settings),
    close: async () => {
      // Calls under way end first, with an error.
      await pool.close();
      await server.close();
    },
  };
}

function createParts(settings: BridgeSettings) {
  const { form, open, sessions: size, timeoutMs, startTimeoutMs, clientVersion, clock, redactor } = settings;
  const pool = createSessionPool({
    size,
    open: (signal) =>
      open({
        startTimeoutMs,
        clientVersion,
        onToolsChanged: () => bridge.toolsChanged(),
        signal,
        redact: redactor.text,
      }),
    clock,
    ...(settings.onLost === undefined ? {} : { onLost: settings.onLost }),
    onOpen: (session) => {
      bridge.opened();
      settings.onOpen?.(session);
    },
  });
  const bridge = createBridge({
    form,
    sessions: pool,
    timeoutMs,
    healthTimeoutMs: settings.healthTimeoutMs ?? HEALTH_TIMEOUT_MS,
    isForgotten: (error) => statusOf(error) === FORGOTTEN,
    nowMs: () => clock.monotonicMs(),
    unixMs: () => clock.nowMs(),
  });
  return { pool, bridge };
}

function redacted<Answer extends EndpointAnswer>(answer: Answer, { redactor }: BridgeSettings): Answer {
  if (redactor.text(answer.body) === answer.body) return answer;
  return { ...answer, body: stringifyExactly(redactedJson(parseExactly(answer.body), redactor.text)) };
}

/** A secret may be a number, which would leave no JSON if it were replaced in the text. */
function redactedJson(value: Json, redact: (text: string) => string): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => redactedJson(item, redact));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [redact(name), redactedJson(inner, redact)]),
    );
  if (value === null) return value;
  const shown = redact(String(value));
  return shown === String(value) ? value : shown;
}

function firstOf(
  pool: ReturnType<typeof createSessionPool>,
  { startTimeoutMs }: BridgeSettings,
): Promise<Session> {
  const first = pool.session(startTimeoutMs + REPORTING_MS);
  first.catch((_: SubjectError) => undefined);
  return first;
}
