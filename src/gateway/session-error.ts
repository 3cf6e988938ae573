import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { jsonOrNull, ownProperty } from '../json/json.ts';
import { transportFailure } from '../probe/transport-failure.ts';
import { INVALID_MESSAGE, SubjectError, type SubjectFault, TOO_LONG_MESSAGE } from './subject.ts';

/** What takes the place of answers that cannot be passed on. */
const FAULT_OF_MESSAGE: ReadonlyMap<number, SubjectFault> = new Map([
  [INVALID_MESSAGE, 'invalid'],
  [TOO_LONG_MESSAGE, 'too-large'],
]);

/** The process of the server has ended, and its end is not reported yet. */
const WRITTEN_TOO_LATE: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** The error for what the client of the protocol threw; `lost` says why the connection ended. Pure. */
export function subjectError(
  error: unknown,
  lost: string | null,
  redact: (text: string) => string,
): SubjectError {
  const because = (fault: SubjectFault, message: string, code: number | null = null): SubjectError =>
    new SubjectError(fault, message, { cause: error, code });
  if (lost !== null) return because('ended', lost);
  // Of the first question in the newest revision.
  if (
    error instanceof SdkError &&
    error.code === SdkErrorCode.EraNegotiationFailed &&
    error.cause instanceof TypeError
  )
    return subjectError(error.cause, lost, redact);
  // The parsers and writers of JSON recurse.
  if (error instanceof RangeError) return because('unsendable', 'it is nested too deeply');
  if (WRITTEN_TOO_LATE.has((error as NodeJS.ErrnoException).code ?? ''))
    return because('ended', 'the server ended');
  if (error instanceof ProtocolError)
    return because(FAULT_OF_MESSAGE.get(error.code) ?? 'refused', error.message, error.code);
  if (error instanceof SdkHttpError) return httpError(error, because, redact);
  // A scope that the token lacks has an error of its own, which is no error of HTTP.
  if (error instanceof Error && /scope|unauthori[sz]ed/i.test(error.name + error.message))
    return because(
      'invalid',
      `the answer has the status 403, so the server refuses the token or misses one: ${redact(error.message).slice(0, MAX_SHOWN_CHARACTERS)}`,
    );
  // fetch rejects with it when no answer came.
  if (error instanceof TypeError) {
    const failure = transportFailure(error);
    return new SubjectError('ended', failure.message, { cause: error, failure });
  }
  const failure = transportFailure(error);
  if (failure.code === 'body-too-large') return because('too-large', failure.message);
  if (!(error instanceof SdkError)) return because('invalid', 'it cannot be read');
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return because('timeout', 'the request was cancelled');
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
      return because('ended', 'the connection was closed');
    default:
      return because('invalid', error.message);
  }
}

const MAX_SHOWN_CHARACTERS = 200;
/** Statuses with which a server refuses a token, or misses one. */
export const UNAUTHORISED: ReadonlySet<number> = new Set([401, 403]);

/** A server may send an error of the protocol with an HTTP status of its own choice. */
function httpError(
  { status, data }: SdkHttpError,
  because: (fault: SubjectFault, message: string, code?: number) => SubjectError,
  redact: (text: string) => string,
): SubjectError {
  const text = String(ownProperty(data, 'text') ?? '');
  const error = ownProperty(jsonOrNull(text), 'error');
  const [code, message] = [ownProperty(error, 'code'), ownProperty(error, 'message')];
  if (typeof code === 'number') return because('refused', typeof message === 'string' ? message : text, code);
  const hint = UNAUTHORISED.has(status) ? ', so the server refuses the token or misses one' : '';
  const body = text === '' ? '' : `: ${redact(text).slice(0, MAX_SHOWN_CHARACTERS)}`;
  return because('invalid', `the answer has the status ${status}${hint}${body}`);
}

/** The HTTP status behind an error of a session; null without one. */
export function statusOf(error: unknown): number | null {
  if (error instanceof SubjectError) return statusOf(error.cause);
  return error instanceof SdkHttpError ? (error.status ?? null) : null;
}
