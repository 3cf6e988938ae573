import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorise, keepWithin } from '../http/authorise.ts';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { countCall } from '../store/keys.ts';
import { readSession } from '../store/sessions.ts';
import { sessionTokenIn } from './session-cookie.ts';

/** Who may read the pages: everybody, where the operator says so; who signed in; who shows a key as to the API. */
export type Reader = 'everybody' | 'session' | 'key';

/** @throws Problem when a key is needed and none is known, or its limit is used up */
export async function readerOf(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Reader> {
  const { store, settings } = service;
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
  // The same subject as that of calls with the key itself.
  keepWithin(reply, read, await countCall(store.db, `key:${session.keyId}`, read), 'this API key');
  return 'session';
}
