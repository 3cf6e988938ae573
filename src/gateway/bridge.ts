import { parseExactly } from '../json/exact-json.ts';
import { type Json, type JsonObject, ownProperty } from '../json/json.ts';
import {
  type AcceptedCall,
  createEndpoints,
  type EndpointAnswer,
  type EndpointRequest,
  type WireForm,
} from '../reference/endpoints.ts';
import { outcomeOf } from './call-result.ts';
import { CONTRACT_VERSION, capabilitiesInFormB, descriptorInFormA, isCallable } from './describe-tools.ts';
import { exactAnswer } from './exact-answer.ts';
import type { SessionPool } from './session-pool.ts';
import { type Session, SubjectError, type SubjectFault } from './subject.ts';

export interface BridgeOptions {
  readonly form: WireForm;
  readonly sessions: SessionPool;
  /** For one request, including the wait for a session. */
  readonly timeoutMs: number;
  /** For one request to /health, if that is less. */
  readonly healthTimeoutMs: number;
  /** The server forgot the session of a request that failed like this; the request was not processed. */
  readonly isForgotten: (error: unknown) => boolean;
  readonly nowMs: () => number;
  readonly unixMs: () => number;
}

/** The answer of a bridge, with the error behind it; null if the server answered the request. */
export interface BridgeAnswer extends EndpointAnswer {
  readonly error: SubjectError | null;
}

/**
 * Serves a server of the Model Context Protocol at the three endpoints of the contract: for `probity bridge`, and for the
 * probes and the calls of a directory. A check talks to the server itself, in `src/run/conversations`.
 */
export interface Bridge {
  readonly answer: (request: EndpointRequest) => Promise<BridgeAnswer>;
  /** A session was opened. */
  opened(): void;
  /** The server announced that its tools changed. */
  toolsChanged(): void;
}

const STATUS_OF = {
  unavailable: [503, 'SERVER_UNAVAILABLE', 'The server is not running'],
  ended: [502, 'SERVER_ENDED', 'The server ended before it answered'],
  timeout: [504, 'TIMEOUT', 'The server did not answer in time'],
  refused: [502, 'PROTOCOL_ERROR', 'The server answered with an error of the protocol'],
  invalid: [502, 'INVALID_ANSWER', 'The answer of the server breaks the protocol'],
  'too-large': [502, 'ANSWER_TOO_LARGE', 'The answer of the server is more than a bridge reads'],
  unsendable: [400, 'INVALID_REQUEST', 'The input cannot be sent to the server'],
  abandoned: [499, 'ABANDONED', 'The caller did not wait for the answer'],
} as const satisfies Record<SubjectFault, readonly [status: number, code: string, words: string]>;

/** JSON-RPC: the parameters of a method are invalid. */
const INVALID_PARAMS = -32602;
/** JSON-RPC: the method does not exist. */
const METHOD_NOT_FOUND = -32601;

export function createBridge(options: BridgeOptions): Bridge {
  const { form, sessions, timeoutMs, healthTimeoutMs, isForgotten, nowMs, unixMs } = options;
  let startedMs: number | null = null;
  let tools: Promise<readonly Json[]> | null = null;
  const errors = new WeakMap<EndpointAnswer, SubjectError>();
  const because = (error: SubjectError, answer: EndpointAnswer): EndpointAnswer => {
    errors.set(answer, error);
    return answer;
  };
  const answerTo = (error: SubjectError, requestId: string | undefined): EndpointAnswer =>
    because(error, errorAnswerTo(error, requestId));

  /** Asks over an open session, and once more over a new one if the server forgot the first. */
  const ask = async <T>(
    request: (session: Session, leftMs: number) => Promise<T>,
    withinMs = timeoutMs,
  ): Promise<T> => {
    const endsAtMs = nowMs() + withinMs;
    const session = await sessions.session(withinMs);
    try {
      return await request(session, endsAtMs - nowMs());
    } catch (error) {
      if (!isForgotten(error)) throw error;
      sessions.discard(session, 'the server ended the session');
      return request(await sessions.session(endsAtMs - nowMs()), endsAtMs - nowMs());
    }
  };

  const listTools = (): Promise<readonly Json[]> => {
    const listed = ask(async (session, leftMs) => {
      const all = await session.listTools({ timeoutMs: leftMs }).catch((error: unknown) => {
        // A server with prompts or resources alone has no such method.
        if (!session.info.offersTools && error instanceof SubjectError && error.code === METHOD_NOT_FOUND)
          return [];
        throw error;
      });
      return all.filter(isCallable);
    });
    tools = listed;
    // A failed answer is not kept.
    listed.catch(() => {
      if (tools === listed) tools = null;
    });
    return listed;
  };
  /** The kept list, if the server announces changes. */
  const currentTools = async (): Promise<readonly Json[]> => {
    const session = sessions.now();
    return session instanceof SubjectError || !session.info.announcesTools || tools === null
      ? listTools()
      : tools;
  };
  const findTool = async (name: string): Promise<Json | undefined> => {
    const isNamed = (tool: Json): boolean => ownProperty(tool, 'name') === name;
    const known = tools === null ? undefined : (await tools).find(isNamed);
    return known ?? (await currentTools()).find(isNamed);
  };

  const call = async ({
    functionName,
    input,
    requestId,
    trace,
    signal,
  }: AcceptedCall): Promise<EndpointAnswer> => {
    const calledMs = nowMs();
    try {
      const tool = await findTool(functionName);
      if (tool === undefined)
        return failure(400, 'FUNCTION_NOT_FOUND', 'The server lists no tool of this name.', requestId);
      const called = await ask((session, leftMs) =>
        session.callTool(functionName, input as JsonObject, { timeoutMs: leftMs, signal, trace }),
      );
      const outcome = outcomeOf(called, ownProperty(tool, 'outputSchema') !== undefined);
      if (outcome.kind === 'failed')
        return failure(500, 'EXECUTION_ERROR', outcome.message, requestId, { content: outcome.content });
      if (outcome.kind === 'invalid')
        return answerTo(new SubjectError('invalid', outcome.problem), requestId);
      const executionTime = Math.max(0, Math.floor(nowMs() - calledMs));
      return exactAnswer(
        200,
        form === 'A' ? { output: outcome.result } : { requestId, result: outcome.result, executionTime },
      );
    } catch (error) {
      if (error instanceof SubjectError) return answerTo(error, requestId);
      // An answer that is nested too deeply cannot be written.
      if (error instanceof RangeError)
        return answerTo(new SubjectError('invalid', 'it is nested too deeply'), requestId);
      throw error;
    }
  };

  const health = async (): Promise<EndpointAnswer> => {
    const record = (session: Session | null) => ({
      uptime: startedMs === null || session === null ? 0 : (nowMs() - startedMs) / 1000,
      timestamp: new Date(unixMs()).toISOString(),
      version: session?.info.version ?? '',
      mcpVersion: CONTRACT_VERSION,
    });
    try {
      const session = await ask(
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
      const [, , words] = STATUS_OF[error.fault];
      return because(
        error,
        exactAnswer(503, {
          status: 'unavailable',
          ...record(null),
          message: `${words}: ${error.message}`,
        }),
      );
    }
  };

  const capabilities = async (): Promise<EndpointAnswer> => {
    try {
      const listed = await currentTools();
      if (form === 'A') return exactAnswer(200, { functions: listed.map(descriptorInFormA) });
      const session = sessions.now();
      const server = session instanceof SubjectError ? null : session.info;
      return exactAnswer(200, capabilitiesInFormB(listed, server));
    } catch (error) {
      // The list has no input of the caller that could be invalid.
      if (error instanceof SubjectError) return because(error, faultAnswer(error, undefined));
      throw error;
    }
  };

  const endpoints = createEndpoints(form, { health, capabilities, call }, parseExactly);
  return {
    answer: async (request) => {
      const answer = await endpoints(request);
      return { ...answer, error: errors.get(answer) ?? null };
    },
    opened: () => {
      startedMs = nowMs();
      tools = null;
    },
    toolsChanged: () => {
      tools = null;
    },
  };
}

function errorAnswerTo(error: SubjectError, requestId: string | undefined): EndpointAnswer {
  const { code, message } = error;
  return code === INVALID_PARAMS
    ? failure(400, 'INVALID_INPUT', message, requestId, { code })
    : faultAnswer(error, requestId);
}

function faultAnswer(
  { fault, code: rpcCode, message }: SubjectError,
  requestId: string | undefined,
): EndpointAnswer {
  const [status, code, words] = STATUS_OF[fault];
  const details = rpcCode === null ? undefined : { code: rpcCode };
  const answer = failure(status, code, `${words}: ${message}.`, requestId, details);
  return fault === 'unavailable' ? { ...answer, headers: { ...answer.headers, 'retry-after': '1' } } : answer;
}

function failure(
  status: number,
  code: string,
  message: string,
  requestId: string | undefined,
  details?: JsonObject,
): EndpointAnswer {
  return exactAnswer(status, {
    error: { code, message, ...(details === undefined ? {} : { details }) },
    requestId,
  });
}
