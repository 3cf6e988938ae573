import type { FastifyInstance } from 'fastify';
import { contractAt } from '../entries/contracts.ts';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { badParameters, Problem, problemAnswers } from '../http/problem.ts';
import { requireEntry, type ServerPath, type Service, serverPath } from '../http/service.ts';

interface Given {
  readonly at: Date | null;
}

/** GET /servers/{serverId}/contract: what the server offers. The specification has no such operation. */
export function contractRoute(app: FastifyInstance, service: Service): void {
  app.get<{ Params: ServerPath; Querystring: Given }>(
    '/servers/:serverId/contract',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getContract',
        summary:
          'Extension: the contract of a server, as the last test read it, or as it was at a time; for `probity diff` and `probity check --contract`.',
        params: serverPath,
        querystring: {
          type: 'object',
          properties: {
            at: {
              type: 'string',
              format: 'date-time',
              description: 'A time, such as `seenAt` of a contract in the details of the server.',
            },
          },
        },
        response: {
          200: {
            description: 'The contract.',
            content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
          },
          304: { description: 'The answer that the client has is still valid.', type: 'null' },
          ...problemAnswers(400, 404, 410),
        },
      },
      // The parameters of the path are validated where the entry is read.
      validatorCompiler: ({ httpPart }) => (httpPart === 'querystring' ? readGiven : () => true),
    },
    async (request, reply) => {
      const entry = await requireEntry(service, request.params.serverId);
      const { at } = request.query;
      const contract = await contractAt(service.store.db, entry.id, at);
      if (contract !== null)
        return answerRead(reply, taggedBody(contract), { type: 'application/json', isPublic: false });
      throw new Problem(
        'contract-not-found',
        at === null
          ? 'No test has read what this server offers. Request one: POST /v1/servers/{serverId}/test.'
          : 'No contract from that time is kept. `contracts` in the details of the server names those that are.',
      );
    },
  );
}

function readGiven(
  given: ReadonlyMap<string, readonly string[]>,
): { readonly value: Given } | { readonly error: Problem } {
  const unknown = [...given.keys()].filter((parameter) => parameter !== 'at');
  const [text, ...more] = given.get('at') ?? [];
  const at = text === undefined ? null : new Date(text);
  const problems = [
    ...unknown.map((parameter) => ({ parameter, detail: 'is not a parameter of a contract; use at' })),
    ...(more.length > 0 ? [{ parameter: 'at', detail: 'is given more than once' }] : []),
    ...(at !== null && !(at.getTime() > 0 && at.getTime() < MAX_TIME_MS)
      ? [{ parameter: 'at', detail: 'is not a time such as 2026-11-29T12:00:00Z' }]
      : []),
  ];
  return problems.length > 0 ? { error: badParameters(problems) } : { value: { at } };
}

/** The year 10000, after which PostgreSQL and ISO 8601 write years in other ways. */
const MAX_TIME_MS = 253_402_300_800_000;
