import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerKey } from '../accounts/known-keys.ts';
import { readSession, SESSION_HOURS } from '../accounts/sessions.ts';
import { authorise, countCall } from '../http/authorise.ts';
import { requestedOrigin } from '../http/own-address.ts';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import type { ServiceSettings } from '../settings/settings.ts';

/** Who reads a page: everybody when the pages are public, a signed-in session, or a request with an API key. */
export type Reader = 'everybody' | 'session' | 'key';

/** @throws Problem when a key is required and missing or invalid, or its limit is exceeded */
export async function readerOf(service: Service, reply: FastifyReply): Promise<Reader> {
  const { store, front, settings } = service;
  const { request } = reply;
  if (settings.publicPages) return 'everybody';
  if (request.headers.authorization !== undefined) {
    await authorise(service, reply, 'read');
    return 'key';
  }
  const token = sessionTokenIn(request, settings);
  const session = token === null ? null : await readSession(store.db, token);
  if (session === null || !session.scopes.includes('read'))
    throw new Problem('unauthorised', 'Sign in with an API key to read this directory.', {
      headers: { 'www-authenticate': 'Bearer realm="probity directory"' },
    });
  // Pages count against the same limit as API calls with the key.
  await countCall(front, reply, session, settings.limits.read);
  return 'session';
}

/** The operator who reads or sends a page; throws a problem for everybody else. A key in a header is not enough. */
export async function operatorOf(service: Service, reply: FastifyReply): Promise<CallerKey> {
  const { store, front, settings } = service;
  const token = sessionTokenIn(reply.request, settings);
  const session = token === null ? null : await readSession(store.db, token);
  if (session === null) {
    const { authorization } = reply.request.headers;
    const notEnough =
      authorization === undefined
        ? ''
        : ' A key in the Authorization header is only for /v1, not for this page.';
    throw new Problem('unauthorised', `Sign in with an API key with the scope "admin".${notEnough}`, {
      headers: { 'www-authenticate': 'Bearer realm="probity directory"' },
    });
  }
  if (!session.scopes.includes('admin'))
    throw new Problem(
      'scope-missing',
      'The API key of this session has no scope "admin". Sign out, and sign in with another key.',
    );
  await countCall(front, reply, session, settings.limits.admin);
  return session;
}

const NAME = 'probity-session';

/** With the prefix `__Host-`, browsers accept the cookie only from this exact host. */
function nameOf(secure: boolean): string {
  return secure ? `__Host-${NAME}` : NAME;
}

export function sessionTokenIn(request: FastifyRequest, settings: ServiceSettings): string | null {
  const wanted = nameOf(isReachedSecurely(request, settings));
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === wanted) return value;
  }
  return null;
}

/** The Set-Cookie header for a session token; null removes the cookie. */
export function sessionCookie(
  request: FastifyRequest,
  settings: ServiceSettings,
  token: string | null,
): string {
  const secure = isReachedSecurely(request, settings);
  return [
    `${nameOf(secure)}=${token ?? ''}`,
    'Path=/',
    `Max-Age=${token === null ? 0 : SESSION_HOURS * 60 * 60}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}

type Known = Pick<ServiceSettings, 'publicUrl'>;

/** Whether readers reach the service by https, so that cookies can be `Secure`. */
function isReachedSecurely(request: FastifyRequest, { publicUrl }: Known): boolean {
  return request.protocol === 'https' || (publicUrl?.startsWith('https:') ?? false);
}

/** Whether a form was sent from a page of the directory. Browsers set these headers, and pages cannot change them. */
export function isFromOwnPage(request: FastifyRequest, { publicUrl }: Known): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if (origin === undefined || site !== 'same-origin') return false;
  return origin === requestedOrigin(request) || (publicUrl !== null && origin === new URL(publicUrl).origin);
}
