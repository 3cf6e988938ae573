import type { FastifyInstance } from 'fastify';
import { authorise } from '../http/authorise.ts';
import { answerRead } from '../http/cached-answer.ts';
import { serverIdParameters } from '../http/common-schemas.ts';
import { problemAnswers } from '../http/problem-schemas.ts';
import { requireEntry, type Service } from '../http/service.ts';
import { readDetails } from './details.ts';

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
