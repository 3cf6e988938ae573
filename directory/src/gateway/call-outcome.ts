import {
  type AnsweredExchange,
  type ExecuteAnswer,
  type HttpExchange,
  isJsonObject,
  type Json,
  jsonBody,
  jsonTypeOf,
  ownProperty,
  showJson,
  TOO_MANY_REQUESTS,
} from 'probity/model';
import { Problem, type ProblemCode } from '../http/problem.ts';
import type { TargetCall } from '../targets/target-client.ts';
import { memberTexts } from './given-call.ts';
import { mayHaveArrived, noAnswerProblem, retryAfterOf, safeText, targetErrorOf } from './target-problem.ts';

/** Whether the function of a server was called; without an answer of the server, that is often unknown. */
export type WasCalled = boolean | 'unknown';

export type CallOutcome =
  /** `body` is the JSON of the answer. */
  { readonly kind: 'succeeded'; readonly body: string; readonly durationMs: number } | FailedCall;

interface FailedCall {
  readonly kind: 'failed';
  readonly problem: Problem;
  /** False when the call certainly did not run, so the caller can repeat it. */
  readonly isFinal: boolean;
  /** The target denies a function that its capabilities list. */
  readonly isUnknownFunction: boolean;
}

/** A call and the id of its server. `requestId` is the directory's, and in form B also the target's. */
export interface SentCall extends TargetCall {
  readonly serverId: string;
}

const MAY_HAVE_RUN = 'The call may have run: check whether it did before you repeat it.';
const NOTHING_SENT = 'Nothing was sent, so you can repeat the call.';

/** Judges a target's answer to POST /execute (specification, sections 2.6 and 7). */
export function outcomeOf(exchange: HttpExchange, call: SentCall, nowMs: number): CallOutcome {
  if (exchange.kind === 'unanswered') {
    const mayHaveRun = mayHaveArrived(exchange);
    return {
      kind: 'failed',
      problem: noAnswerProblem(exchange, mayHaveRun ? MAY_HAVE_RUN : NOTHING_SENT, {
        called: mayHaveRun ? 'unknown' : false,
      }),
      isFinal: mayHaveRun,
      isUnknownFunction: false,
    };
  }
  return exchange.response.status === 200 ? successOf(exchange, call) : refusalOf(exchange, call, nowMs);
}

function successOf(exchange: AnsweredExchange, call: SentCall): CallOutcome {
  const { value, problem } = jsonBody(exchange);
  const key = call.form === 'A' ? 'output' : 'result';
  const expected = `an object "${key}" (the server speaks form ${call.form})`;
  if (problem?.serversFault === false) {
    const detail = `The server's answer cannot be used: ${problem.message}. ${MAY_HAVE_RUN}`;
    return failed(exchange, 'target-broken', detail);
  }
  if (!isJsonObject(value)) return broken(exchange, expected, problem?.message ?? 'no JSON object');
  const output = ownProperty(value, key);
  if (!isJsonObject(output)) return broken(exchange, expected, receivedInsteadOf(output, key, value));
  // An answer to another request would show one caller the data of another.
  const echoed = ownProperty(value, 'requestId');
  if (call.form === 'B' && echoed !== undefined && echoed !== call.requestId)
    return broken(exchange, `the requestId of this call, ${call.requestId}`, showJson(echoed));
  const { durationMs } = exchange.timing;
  const executionTime = ownProperty(value, 'executionTime');
  const isTime = typeof executionTime === 'number' && Number.isFinite(executionTime) && executionTime >= 0;
  const metadata: Omit<ExecuteAnswer, 'output'> = {
    server: call.serverId,
    function: call.functionName,
    requestId: call.requestId,
    durationMs,
    ...(isTime ? { executionTime } : {}),
  };
  const outputText = memberTexts(textOf(exchange)).get(key) ?? JSON.stringify(output);
  const body = `{"output":${outputText},${JSON.stringify(metadata).slice(1)}`;
  return { kind: 'succeeded', body, durationMs };
}

function textOf({ response: { body } }: AnsweredExchange): string {
  const text = 'text' in body ? body.text : Buffer.from(body.base64, 'base64').toString('utf8');
  return text.replace(/^\uFEFF/, '');
}

function receivedInsteadOf(output: Json | undefined, key: string, value: Json): string {
  if (output !== undefined) return `"${key}" is of type ${jsonTypeOf(output)}`;
  const keys = isJsonObject(value) ? Object.keys(value) : [];
  return keys.length === 0 ? 'an empty object' : `an object with the keys ${showJson(keys.slice(0, 10))}`;
}

function broken(exchange: AnsweredExchange, expected: string, received: string): CallOutcome {
  const detail = `The server's answer breaks the contract: expected ${expected}, received ${safeText(received, 300)}.`;
  return failed(exchange, 'target-broken', `${detail} ${MAY_HAVE_RUN}`);
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Request Timeout and Too Early. */
const LATER: Readonly<Record<number, ProblemCode>> = { 408: 'target-timeout', 425: 'target-failed' };

/** The outcome of an answer with a status other than 200. */
function refusalOf(exchange: AnsweredExchange, call: SentCall, nowMs: number): CallOutcome {
  const { status } = exchange.response;
  const error = targetErrorOf(exchange);
  const said = error === null ? '.' : `: ${error.message || error.code}`;
  if (error?.code === 'FUNCTION_NOT_FOUND' && (status === 400 || status === 404)) {
    const details = { ...NOT_RUN, isUnknownFunction: true };
    return failed(exchange, 'function-not-found', functionMissing(call), details);
  }
  if (status === 401 || status === 403)
    return failed(
      exchange,
      'target-refused',
      `The server refuses the directory (status ${status}): the key that the directory has for it is missing or wrong. Contact the operator of the directory.`,
      NOT_RUN,
    );
  if (status === 407)
    return failed(
      exchange,
      'target-refused',
      'A proxy before the server refuses the directory (status 407). Contact the operator of the directory.',
      NOT_RUN,
    );
  // These say nothing about the input, and the same call may succeed later.
  const laterCode = LATER[status];
  if (laterCode !== undefined) {
    const detail = `The server did not take the call this time (status ${status})${said}`;
    return failed(exchange, laterCode, `${detail.replace(/\.?$/, '.')} ${MAY_HAVE_RUN}`, { isFinal: false });
  }
  if (status === TOO_MANY_REQUESTS) {
    const retryAfterSeconds = retryAfterOf(exchange, nowMs);
    const detail = `The server accepts no more calls now (status 429); retry in ${retryAfterSeconds} s.`;
    return failed(exchange, 'rate-limited', detail, { ...NOT_RUN, retryAfterSeconds });
  }
  if (status === 500 && error?.code === 'EXECUTION_ERROR')
    return failed(exchange, 'target-failed', `The function reported an error${said}`, { called: true });
  if (status >= 500) return failed(exchange, 'target-failed', `The server failed (status ${status})${said}`);
  const isNoExecute = status === 405 || (status === 404 && error === null);
  if (status >= 400 && !isNoExecute)
    return failed(exchange, 'input-refused', `The server refuses the input (status ${status})${said}`, {
      called: false,
    });
  const redirected = REDIRECTS.has(status) ? ', a redirect, which is not followed' : '';
  const detail = `The server's answer breaks the contract: expected status 200, received ${status}${redirected}.`;
  return failed(exchange, 'target-broken', `${detail} ${MAY_HAVE_RUN}`);
}

export function functionMissing(call: Pick<SentCall, 'functionName' | 'serverId'>): string {
  const name = safeText(JSON.stringify(call.functionName), 160);
  return `The server has no function ${name}; GET /v1/servers/${call.serverId} lists its functions.`;
}

interface FailedDetails extends Partial<Pick<FailedCall, 'isFinal' | 'isUnknownFunction'>> {
  readonly called?: WasCalled;
  readonly retryAfterSeconds?: number;
}

const NOT_RUN = { called: false, isFinal: false } as const;

function failed(
  exchange: AnsweredExchange,
  code: ProblemCode,
  detail: string,
  { called = 'unknown', isFinal = true, isUnknownFunction = false, retryAfterSeconds }: FailedDetails = {},
): FailedCall {
  const target = { status: exchange.response.status, error: targetErrorOf(exchange) };
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const problem = new Problem(code, detail, {
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    more: { target, called, ...retry },
  });
  return { kind: 'failed', problem, isFinal, isUnknownFunction };
}
