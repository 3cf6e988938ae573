import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { MIMEType } from 'node:util';
import type { FastifyError, FastifyInstance, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import {
  decodeJson,
  isJsonObject,
  type Json,
  jsonTypeOf,
  type RecordSchema,
  schemaWords,
  shorten,
  showJson,
} from 'probity/model';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, Problem, problemBody } from './problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What to send instead of an invalid body. */
    readonly bodyRemedy?: string;
    /** The problem with an invalid header, and what to send instead. */
    readonly headerRemedy?: string;
    /** Members of each problem of the operation, unless the problem itself has others. */
    readonly problemMembers?: Readonly<Record<string, unknown>>;
  }
  interface FastifyRequest {
    bodyText: string;
    /** Whether the parsed body holds all numbers without rounding. */
    bodyIsExact: boolean;
  }
}

/** The problem for a part of a request that violates its schema. */
export function validationProblem(
  { validation = [], validationContext }: Partial<FastifyError>,
  request: FastifyRequest,
): Problem {
  const { headerRemedy } = request.routeOptions.config;
  if (validationContext === 'headers' && headerRemedy !== undefined)
    return new Problem('bad-request', headerRemedy);
  return badBody((validation as SchemaError[]).map(wordsOf).join('; '), request);
}

export function badBody(what: string, request: FastifyRequest): Problem {
  return new Problem(
    'bad-body',
    `The body is invalid: ${what}. ${request.routeOptions.config.bodyRemedy ?? ''}`.trim(),
  );
}

/** An error of the validator, which runs with the option `verbose`. */
interface SchemaError extends FastifySchemaValidationError {
  readonly data: Json;
  readonly parentSchema: RecordSchema;
}

const MAX_NAMED = 5;

function wordsOf({ keyword, instancePath, params, data, parentSchema }: SchemaError): string {
  if (instancePath === '' && data === null) return 'the body is empty';
  const name = instancePath === '' ? 'it' : JSON.stringify(instancePath.slice(1));
  if (keyword === 'required') return `"${params.missingProperty}" is missing`;
  if (keyword === 'additionalProperties' && isJsonObject(data)) {
    const known = Object.keys(parentSchema.properties ?? {});
    const unknown = Object.keys(data).filter((key) => !known.includes(key));
    const named = unknown.slice(0, MAX_NAMED).map((key) => shorten(JSON.stringify(key), 60));
    const more = unknown.length > MAX_NAMED ? `, and ${unknown.length - MAX_NAMED} more` : '';
    const allowed = known.map((key) => JSON.stringify(key)).join(' and ');
    return `${name} contains ${named.join(', ')}${more}; only ${allowed} are allowed`;
  }
  return `${name} must be ${schemaWords(parentSchema)}, not ${keyword === 'type' ? jsonTypeOf(data) : showJson(data)}`;
}

/** Throws when a request has two Host headers, of which a proxy may believe the other one (RFC 9112, section 3.2). */
export function refuseSecondHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new Problem('bad-request', 'The request has more than one Host header.');
}

/** Answers bytes that are not HTTP, or a request that never ends. Fastify has no request object for them. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new Problem('request-timeout', 'The request did not arrive in time.')
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? new Problem('headers-too-large', 'The headers are too large.')
        : new Problem('bad-request', 'This is not an HTTP/1.1 request.');
  const { status } = PROBLEMS[problem.code];
  const body = JSON.stringify(problemBody(problem, randomUUID()));
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** Routes of the scope accept only strict JSON. They also get its text, which holds numbers that a double cannot. */
export function acceptJsonOnly(scope: FastifyInstance): void {
  scope.decorateRequest('bodyText', '');
  scope.decorateRequest('bodyIsExact', true);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (bytes.byteLength === 0) return undefined;
      refuseOtherCharsets(request.headers['content-type'] ?? '');
      const { value, problem, numbers } = decodeJson(bytes);
      if (problem !== null)
        throw badBody(`${problem.message}${problem.pointer ? ` (${problem.pointer})` : ''}`, request);
      request.bodyText = bytes.toString('utf8');
      request.bodyIsExact = numbers.length === 0;
      return value;
    },
  );
}

/** JSON is UTF-8 (RFC 8259, section 8.1); ASCII is a part of it. */
function refuseOtherCharsets(contentType: string): void {
  if (contentType === 'application/json') return;
  const charset = new MIMEType(contentType).params.get('charset') ?? 'utf-8';
  if (!['utf-8', 'utf8', 'us-ascii'].includes(charset.toLowerCase()))
    throw new Problem('not-json', `JSON is sent as UTF-8, and not as ${shorten(charset, 40)}.`);
}
