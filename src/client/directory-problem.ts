import { type Json, ownProperty, shorten } from '../json/json.ts';
import { requestedWaitMs, TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import type { RecordOf } from '../model/saved/record-schema.ts';
import type { problem } from '../platform-api/problem.ts';
import type { ShapeProblem } from './answer-shapes.ts';
import type { ClientSettings } from './client-settings.ts';
import { DirectoryError } from './directory-error.ts';
import type { DirectoryRequest, ReceivedAnswer, SendFailure } from './send-once.ts';

/** The description of a call, for its errors. */
export interface Call {
  /** For messages: `The search`, `The call of "add"`. */
  readonly what: string;
  readonly request: DirectoryRequest;
  /** Whether a repetition could do harm. */
  readonly writes: boolean;
}

type ProblemMember = keyof RecordOf<typeof problem>;
type Redact = ClientSettings['withoutKey'];

/** Text that cannot forge lines of our output or control a terminal. */
function plain(text: string, withoutKey: Redact, maxCharacters = 300): string {
  return shorten(
    withoutKey(text)
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
    maxCharacters,
  );
}

/** The error for an answer without success (specification, section 7; RFC 9457). Pure. */
export function problemError(
  call: Call,
  answer: ReceivedAnswer,
  withoutKey: Redact,
  nowMs: number,
): DirectoryError {
  const { status, headers } = answer;
  const body = parsed(answer.body);
  const textAt = (from: Json | undefined, name: ProblemMember | 'message'): string | null => {
    const value = ownProperty(from, name);
    return typeof value === 'string' && value !== '' ? plain(value, withoutKey) : null;
  };
  const error = ownProperty(body, 'error');
  const code = textAt(body, 'code') ?? textAt(error, 'code') ?? `status-${status}`;
  const detail = textAt(body, 'detail') ?? textAt(error, 'message') ?? textAt(body, 'title');
  const headerId = headers.get('x-request-id');
  const requestId = textAt(body, 'requestId') ?? (headerId === null ? null : plain(headerId, withoutKey));
  const waitMs = requestedWaitMs(headers, nowMs);
  const retryAfterSeconds = waitMs === null ? null : Math.ceil(waitMs / 1000);
  const words = detail === null ? '' : `: ${detail.replace(/[.!?]$/, '')}`;
  return new DirectoryError(
    `${call.what} was refused by ${shownUrl(call)} with status ${status} (${code})${words}. ${remedyFor(status, call, { requestId, retryAfterSeconds })}`,
    { code, status, detail, requestId, retryAfterSeconds },
  );
}

function remedyFor(
  status: number,
  { request }: Call,
  { requestId, retryAfterSeconds }: Pick<DirectoryError, 'requestId' | 'retryAfterSeconds'>,
): string {
  const path = new URL(request.url).pathname;
  if (status === 401) return 'Give a valid API key of this directory.';
  if (status === 403) return 'Ask the directory’s operator for a key that allows it.';
  if (status === 404 && !/\/v\d+\/servers\//.test(path))
    return 'Check the base address, which usually ends in /v1.';
  if (status === 404) return 'Look for the id in a search.';
  if (status === TOO_MANY_REQUESTS)
    return retryAfterSeconds === null ? 'Try again later.' : `Try again in ${retryAfterSeconds} s.`;
  if (status >= 500)
    return `Try again later; if the problem persists, contact the directory’s operator${requestId === null ? '' : `, with the request id ${requestId}`}.`;
  return 'Fix the request as the directory says.';
}

/** The error for a request without an answer, or with an answer beyond the limits. Pure. */
export function failureError(
  call: Call,
  failure: SendFailure,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
  withoutKey: Redact,
): DirectoryError {
  const where = shownUrl(call);
  const unknown =
    call.writes && !wasNeverSent(failure)
      ? ' It is unknown whether it was executed; an idempotencyKey makes it safe to repeat.'
      : '';
  switch (failure.kind) {
    case 'unreachable':
      return new DirectoryError(
        `${call.what} got no answer from ${where}: ${plain(failure.reason, withoutKey)}. Check the address, and whether this machine can reach it.${unknown}`,
        { code: 'unreachable', cause: failure.cause },
      );
    case 'timeout':
      return new DirectoryError(
        `${call.what} was not answered by ${where} within ${timeoutMs / 1000} s. Try again, or allow more time (timeoutMs).${unknown}`,
        { code: 'timeout' },
      );
    case 'interrupted':
      return new DirectoryError(`${call.what} was interrupted.${unknown}`, { code: 'interrupted' });
    case 'too-large':
      return new DirectoryError(
        `${call.what} was answered by ${where} with more than ${maxBytes} bytes. Use a smaller limit, or contact the directory’s operator.`,
        { code: 'answer-too-large' },
      );
    case 'not-utf8':
      return badAnswer(call, { at: '', expected: 'JSON in UTF-8', received: 'other bytes' });
  }
}

function wasNeverSent(failure: SendFailure): boolean {
  return failure.kind === 'unreachable' && /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(failure.reason);
}

/** The error for an answer that violates the specification. Pure. */
export function badAnswer(
  call: Call,
  { at, expected, received }: ShapeProblem,
  withoutKey: Redact = (text) => text,
): DirectoryError {
  const place = at === '' ? '' : `at ${at} `;
  return new DirectoryError(
    `${call.what} got an answer from ${shownUrl(call)} that violates the specification: ${place}expected ${expected}, received ${plain(received, withoutKey)}. Check that this is the base address of a directory; if so, contact its operator.`,
    { code: 'bad-answer' },
  );
}

/** The key belongs to one origin, and a redirect may lead elsewhere. Pure. */
export function redirectError(
  call: Call,
  { status, headers }: ReceivedAnswer,
  withoutKey: Redact,
): DirectoryError {
  const location = headers.get('location');
  const where = location === null ? 'elsewhere' : `to ${plain(location, withoutKey)}`;
  return new DirectoryError(
    `${call.what} was redirected by ${shownUrl(call)} ${where}. Redirects are not followed, so that the API key reaches no other host. If the directory has moved there, use that base address.`,
    { code: 'redirected', status: status === 0 ? null : status },
  );
}

export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function shownUrl({ request: { url } }: Call): string {
  const { origin, pathname } = new URL(url);
  return shorten(`${origin}${pathname}`, 200);
}
