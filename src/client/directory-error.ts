import { ExpectedError } from '../model/expected-error.ts';

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

export interface DirectoryErrorFacts {
  readonly code: string;
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
