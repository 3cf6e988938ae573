import type { FastifyRequest } from 'fastify';
import type { ServiceSettings } from '../settings/service-settings.ts';

type Known = Pick<ServiceSettings, 'publicUrl'>;

/** The address at which readers reach the service, without a trailing slash. */
export function ownAddress(request: FastifyRequest, { publicUrl }: Known): string {
  return publicUrl ?? requestedOrigin(request) ?? 'http://localhost';
}

/** Whether readers reach the service by https, so that cookies can be `Secure`. */
export function isReachedSecurely(request: FastifyRequest, { publicUrl }: Known): boolean {
  return request.protocol === 'https' || (publicUrl?.startsWith('https:') ?? false);
}

/** Whether a form was sent from a page of the directory. Browsers set these headers, and pages cannot change them. */
export function isFromOwnPage(request: FastifyRequest, { publicUrl }: Known): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if (origin === undefined || site !== 'same-origin') return false;
  return origin === requestedOrigin(request) || (publicUrl !== null && origin === new URL(publicUrl).origin);
}

const HOST = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

/** The client chooses the Host header, so it is validated and used only in answers to that client. */
function requestedOrigin({ protocol, host }: FastifyRequest): string | null {
  return HOST.test(host) ? `${protocol}://${host}` : null;
}
