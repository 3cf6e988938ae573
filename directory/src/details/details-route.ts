import type { FastifyInstance } from 'fastify';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { problemAnswers } from '../http/problem-answers.ts';
import { type ServerPath, serverPath } from '../http/server-path.ts';
import { requireEntry, type Service } from '../http/service.ts';
import { readDetails } from './details.ts';

/** GET /servers/{serverId} (specification, section 4.1). */
export function detailsRoute(app: FastifyInstance, service: Service): void {
  app.get<{ Params: ServerPath }>(
    '/servers/:serverId',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getServer',
        summary:
          'Everything that the directory knows about a server: its record, its state and its observations.',
        params: serverPath,
        response: {
          200: { description: 'The server.', $ref: 'ServerDetails#' },
          304: { description: 'The answer that the client has is still valid.', type: 'null' },
          ...problemAnswers(404),
        },
      },
    },
    async (request, reply) => {
      const entry = await requireEntry(service, request.params.serverId);
      const details = await readDetails(service, entry);
      return answerRead(request, reply, taggedBody(reply.serialize(details) as string), {
        type: 'application/json',
        isPublic: false,
      });
    },
  );
}
