import { parseExactly } from '../json/exact-json.ts';
import { type Json, type JsonObject, ownProperty } from '../json/json.ts';
import type { Clock } from '../model/probe.ts';
import {
  type AcceptedCall,
  type Answering,
  createEndpoints,
  type EndpointAnswer,
  type EndpointRequest,
  type WireForm,
} from '../reference/endpoints.ts';
import { errorAnswerTo, exactAnswer, failure, faultAnswer, faultWords, redactedText } from './answers.ts';
import {
  CONTRACT_VERSION,
  capabilitiesInFormB,
  descriptorInFormA,
  isCallable,
  outcomeOf,
} from './describe-tools.ts';
import type { McpTarget } from './http-connection.ts';
import { isOffered, repeatedHeaders } from './repeated-parameters.ts';
import { statusOf } from './session-error.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import { type Session, SubjectError } from './subject.ts';

export interface BridgeSettings extends McpTarget {
  readonly form: WireForm;
  /** Number of sessions that are kept open. */
  readonly sessions: number;
  /** For one request of a caller, including the wait for a session. */
  readonly timeoutMs: number;
  /** For one request to /health, if that is less; default: 5 s. */
  readonly healthTimeoutMs?: number;
  /** For the server to start and to answer for the first time. */
  readonly startTimeoutMs: number;
  readonly clientVersion: string;
  readonly clock: Clock;
  /** A session ended by itself or could not be opened. */
  readonly onLost?: (reason: string, retryInMs: number) => void;
  readonly onOpen?: (session: Session) => void;
}

export interface BridgeAnswer extends EndpointAnswer {
  /** The error behind the answer; null if the server answered the request. */
  readonly error: SubjectError | null;
  /** The HTTP status behind an error of a remote server; null without one. */
  readonly serverStatus: number | null;
}

/** JSON-RPC: the method does not exist. */
const METHOD_NOT_FOUND = -32601;

/** A session that the server does not know (any more): 404 in streamable HTTP. The request was not processed. */
const FORGOTTEN = 404;

const HEALTH_TIMEOUT_MS = 5000;
/** For the reason of a failed start to be known. */
const REPORTING_MS = 10_000;

/**
 * Serves a server of the Model Context Protocol at the three endpoints of the contract: for `probity bridge`, and for the
 * probes and the calls of a directory. A check talks to the server itself, in `src/run/conversations`.
 */
export class Bridge {
  readonly #settings: BridgeSettings;
  readonly #pool: SessionPool;
  readonly #endpoints: Answering;
  readonly #errors = new WeakMap<EndpointAnswer, SubjectError>();
  #startedMs: number | null = null;
  #tools: Promise<readonly Json[]> | null = null;

  constructor(settings: BridgeSettings) {
    const { form, open, sessions: size, startTimeoutMs, clientVersion, clock, redactor } = settings;
    this.#settings = settings;
    const onToolsChanged = (): void => {
      this.#tools = null;
    };
    const options = { startTimeoutMs, clientVersion, onToolsChanged, redact: redactor.text };
    this.#pool = createSessionPool({
      size,
      open: (signal) => open({ ...options, signal }),
      clock,
      onLost: settings.onLost,
      onOpen: (session) => {
        this.#startedMs = clock.monotonicMs();
        this.#tools = null;
        settings.onOpen?.(session);
      },
    });
    const service = {
      health: () => this.#health(),
      capabilities: () => this.#capabilities(),
      call: (call: AcceptedCall) => this.#call(call),
    };
    this.#endpoints = createEndpoints(form, service, parseExactly);
  }

  /** Opens the sessions. Returns the first one; rejects with a SubjectError if it could not be opened. */
  start(): Promise<Session> {
    this.#pool.start();
    const first = this.#pool.session(this.#settings.startTimeoutMs + REPORTING_MS);
    first.catch((_: SubjectError) => undefined);
    return first;
  }

  async answer(request: EndpointRequest): Promise<BridgeAnswer> {
    const answer = await this.#endpoints(request);
    const error = this.#errors.get(answer) ?? null;
    const body = redactedText(answer.body, this.#settings.redactor.text);
    return { ...answer, body, error, serverStatus: statusOf(error) };
  }

  hasSession(): boolean {
    return !(this.#pool.now() instanceof Error);
  }

  /** Ends the sessions and everything that was started for them. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #health(): Promise<EndpointAnswer> {
    const { timeoutMs, healthTimeoutMs = HEALTH_TIMEOUT_MS, clock } = this.#settings;
    const record = (session: Session | null) => ({
      uptime:
        this.#startedMs === null || session === null ? 0 : (clock.monotonicMs() - this.#startedMs) / 1000,
      timestamp: new Date(clock.nowMs()).toISOString(),
      version: session?.info.version ?? '',
      mcpVersion: CONTRACT_VERSION,
    });
    try {
      const session = await this.#ask(
        async (one, leftMs) => {
          await one.ping({ timeoutMs: leftMs });
          return one;
        },
        Math.min(healthTimeoutMs, timeoutMs),
      );
      const { protocolVersion, transport } = session.info;
      return exactAnswer(200, { status: 'ok', ...record(session), protocolVersion, transport });
    } catch (error) {
      if (!(error instanceof SubjectError)) throw error;
      const message = faultWords(error);
      return this.#because(error, exactAnswer(503, { status: 'unavailable', ...record(null), message }));
    }
  }

  async #capabilities(): Promise<EndpointAnswer> {
    try {
      const listed = await this.#currentTools();
      if (this.#settings.form === 'A') return exactAnswer(200, { functions: listed.map(descriptorInFormA) });
      const session = this.#pool.now();
      return exactAnswer(
        200,
        capabilitiesInFormB(listed, session instanceof SubjectError ? null : session.info),
      );
    } catch (error) {
      // The list has no input of the caller that could be invalid.
      if (error instanceof SubjectError) return this.#because(error, faultAnswer(error, undefined));
      throw error;
    }
  }

  async #call({ functionName, input, requestId, trace, signal }: AcceptedCall): Promise<EndpointAnswer> {
    const { form, timeoutMs, clock } = this.#settings;
    const calledMs = clock.monotonicMs();
    const answerTo = (error: SubjectError): EndpointAnswer =>
      this.#because(error, errorAnswerTo(error, requestId));
    try {
      const tool = await this.#findTool(functionName);
      if (tool === undefined)
        return failure(400, 'FUNCTION_NOT_FOUND', 'The server lists no tool of this name.', requestId);
      const options = { signal, trace, headers: repeatedHeaders(tool, input as JsonObject) };
      const called = await this.#ask(
        (session, leftMs) =>
          session.callTool(functionName, input as JsonObject, { timeoutMs: leftMs, ...options }),
        timeoutMs,
      );
      const outcome = outcomeOf(called, ownProperty(tool, 'outputSchema') !== undefined);
      if (outcome.kind === 'failed')
        return failure(500, 'EXECUTION_ERROR', outcome.message, requestId, { content: outcome.content });
      if (outcome.kind === 'invalid') return answerTo(new SubjectError('invalid', outcome.problem));
      const { result } = outcome;
      const executionTime = Math.max(0, Math.floor(clock.monotonicMs() - calledMs));
      return exactAnswer(200, form === 'A' ? { output: result } : { requestId, result, executionTime });
    } catch (error) {
      if (error instanceof SubjectError) return answerTo(error);
      // An answer that is nested too deeply cannot be written.
      if (error instanceof RangeError)
        return answerTo(new SubjectError('invalid', 'it is nested too deeply'));
      throw error;
    }
  }

  /** Asks over an open session, and once more over a new one if the server forgot the first. */
  async #ask<T>(request: (session: Session, leftMs: number) => Promise<T>, timeoutMs: number): Promise<T> {
    const { clock } = this.#settings;
    const endsAtMs = clock.monotonicMs() + timeoutMs;
    const session = await this.#pool.session(timeoutMs);
    try {
      return await request(session, endsAtMs - clock.monotonicMs());
    } catch (error) {
      if (statusOf(error) !== FORGOTTEN) throw error;
      this.#pool.discard(session, 'the server ended the session');
      const another = await this.#pool.session(endsAtMs - clock.monotonicMs());
      return request(another, endsAtMs - clock.monotonicMs());
    }
  }

  async #findTool(name: string): Promise<Json | undefined> {
    const isNamed = (tool: Json): boolean => ownProperty(tool, 'name') === name;
    return (await this.#tools)?.find(isNamed) ?? (await this.#currentTools()).find(isNamed);
  }

  /** The kept list, if the server announces changes. */
  async #currentTools(): Promise<readonly Json[]> {
    const session = this.#pool.now();
    const isCurrent = !(session instanceof SubjectError) && session.info.announcesTools;
    if (isCurrent && this.#tools !== null) return this.#tools;
    const listed = this.#ask(listCallable, this.#settings.timeoutMs);
    this.#tools = listed;
    // A failed answer is not kept.
    listed.catch(() => {
      if (this.#tools === listed) this.#tools = null;
    });
    return listed;
  }

  #because(error: SubjectError, answer: EndpointAnswer): EndpointAnswer {
    this.#errors.set(answer, error);
    return answer;
  }
}

async function listCallable(session: Session, timeoutMs: number): Promise<readonly Json[]> {
  const all = await session.listTools({ timeoutMs }).catch((error: unknown) => {
    // A server with prompts or resources alone has no such method.
    if (!session.info.offersTools && error instanceof SubjectError && error.code === METHOD_NOT_FOUND)
      return [];
    throw error;
  });
  return all.filter((tool) => isCallable(tool) && isOffered(tool, session.info));
}
