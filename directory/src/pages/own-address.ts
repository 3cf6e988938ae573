import type { FastifyRequest } from 'fastify';
import type { ServiceSettings } from '../settings/service-settings.ts';

type Known = Pick<ServiceSettings, 'publicUrl'>;

/** Where readers reach the service, without a slash at its end. */
export function ownAddress(request: FastifyRequest, { publicUrl }: Known): string {
  return publicUrl ?? requestedOrigin(request) ?? 'http://localhost';
}

/** Whether readers reach the service by https, so that a cookie need never go another way. */
export function isReachedSecurely(request: FastifyRequest, { publicUrl }: Known): boolean {
  return request.protocol === 'https' || (publicUrl?.startsWith('https:') ?? false);
}

/** Whether a form was sent from one of our own pages: browsers say so, and no page can make them say it. */
export function isFromOwnPage(request: FastifyRequest, { publicUrl }: Known): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if (origin === undefined || site !== 'same-origin') return false;
  return origin === requestedOrigin(request) || (publicUrl !== null && origin === new URL(publicUrl).origin);
}

const HOST = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

/** The host is whatever the client says: shown to it alone, and only when it can be a host. */
function requestedOrigin({ protocol, host }: FastifyRequest): string | null {
  return HOST.test(host) ? `${protocol}://${host}` : null;
}
