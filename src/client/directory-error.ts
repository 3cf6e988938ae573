import { ExpectedError } from '../model/expected-error.ts';

/** What went wrong before or instead of an answer of the directory; its own codes come besides. */
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

export interface DirectoryErrorFacts {
  readonly code: string;
  readonly status?: number | null;
  readonly detail?: string | null;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly cause?: unknown;
}

/** A call of a directory that came to nothing. Its message says what, where and the remedy, and never holds the API key. */
export class DirectoryError extends ExpectedError {
  override readonly name = 'DirectoryError';
  /** A `ClientErrorCode`, or the `code` of the directory's problem, or `status-NNN` where it gives none. */
  readonly code: string;
  /** Null where the directory did not answer, or was not asked. */
  readonly status: number | null;
  /** The directory's own words. */
  readonly detail: string | null;
  /** To be given to the directory's operator. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    facts: DirectoryErrorFacts & { readonly code: ClientErrorCode | (string & {}) },
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? null;
    this.detail = facts.detail ?? null;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}
