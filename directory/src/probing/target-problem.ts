import {
  type AnsweredExchange,
  type Exchange,
  headerValue,
  jsonBody,
  ownProperty,
  retryAfterMs,
  shorten,
  visible,
} from 'probity/model';
import { Problem, type ProblemCode } from '../http/problem.ts';
import type { TargetRead } from './target-client.ts';

/** A target's own error (specification, section 7), made fit to be shown. */
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
    code: typeof code === 'string' ? shown(code, MAX_CODE_CHARACTERS) : '',
    message: typeof message === 'string' ? shown(message, MAX_MESSAGE_CHARACTERS) : '',
  };
}

/** A stranger's text, short, and with nothing in it that acts where it is shown. */
export function shown(text: string, maxCharacters: number): string {
  return shorten(visible(shorten(text, maxCharacters)), maxCharacters);
}

/** Whether a byte of the request may have been sent: without a connection there was none. */
export function mayHaveArrived({ timing, ...exchange }: Exchange): boolean {
  if (exchange.kind === 'answered') return true;
  return timing.connectMs !== null && exchange.reason.code !== 'request-refused';
}

const OUT_OF_TIME = new Set(['timeout', 'slow-upload', 'connect-timeout', 'client-suspended']);
const UNSENDABLE = new Set(['not-sent', 'request-refused']);

/** Why a target did not answer, with what follows for the call: `consequence`, a sentence. */
export function silenceProblem(
  exchange: Extract<Exchange, { kind: 'unanswered' }>,
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
  if (UNSENDABLE.has(code)) return problem('target-refused', `The server cannot be asked: ${why}.`);
  if (!mayHaveArrived(exchange))
    return problem('target-unreachable', `The server cannot be reached: ${why}.`);
  if (OUT_OF_TIME.has(code)) return problem('target-timeout', `The server did not answer in time: ${why}.`);
  return problem('target-broken', `The server's answer cannot be used: ${why}.`);
}

const NOT_CALLED = 'Its capabilities could not be read, so that the function was not called.';

/** Why a call was not made: nobody knows what functions the target has. */
export function capabilitiesProblem({ exchange }: TargetRead): Problem {
  const more = { mayHaveRun: false };
  if (exchange.kind === 'unanswered') return silenceProblem(exchange, NOT_CALLED, more);
  const { status } = exchange.response;
  const target = { status, error: targetErrorOf(exchange) };
  const problem = (code: ProblemCode, detail: string): Problem =>
    new Problem(code, `${detail} ${NOT_CALLED}`, { more: { ...more, target } });
  if (status === 401 || status === 403)
    return problem('target-refused', `The server refuses the directory (status ${status}).`);
  if (status >= 500) return problem('target-failed', `The server failed (status ${status}).`);
  const received =
    status === 200 ? (jsonBody(exchange).problem?.message ?? 'no list "functions"') : `status ${status}`;
  return problem(
    'target-broken',
    `The server's answer to GET /capabilities breaks the contract: expected status 200 and an object with a list "functions", received: ${shown(received, 300)}.`,
  );
}

const LONGEST_RETRY_SECONDS = 3600;
const USUAL_RETRY_SECONDS = 10;

/** When a target wants to be asked again, in seconds (RFC 9110, section 10.2.3). */
export function retryAfterOf({ response }: AnsweredExchange, nowMs: number): number {
  const waitMs = retryAfterMs(headerValue(response.headers, 'retry-after'), nowMs);
  if (waitMs === null) return USUAL_RETRY_SECONDS;
  return Math.min(LONGEST_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1000)));
}
