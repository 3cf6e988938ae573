import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimit } from '../settings/service-settings.ts';
import { authenticate, type Caller, type LimitState } from '../store/keys.ts';
import type { Db } from '../store/open-store.ts';
import type { Scope } from '../store/scopes.ts';
import { Problem } from './problem.ts';

const CHALLENGE = 'Bearer realm="probity directory"';

/**
 * Who asks, by the bearer token (specification, section 5), if the key allows what is asked for and its limit is not
 * used up.
 */
export async function authorise(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  scope: Scope,
  limit: RateLimit,
): Promise<Caller> {
  const { authorization } = request.headers;
  if (authorization === undefined)
    throw new Problem('unauthorised', 'Send your API key as: Authorization: Bearer <API_KEY>', {
      headers: { 'www-authenticate': CHALLENGE },
    });
  const [, token] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  const caller = token === undefined ? null : await authenticate(db, token, limit);
  if (caller === null)
    throw new Problem(
      'unauthorised',
      token === undefined
        ? 'The Authorization header must be: Bearer <API_KEY>'
        : 'This API key is not known, was revoked, or has expired.',
      { headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` } },
    );
  request.keyId = caller.keyId;
  if (!caller.scopes.includes(scope))
    throw new Problem(
      'scope-missing',
      `This API key has no scope "${scope}"; it has: ${caller.scopes.join(', ')}.`,
      {
        headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
      },
    );
  keepWithin(reply, limit, caller, 'this API key');
  return caller;
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
