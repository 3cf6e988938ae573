import {
  type AnsweredExchange,
  type HttpExchange,
  headerValue,
  jsonBody,
  ownProperty,
  retryAfterMs,
  shorten,
  TOO_MANY_REQUESTS,
  visible,
} from 'probity/model';
import { Problem, type ProblemCode } from '../http/problem.ts';

/** A target's error (specification, section 7), made safe to display. */
export interface TargetError {
  readonly code: string;
  readonly message: string;
}

const MAX_CODE_CHARACTERS = 100;
const MAX_MESSAGE_CHARACTERS = 500;

export function targetErrorOf(exchange: AnsweredExchange): TargetError | null {
  const error = ownProperty(jsonBody(exchange).value, 'error');
  const [code, message] = [ownProperty(error, 'code'), ownProperty(error, 'message')];
  if (typeof code !== 'string' && typeof message !== 'string') return null;
  return {
    code: typeof code === 'string' ? safeText(code, MAX_CODE_CHARACTERS) : '',
    message: typeof message === 'string' ? safeText(message, MAX_MESSAGE_CHARACTERS) : '',
  };
}

/** An untrusted text, shortened, with invisible and control characters escaped. */
export function safeText(text: string, maxCharacters: number): string {
  return shorten(visible(shorten(text, maxCharacters)), maxCharacters);
}

/** Whether a byte of the request may have been sent. Without a connection, none was. */
export function mayHaveArrived({ timing, ...exchange }: HttpExchange): boolean {
  if (exchange.kind === 'answered') return true;
  return timing.connectMs !== null && exchange.reason.code !== 'request-refused';
}

const TIMEOUT_CODES = new Set(['timeout', 'slow-upload', 'connect-timeout', 'client-suspended']);
const UNSENT_CODES = new Set(['not-sent', 'request-refused']);

/** Why a target did not answer. `consequence` is a sentence that says what this means for the call. */
export function noAnswerProblem(
  exchange: Extract<HttpExchange, { kind: 'unanswered' }>,
  consequence: string,
  more: Readonly<Record<string, unknown>>,
): Problem {
  const { code, message } = exchange.reason;
  const why = visible(message);
  const problem = (problemCode: ProblemCode, detail: string): Problem =>
    new Problem(problemCode, `${detail} ${consequence}`, { more });
  if (code === 'address-refused')
    return problem(
      'target-refused',
      'The address of this server is not public, and the directory connects to public addresses only.',
    );
  if (code === 'interrupted')
    return problem('unavailable', 'The directory stopped before the server answered.');
  if (UNSENT_CODES.has(code)) return problem('target-refused', `The server cannot be called: ${why}.`);
  if (!mayHaveArrived(exchange))
    return problem('target-unreachable', `The server cannot be reached: ${why}.`);
  if (TIMEOUT_CODES.has(code)) return problem('target-timeout', `The server did not answer in time: ${why}.`);
  if (code === 'invalid-http' && exchange.reason.fault === 'harness')
    return problem('target-refused', `This directory cannot read the server's answer: ${why}.`);
  return problem('target-broken', `The server's answer cannot be used: ${why}.`);
}

const NOT_CALLED = 'The function was not called, because the capabilities of the server could not be read.';

/** Why a call was not made: the capabilities of the target could not be read. */
export function capabilitiesProblem(exchange: HttpExchange): Problem {
  const more = { called: false };
  if (exchange.kind === 'unanswered') return noAnswerProblem(exchange, NOT_CALLED, more);
  const { status } = exchange.response;
  const target = { status, error: targetErrorOf(exchange) };
  const problem = (code: ProblemCode, detail: string): Problem =>
    new Problem(code, `${detail} ${NOT_CALLED}`, { more: { ...more, target } });
  if (status === 401 || status === 403)
    return problem('target-refused', `The server refuses the directory (status ${status}).`);
  if (status === TOO_MANY_REQUESTS) {
    const seconds = retryAfterOf(exchange, Date.now());
    return new Problem(
      'rate-limited',
      `The server accepts no more requests now (status 429); retry in ${seconds} s. ${NOT_CALLED}`,
      {
        headers: { 'retry-after': String(seconds) },
        more: { ...more, target, retryAfterSeconds: seconds },
      },
    );
  }
  if (status >= 500) return problem('target-failed', `The server failed (status ${status}).`);
  const received =
    status === 200 ? (jsonBody(exchange).problem?.message ?? 'no list "functions"') : `status ${status}`;
  return problem(
    'target-broken',
    `The server's answer to GET /capabilities breaks the contract: expected status 200 and an object with a list "functions", received: ${safeText(received, 300)}.`,
  );
}

const MAX_RETRY_SECONDS = 3600;
const DEFAULT_RETRY_SECONDS = 10;

/** How long to wait before the next request to a target, in seconds (RFC 9110, section 10.2.3). */
export function retryAfterOf({ response }: AnsweredExchange, nowMs: number): number {
  const waitMs = retryAfterMs(headerValue(response.headers, 'retry-after'), nowMs);
  if (waitMs === null) return DEFAULT_RETRY_SECONDS;
  return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1000)));
}
