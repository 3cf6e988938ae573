import { jsonOrNull, ownProperty, ownText, shorten } from '../json/json.ts';
import { ExpectedError } from '../model/expected-error.ts';
import { requestedWaitMs, TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import type { Answer, Call } from './call.ts';

/** The errors of the client itself; the directory has further codes. */
export type ClientErrorCode =
  | 'bad-base-url'
  | 'bad-key'
  | 'insecure'
  | 'bad-argument'
  | 'unknown-function'
  | 'rate-limited'
  | 'unreachable'
  | 'timeout'
  | 'interrupted'
  | 'redirected'
  | 'answer-too-large'
  | 'bad-answer';

interface Facts {
  readonly code: ClientErrorCode | (string & {});
  readonly status?: number | null;
  readonly detail?: string | null;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly cause?: unknown;
}

/**
 * A failed call of a directory. Its message says what failed, where, and the remedy, and never contains the API key.
 */
export class DirectoryError extends ExpectedError {
  override readonly name = 'DirectoryError';
  /** A `ClientErrorCode`, or the `code` of the directory's problem, or `status-NNN` if it has none. */
  readonly code: string;
  /** Null if the directory did not answer, or no request was sent. */
  readonly status: number | null;
  /** The directory's description of the problem. */
  readonly detail: string | null;
  /** For questions to the directory's operator. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    { code, status = null, detail = null, requestId = null, retryAfterSeconds = null, cause }: Facts,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function withoutKey(text: string, { apiKey }: Call): string {
  return text.replaceAll(apiKey, '(API key)').replaceAll(encodeURIComponent(apiKey), '(API key)');
}

/** Text that contains no key, and cannot forge lines of our output or control a terminal. */
function plain(text: string, call: Call): string {
  const line = withoutKey(text, call).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return shorten(line.trim(), MAX_SHOWN_CHARACTERS);
}

const MAX_SHOWN_CHARACTERS = 300;
const MAX_ADDRESS_CHARACTERS = 200;

export function placeOf({ url }: Call): string {
  const { origin, pathname } = new URL(url);
  return shorten(`${origin}${pathname}`, MAX_ADDRESS_CHARACTERS);
}

/** The error for an answer without success (specification, section 7; RFC 9457). Pure. */
export function refusedError(call: Call, { status, headers, body }: Answer, nowMs: number): DirectoryError {
  // Browsers report a redirect that is not followed as status 0.
  if ((status >= 300 && status < 400) || status === 0)
    return redirectError(call, status, headers.get('location'));
  const problem = jsonOrNull(body);
  const error = ownProperty(problem, 'error');
  const first = (...texts: readonly (string | null)[]): string | null => {
    const text = texts.find((one) => one !== null && one !== '') ?? null;
    return text === null ? null : plain(text, call);
  };
  const code = first(ownText(problem, 'code'), ownText(error, 'code')) ?? `status-${status}`;
  const detail = first(ownText(problem, 'detail'), ownText(error, 'message'), ownText(problem, 'title'));
  const requestId = first(ownText(problem, 'requestId'), headers.get('x-request-id'));
  const waitMs = requestedWaitMs(headers, nowMs);
  const retryAfterSeconds = waitMs === null ? null : Math.ceil(waitMs / 1000);
  const facts = { code, status, detail, requestId, retryAfterSeconds };
  const ofFunction = ownProperty(ownProperty(problem, 'target'), 'error') ?? error;
  if (ownText(ofFunction, 'code') === 'EXECUTION_ERROR') {
    const text = first(ownText(ofFunction, 'message'), detail) ?? 'it does not say which';
    return new DirectoryError(
      `${call.what} failed: the function reported an error: ${text.replace(/[.!?]$/, '')}. Change the input if the text asks for it. The function may have run: repeat the call only if that does no harm.`,
      facts,
    );
  }
  const words = detail === null ? '' : `: ${detail.replace(/[.!?]$/, '')}`;
  return new DirectoryError(
    `${call.what} was refused by ${placeOf(call)} with status ${status} (${code})${words}. ${remedyFor(facts, call)}`,
    facts,
  );
}

type Refusal = Required<Omit<Facts, 'cause'>> & { readonly status: number };

function remedyFor({ code, status, requestId, retryAfterSeconds }: Refusal, { url }: Call): string {
  if (status === 401) return 'Give a valid API key of this directory.';
  if (status === 403) return 'Ask the directory’s operator for a key that allows it.';
  if (code === 'function-not-found' || code === 'FUNCTION_NOT_FOUND')
    return 'Look for the name of the function in the details of the server.';
  if (status === 404)
    return /\/v\d+\/servers\//.test(new URL(url).pathname)
      ? 'Look for the id in a search.'
      : 'Check the base address, which usually ends in /v1.';
  if (status === TOO_MANY_REQUESTS)
    return retryAfterSeconds === null ? 'Try again later.' : `Try again in ${retryAfterSeconds} s.`;
  if (status >= 500)
    return `Try again later; if the problem persists, contact the directory’s operator${requestId === null ? '' : `, with the request id ${requestId}`}.`;
  return 'Fix the request as the directory says.';
}

/** The key belongs to one origin, and a redirect may lead elsewhere. */
function redirectError(call: Call, status: number, location: string | null): DirectoryError {
  const where = location === null ? 'elsewhere' : `to ${plain(location, call)}`;
  return new DirectoryError(
    `${call.what} was redirected by ${placeOf(call)} ${where}. Redirects are not followed, so that the API key reaches no other host. If the directory has moved there, use that base address.`,
    { code: 'redirected', status: status === 0 ? null : status },
  );
}

/** The error for a request without an answer. Pure. */
export function unansweredError(
  call: Call,
  kind: 'interrupted' | 'timeout' | 'unreachable',
  cause: unknown,
): DirectoryError {
  const reason = kind === 'unreachable' ? reasonOf(cause) : '';
  const doubt =
    call.operation === 'read' || NEVER_SENT.has(reason)
      ? ''
      : ' It is unknown whether it was executed; an idempotencyKey makes it safe to repeat.';
  if (kind === 'interrupted')
    return new DirectoryError(`${call.what} was interrupted.${doubt}`, { code: kind });
  if (kind === 'timeout')
    return new DirectoryError(
      `${call.what} was not answered by ${placeOf(call)} within ${call.timeoutMs / 1000} s. Try again, or allow more time (timeoutMs).${doubt}`,
      { code: kind },
    );
  return new DirectoryError(
    `${call.what} got no answer from ${placeOf(call)}: ${plain(reason, call)}. Check the address, and whether this machine can reach it.${doubt}`,
    { code: kind, cause },
  );
}

const NEVER_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** `fetch` hides the reason in its cause or, for several addresses, in one of the errors of the cause. */
function reasonOf(error: unknown): string {
  const { cause, message = String(error) } = error as { cause?: unknown; message?: string };
  const { code, errors } = (cause ?? error) as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const known = [code, errors?.[0]?.code].find((one) => typeof one === 'string');
  return known === undefined ? (cause as Error | undefined)?.message || message : String(known);
}

/** A place where an answer does not follow the specification. */
export interface ShapeProblem {
  /** A JSON pointer. */
  readonly at: string;
  readonly expected: string;
  readonly received: string;
}

/** The error for an answer that violates the specification. Pure. */
export function badAnswer(call: Call, { at, expected, received }: ShapeProblem): DirectoryError {
  const place = at === '' ? '' : `at ${at} `;
  return new DirectoryError(
    `${call.what} got an answer from ${placeOf(call)} that violates the specification: ${place}expected ${expected}, received ${plain(received, call)}. Check that this is the base address of a directory; if so, contact its operator.`,
    { code: 'bad-answer' },
  );
}
