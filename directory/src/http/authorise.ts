import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Front } from '../accounts/front.ts';
import type { LimitState } from '../accounts/keys.ts';
import type { CallerKey } from '../accounts/known-keys.ts';
import type { RateLimit, Scope } from '../settings/settings.ts';
import { Problem, retryProblem } from './problem.ts';
import type { Service } from './service.ts';

const CHALLENGE = 'Bearer realm="probity directory"';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that the caller's key must have. */
    readonly scope?: Scope;
  }
  interface FastifyRequest {
    /** The caller, when its key is valid, even if the key lacks the scope. */
    caller: CallerKey | null;
  }
}

/** Requires a key with the right scope for every route that names a scope, before the rest of the request is read. */
export function authoriseCallers(app: FastifyInstance, service: Service): void {
  app.addHook('onRequest', async (request, reply) => {
    const { scope } = request.routeOptions.config;
    if (scope !== undefined) await authorise(service, reply, scope);
  });
}

/** The caller of a route that names a scope. */
export function callerOf({ caller }: FastifyRequest): CallerKey {
  if (caller === null) throw new Error('the request was not authorised');
  return caller;
}

/**
 * Identifies the caller by the bearer token (specification, section 5), and checks the scope and the rate limit of the
 * key.
 */
export async function authorise(
  { front, settings }: Service,
  reply: FastifyReply,
  scope: Scope,
): Promise<void> {
  const { request } = reply;
  const { authorization } = request.headers;
  const refusal = (code: 'unauthorised' | 'scope-missing', detail: string, error: string): Problem =>
    new Problem(code, detail, { headers: { 'www-authenticate': `${CHALLENGE}${error}` } });
  if (authorization === undefined)
    throw refusal('unauthorised', 'Send your API key as: Authorization: Bearer <API_KEY>', '');
  const [, token] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  const caller = token === undefined ? null : await front.keys.find(token);
  if (caller === null) {
    const detail =
      token === undefined
        ? 'The Authorization header must be: Bearer <API_KEY>'
        : 'This API key is unknown, revoked or expired.';
    throw refusal('unauthorised', detail, ', error="invalid_token"');
  }
  request.caller = caller;
  if (!caller.scopes.includes(scope)) {
    const detail = `This API key has no scope "${scope}"; it has: ${caller.scopes.join(', ')}.`;
    throw refusal('scope-missing', detail, `, error="insufficient_scope", scope="${scope}"`);
  }
  await countCall(front, reply, caller, settings.limits[scope]);
}

/** Counts a call of a caller against the limit of its key. */
export async function countCall(
  { counts }: Front,
  reply: FastifyReply,
  { keyId }: CallerKey,
  limit: RateLimit,
): Promise<void> {
  enforceLimit(reply, limit, await counts.count(`key:${keyId}`, limit), 'this API key');
}

/** Adds the headers of a rate limit, and refuses the call when the limit is exceeded. */
export function enforceLimit(reply: FastifyReply, limit: RateLimit, state: LimitState, of: string): void {
  const { name, calls, windowSeconds } = limit;
  const left = Math.max(0, calls - state.used);
  const fields = {
    'ratelimit-policy': appended(reply, 'ratelimit-policy', `"${name}";q=${calls};w=${windowSeconds}`),
    ratelimit: appended(reply, 'ratelimit', `"${name}";r=${left};t=${state.endsInSeconds}`),
  };
  if (state.used <= calls) {
    reply.headers(fields);
    return;
  }
  throw retryProblem(
    'rate-limited',
    `${of[0]?.toUpperCase()}${of.slice(1)} allows ${calls} calls in ${windowSeconds} s; retry in ${state.endsInSeconds} s.`,
    state.endsInSeconds,
    fields,
  );
}

/** A call may count against several limits; the header lists each of them. */
function appended(reply: FastifyReply, header: string, item: string): string {
  const before = reply.getHeader(header);
  return before === undefined ? item : `${String(before)}, ${item}`;
}
