import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemBody } from 'probity/model';

/** Every code that the service answers with: its status and title. */
export const PROBLEMS = {
  'bad-request': { status: 400, title: 'The request cannot be understood' },
  'bad-parameter': { status: 400, title: 'A parameter is wrong' },
  'bad-body': { status: 400, title: 'The body is wrong' },
  unauthorised: { status: 401, title: 'A valid API key is needed' },
  'scope-missing': { status: 403, title: 'The API key does not allow this' },
  'server-rejected': { status: 403, title: 'The server is not one to call' },
  'server-not-found': { status: 404, title: 'There is no such server' },
  'function-not-found': { status: 404, title: 'The server has no such function' },
  'no-such-path': { status: 404, title: 'There is nothing here' },
  'method-not-allowed': { status: 405, title: 'This path takes another method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'call-under-way': { status: 409, title: 'A call with this Idempotency-Key is under way' },
  'outcome-unknown': { status: 409, title: 'Nobody knows what came of the call' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'not-json': { status: 415, title: 'The body must be JSON' },
  'key-reused': { status: 422, title: 'The Idempotency-Key belongs to another call' },
  'input-refused': { status: 422, title: 'The server refuses the input' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  busy: { status: 429, title: 'Too much is under way' },
  'internal-error': { status: 500, title: 'The service failed' },
  'target-failed': { status: 502, title: 'The function failed on its server' },
  'target-broken': { status: 502, title: 'The server does not keep the contract' },
  'target-unreachable': { status: 502, title: 'The server cannot be reached' },
  'target-refused': { status: 502, title: 'The server may not be asked' },
  unavailable: { status: 503, title: 'The service is not ready' },
  'target-timeout': { status: 504, title: 'The server did not answer in time' },
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

/** Thrown by whatever cannot do what was asked; `answerProblem` writes it. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of the body, for programs. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    detail: string,
    {
      headers = {},
      more = {},
    }: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly more?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.headers = headers;
    this.more = more;
  }
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

/** Of every answer, whoever makes it. */
export function commonHeaders({ id }: FastifyRequest): Readonly<Record<string, string>> {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff' };
}
