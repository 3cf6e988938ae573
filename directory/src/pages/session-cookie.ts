import type { FastifyRequest } from 'fastify';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { SESSION_HOURS } from '../store/sessions.ts';
import { isReachedSecurely } from './own-address.ts';

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
