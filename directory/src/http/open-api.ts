import type { FastifyInstance } from 'fastify';
import { answerRead } from './cached-answer.ts';

/** The description of the platform API itself, for everybody. */
export function openApiRoute(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
    answerRead(request, reply, JSON.stringify(app.swagger()), { type: 'application/json', isPublic: true }),
  );
}
