import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorise, keepWithin } from '../http/authorise.ts';
import { serverIdParameters } from '../http/common-schemas.ts';
import { Problem } from '../http/problem.ts';
import { problemAnswers } from '../http/problem-schemas.ts';
import { requireEntry, type Service } from '../http/service.ts';
import { type Caller, countCall } from '../store/keys.ts';
import { parseCall } from './call-body.ts';
import { executeAnswer, executeBody, executeHeaders } from './execute-schemas.ts';
import { createGateway } from './gateway.ts';
import { idempotencyKeyIn } from './idempotency.ts';

type ExecuteRequest = FastifyRequest<{ Params: { serverId: string } }>;

/** POST /servers/{serverId}/execute (specification, section 4.1). */
export function executeRoute(app: FastifyInstance, service: Service): void {
  const { store, settings } = service;
  const { limits } = settings;
  const gateway = createGateway(service);
  const callers = new WeakMap<FastifyRequest, Caller>();
  const callerOf = (request: FastifyRequest): Caller => {
    const caller = callers.get(request);
    if (caller === undefined) throw new Error('a call came by without having been authorised');
    return caller;
  };
  app.addHook('onClose', () => gateway.settled());
  app.register(async (api) => {
    // As bytes: JSON.parse would round numbers that are to reach the target as they were written.
    api.removeAllContentTypeParsers();
    api.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_: unknown, body: Buffer) => body,
    );
    api.post<{ Params: { serverId: string } }>(
      '/servers/:serverId/execute',
      {
        schema: {
          operationId: 'executeFunction',
          summary: 'Call a function of a server, in form A whatever form the server speaks.',
          params: serverIdParameters,
          headers: executeHeaders,
          body: executeBody,
          response: {
            200: {
              description: 'What the function gave.',
              headers: {
                'Idempotency-Replayed': {
                  description: 'true where this is the answer of an earlier request with the same key.',
                  type: 'string',
                  enum: ['true'],
                },
              },
              ...executeAnswer,
            },
            ...problemAnswers(400, 404, 409, 413, 415, 422, 502, 504),
          },
        },
        // Every member is understood, and refused by name, in one place: `parseCall`.
        validatorCompiler: () => () => true,
        // Before the body is read: who may not call need not be listened to.
        onRequest: async (request, reply) => {
          callers.set(request, await authorise(store.db, request, reply, 'execute', limits.execute));
        },
      },
      async (request: ExecuteRequest, reply) => {
        const call = parseCall(request.body);
        const idempotencyKey = idempotencyKeyIn(request.headers['idempotency-key']);
        const entry = await requireEntry(service, request.params.serverId);
        if (entry.decision === 'reject')
          throw new Problem(
            'server-rejected',
            `This directory does not call a server that breaks its contract; GET /v1/servers/${entry.id} says in what.`,
          );
        const { keyId } = callerOf(request);
        const answer = await gateway.call({
          entry,
          call,
          requestId: request.id,
          name: idempotencyKey === null ? null : { keyId, idempotencyKey },
          admit: async () => {
            const state = await countCall(store.db, `target:${entry.id}`, limits.targetCalls);
            keepWithin(reply, limits.targetCalls, state, 'this server');
          },
          warn: (error, what) => request.log.error({ err: error, server: entry.id }, what),
        });
        return reply
          .code(answer.status)
          .headers({
            'cache-control': 'no-store',
            ...(answer.isReplay ? { 'idempotency-replayed': 'true' } : {}),
          })
          .type(answer.contentType)
          .send(answer.body);
      },
    );
  });
}
