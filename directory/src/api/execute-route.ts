import type { FastifyInstance } from 'fastify';
import { type ExecuteRequest, executeAnswer, executeRequest } from 'probity/model';
import { Gateway } from '../gateway/gateway.ts';
import {
  givenCall,
  IDEMPOTENCY_KEY_REMEDY,
  type IdempotencyHeader,
  idempotencyHeader,
} from '../gateway/given-call.ts';
import { knownTargets } from '../gateway/known-targets.ts';
import { callerOf, enforceLimit } from '../http/authorise.ts';
import { Problem, pausedProblem, problemAnswers } from '../http/problem.ts';
import { requireEntry, type ServerPath, type Service, serverNotFound, serverPath } from '../http/service.ts';

/** POST /servers/{serverId}/execute (specification, section 4.1). */
export function executeRoute(app: FastifyInstance, service: Service): void {
  const { store, front, settings } = service;
  const { limits } = settings;
  const gateway = new Gateway(service);
  const findTarget = knownTargets(store.db, front.watch);
  app.addHook('onClose', () => gateway.close());
  app.post<{ Params: ServerPath; Body: ExecuteRequest; Headers: IdempotencyHeader }>(
    '/servers/:serverId/execute',
    {
      config: {
        scope: 'execute',
        // What fails before the call is passed on.
        problemMembers: { called: false },
        bodyRemedy:
          'Send {"function": "…", "input": {…}} with the name of a function in the server\'s capabilities. For servers of form B, use "input" instead of "parameters".',
        headerRemedy: IDEMPOTENCY_KEY_REMEDY,
      },
      schema: {
        operationId: 'executeFunction',
        summary: 'Call a function of a server. Request and answer use form A, also for servers of form B.',
        params: serverPath,
        headers: idempotencyHeader,
        body: executeRequest,
        response: {
          200: {
            description: 'The output of the function.',
            headers: {
              'Idempotency-Replayed': {
                description: 'true when this is the answer to an earlier request with the same key.',
                type: 'string',
                enum: ['true'],
              },
            },
            ...executeAnswer,
          },
          ...problemAnswers(400, 404, 409, 410, 413, 415, 422, 502, 503, 504),
        },
      },
    },
    async (request, reply) => {
      const idempotencyKey = request.headers['idempotency-key'];
      const target = await findTarget(request.params.serverId);
      if (target === null) throw serverNotFound();
      if (target.decision === 'reject') {
        // One that the operator removed has no details to which the other answer could refer.
        await requireEntry(service, target.id);
        throw new Problem(
          'server-rejected',
          `This directory rejected this server, and does not call it; GET /v1/servers/${target.id} lists the reasons.`,
        );
      }
      if (target.isPaused)
        throw pausedProblem({ until: target.pausedUntil, reason: target.pauseReason }, Date.now());
      const answer = await gateway.call({
        target,
        call: givenCall(request.body, request),
        requestId: request.id,
        span: request.span,
        elapsedMs: () => reply.elapsedTime,
        callId: idempotencyKey === undefined ? null : { keyId: callerOf(request).keyId, idempotencyKey },
        admit: async () => {
          const state = await front.counts.count(`target:${target.id}`, limits.targetCalls);
          enforceLimit(reply, limits.targetCalls, state, 'this server');
        },
        warn: (error, what) => request.log.error({ err: error, server: target.id }, what),
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
}
