import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemBody } from 'probity/model';

/** The status and title of every problem code. */
export const PROBLEMS = {
  'bad-request': { status: 400, title: 'The request is invalid' },
  'bad-parameter': { status: 400, title: 'A parameter is invalid' },
  'bad-body': { status: 400, title: 'The body is invalid' },
  unauthorised: { status: 401, title: 'A valid API key is required' },
  'scope-missing': { status: 403, title: 'The API key does not allow this' },
  'server-rejected': { status: 403, title: 'The directory does not call this server' },
  'server-not-found': { status: 404, title: 'Server not found' },
  'contract-not-found': { status: 404, title: 'No contract is known' },
  'function-not-found': { status: 404, title: 'Function not found' },
  'no-such-path': { status: 404, title: 'Path not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'server-withdrawn': { status: 410, title: 'The operator of this directory removed this server' },
  'position-unknown': { status: 410, title: 'The changes after this cursor are no longer known' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'call-under-way': { status: 409, title: 'A call with this Idempotency-Key is under way' },
  'outcome-unknown': { status: 409, title: 'The outcome of the call is unknown' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'not-json': { status: 415, title: 'The body must be JSON' },
  'key-reused': { status: 422, title: 'The Idempotency-Key belongs to another call' },
  'input-refused': { status: 422, title: 'The server refuses the input' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  busy: { status: 429, title: 'The service is busy' },
  'internal-error': { status: 500, title: 'The service failed' },
  'target-failed': { status: 502, title: 'The function failed on its server' },
  'target-broken': { status: 502, title: 'The server breaks the contract' },
  'target-unreachable': { status: 502, title: 'The server cannot be reached' },
  'target-refused': { status: 502, title: 'The server cannot be called' },
  unavailable: { status: 503, title: 'The service is not ready' },
  'target-timeout': { status: 504, title: 'The server did not answer in time' },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

/** Thrown when a request cannot be fulfilled; `answerProblem` sends it. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of the body, for programs. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    detail: string,
    { headers = {}, more = {} }: Partial<Pick<Problem, 'headers' | 'more'>> = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.headers = headers;
    this.more = more;
  }
}

/** A problem that ends by itself: the header and the body say when to retry. */
export function retryProblem(
  code: ProblemCode,
  detail: string,
  retryAfterSeconds: number,
  headers: Readonly<Record<string, string>> = {},
): Problem {
  return new Problem(code, detail, {
    headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
    more: { retryAfterSeconds },
  });
}

/** The answer of a paused server, until its pause ends; null: until somebody resumes it. `reason` is for everybody. */
export function pausedProblem(
  { until, reason }: { readonly until: Date | null; readonly reason: string | null },
  nowMs: number,
): Problem {
  const words = 'This server is paused: it is neither called nor tested';
  const why = reason === null ? '' : ` The operator of the directory says: ${reason}`;
  if (until === null)
    return new Problem(
      'unavailable',
      `${words} until the operator of the directory resumes it, at a time that is not known yet.${why}`,
    );
  const seconds = Math.max(1, Math.ceil((until.getTime() - nowMs) / 1000));
  return retryProblem('unavailable', `${words} until ${until.toISOString()}.${why}`, seconds);
}

export interface ParameterProblem {
  readonly parameter: string;
  readonly detail: string;
}

export function badParameters(problems: readonly ParameterProblem[]): Problem {
  const detail = problems.map((one) => `${one.parameter} ${one.detail}`).join('; ');
  return new Problem('bad-parameter', detail, { more: { parameters: problems } });
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export function problemBody({ code, message, more }: Problem, requestId: string): ProblemBody {
  const { status, title } = PROBLEMS[code];
  return { type: 'about:blank', title, status, detail: message, code, requestId, ...more };
}

export function answerProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(PROBLEMS[problem.code].status)
    .headers({ ...commonHeaders(reply.request), 'cache-control': 'no-store', ...problem.headers })
    .type(PROBLEM_MEDIA_TYPE)
    .send(JSON.stringify(problemBody(problem, reply.request.id)));
}

/** The headers of every answer. */
export function commonHeaders({ id }: FastifyRequest): Readonly<Record<string, string>> {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff' };
}

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
  410: 'The operator removed this server, or the changes after this cursor are no longer known.',
  413: 'The body is too large.',
  415: 'The body must be JSON.',
  422: 'The server refuses the input, or the Idempotency-Key belongs to another call.',
  429: 'A rate limit is exceeded; Retry-After says when to retry.',
  500: 'The service failed.',
  502: 'The server failed, cannot be reached, or breaks its contract.',
  503: 'The service is not ready.',
  504: 'The server did not answer in time.',
};
