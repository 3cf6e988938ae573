import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorise, countOf, enforceLimit } from '../http/authorise.ts';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { readSession } from '../store/sessions.ts';
import { sessionTokenIn } from './session-cookie.ts';

/** Who reads a page: everybody when the pages are public, a signed-in session, or a request with an API key. */
export type Reader = 'everybody' | 'session' | 'key';

/** @throws Problem when a key is required and missing or invalid, or its limit is exceeded */
export async function readerOf(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Reader> {
  const { store, front, settings } = service;
  if (settings.publicPages) return 'everybody';
  const { read } = settings.limits;
  if (request.headers.authorization !== undefined) {
    await authorise(service, request, reply, 'read');
    return 'key';
  }
  const token = sessionTokenIn(request, settings);
  const session = token === null ? null : await readSession(store.db, token);
  if (session === null || !session.scopes.includes('read'))
    throw new Problem('unauthorised', 'Sign in with an API key to read this directory.', {
      headers: { 'www-authenticate': 'Bearer realm="probity directory"' },
    });
  // Pages count against the same limit as API calls with the key.
  enforceLimit(reply, read, await countOf(front, session, read), 'this API key');
  return 'session';
}
