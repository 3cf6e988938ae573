/** The operations with separate rate limits. Only reads can be repeated without harm. */
export type Operation = 'read' | 'test' | 'execute';

/** One request, with what is needed to repeat it and to say what failed. */
export interface Call {
  /** `The search`, `The call of "add"`. */
  readonly what: string;
  readonly operation: Operation;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Removed from texts of the directory. */
  readonly apiKey: string;
  /** Requests with the same subject share a rate limit. */
  readonly subject: string;
  /** Whether it may be repeated if its outcome is unknown. */
  readonly isRepeatable: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Reads the body of an answer with success, however large it is. What it throws ends the call. */
  readonly read?: (body: AsyncIterable<Uint8Array>) => Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty if `read` of the call took it. */
  readonly body: string;
}
