import type { FastifyInstance } from 'fastify';
import { answerRead, taggedBody } from './cached-answer.ts';

/** The OpenAPI document of the platform API; it needs no key. */
export function openApiRoute(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
    answerRead(request, reply, taggedBody(JSON.stringify(app.swagger())), {
      type: 'application/json',
      isPublic: true,
    }),
  );
}
