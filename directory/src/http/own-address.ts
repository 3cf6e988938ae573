import type { FastifyRequest } from 'fastify';
import type { ServiceSettings } from '../settings/settings.ts';

/** The address at which readers reach the service, without a trailing slash. */
export function ownAddress(
  request: FastifyRequest,
  { publicUrl }: Pick<ServiceSettings, 'publicUrl'>,
): string {
  return publicUrl ?? requestedOrigin(request) ?? 'http://localhost';
}

const HOST = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

/** The client chooses the Host header, so it is validated and used only in answers to that client. */
export function requestedOrigin({ protocol, host }: FastifyRequest): string | null {
  return HOST.test(host) ? `${protocol}://${host}` : null;
}
