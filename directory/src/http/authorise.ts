import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../settings/service-settings.ts';
import { authenticate, type Caller, type LimitState } from '../store/keys.ts';
import type { Scope } from '../store/scopes.ts';
import { Problem } from './problem.ts';
import type { Service } from './service.ts';

const CHALLENGE = 'Bearer realm="probity directory"';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the key of a caller must allow. */
    readonly scope?: Scope;
  }
  interface FastifyRequest {
    /** Who showed a key that is known, whether or not it allows what is asked for. */
    caller: Caller | null;
  }
}

/** Lets nobody call the routes that name a scope but who may, before anything else of the request is read. */
export function authoriseCallers(app: FastifyInstance, service: Service): void {
  app.addHook('onRequest', async (request, reply) => {
    const { scope } = request.routeOptions.config;
    if (scope !== undefined) await authorise(service, request, reply, scope);
  });
}

/** Who called a route that names a scope. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('a call came by without having been authorised');
  return caller;
}

/**
 * Finds out who asks, by the bearer token (specification, section 5), and that the key allows what is asked for and its
 * limit is not used up.
 */
export async function authorise(
  { store, settings }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  scope: Scope,
): Promise<void> {
  const limit = settings.limits[scope];
  const { authorization } = request.headers;
  if (authorization === undefined)
    throw new Problem('unauthorised', 'Send your API key as: Authorization: Bearer <API_KEY>', {
      headers: { 'www-authenticate': CHALLENGE },
    });
  const [, token] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  const caller = token === undefined ? null : await authenticate(store.db, token, limit);
  if (caller === null)
    throw new Problem(
      'unauthorised',
      token === undefined
        ? 'The Authorization header must be: Bearer <API_KEY>'
        : 'This API key is not known, was revoked, or has expired.',
      { headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` } },
    );
  request.caller = caller;
  if (!caller.scopes.includes(scope))
    throw new Problem(
      'scope-missing',
      `This API key has no scope "${scope}"; it has: ${caller.scopes.join(', ')}.`,
      {
        headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
      },
    );
  keepWithin(reply, limit, caller, 'this API key');
}

/** Tells how much of a limit is left, and refuses the call when it is used up. */
export function keepWithin(reply: FastifyReply, limit: RateLimit, state: LimitState, of: string): void {
  const { name, calls, windowSeconds } = limit;
  const left = Math.max(0, calls - state.used);
  const fields = {
    'ratelimit-policy': listed(reply, 'ratelimit-policy', `"${name}";q=${calls};w=${windowSeconds}`),
    ratelimit: listed(reply, 'ratelimit', `"${name}";r=${left};t=${state.endsInSeconds}`),
  };
  if (state.used <= calls) {
    reply.headers(fields);
    return;
  }
  throw new Problem(
    'rate-limited',
    `${of[0]?.toUpperCase()}${of.slice(1)} allows ${calls} calls in ${windowSeconds} s; ask again in ${state.endsInSeconds} s.`,
    {
      headers: { ...fields, 'retry-after': String(state.endsInSeconds) },
      more: { retryAfterSeconds: state.endsInSeconds },
    },
  );
}

/** A call may count against several limits, of which each is told. */
function listed(reply: FastifyReply, header: string, item: string): string {
  const before = reply.getHeader(header);
  return before === undefined ? item : `${String(before)}, ${item}`;
}
