/** The problems that an operation may answer with; some are common to all operations. */
export function problemAnswers(...statuses: readonly number[]): Record<string, object> {
  return Object.fromEntries(
    [...new Set([401, 403, 429, 500, ...statuses])].map((status) => [
      String(status),
      {
        description: PROBLEM_WORDS[status] ?? 'A problem.',
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  );
}

const PROBLEM_WORDS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; the problem says why.',
  401: 'The API key is missing or invalid.',
  403: 'The API key does not allow this.',
  404: 'The server or the function was not found.',
  409: 'A call with this Idempotency-Key is under way, or its outcome is unknown.',
  410: 'The changes after this cursor are no longer known; read GET /dump again.',
  413: 'The body is too large.',
  415: 'The body must be JSON.',
  422: 'The server refuses the input, or the Idempotency-Key belongs to another call.',
  429: 'A rate limit is exceeded; Retry-After says when to retry.',
  500: 'The service failed.',
  502: 'The server failed, cannot be reached, or breaks its contract.',
  503: 'The service is not ready.',
  504: 'The server did not answer in time.',
};
