import type { FastifyInstance } from 'fastify';
import { authorise } from '../authorise.ts';
import { answerRead } from '../cached-answer.ts';
import { serverIdParameters } from '../common-schemas.ts';
import { readDetails } from '../details.ts';
import { problemAnswers } from '../problem-schemas.ts';
import { requireEntry, type Service } from '../service.ts';

/** GET /servers/{serverId} (specification, section 4.1). */
export function detailsRoute(app: FastifyInstance, service: Service): void {
  app.get<{ Params: { serverId: string } }>(
    '/servers/:serverId',
    {
      schema: {
        operationId: 'getServer',
        summary:
          'Everything that the directory knows of a server: its record, its state, what was observed of it.',
        params: serverIdParameters,
        response: {
          200: { description: 'The server.', $ref: 'ServerDetails#' },
          304: { description: 'What the client has is still right.', type: 'null' },
          ...problemAnswers(404),
        },
      },
    },
    async (request, reply) => {
      await authorise(service.store.db, request, reply, 'read', service.settings.limits.read);
      const entry = await requireEntry(service, request.params.serverId);
      const details = await readDetails(service, entry);
      return answerRead(request, reply, JSON.stringify(details), {
        type: 'application/json',
        isPublic: false,
      });
    },
  );
}
