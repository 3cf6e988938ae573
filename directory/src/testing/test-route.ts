import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorise } from '../http/authorise.ts';
import { serverIdParameters } from '../http/common-schemas.ts';
import { problemAnswers } from '../http/problem-schemas.ts';
import { requireEntry, type Service } from '../http/service.ts';
import { parseTestRequest } from './test-request.ts';
import { testRequest } from './test-schemas.ts';
import type { Tester } from './tester.ts';

/** POST /servers/{serverId}/test (specification, section 4.1). */
export function testRoute(app: FastifyInstance, service: Service, tester: Tester): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // As it came: an empty body is allowed, and what is wrong with another is said in one place.
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, body: Buffer) => body,
    );
    scope.post<{ Params: { serverId: string }; Body: Buffer | undefined }>(
      '/servers/:serverId/test',
      {
        schema: {
          operationId: 'testServer',
          summary:
            'Test a server: its contract, response times, errors and output samples. One test at a time runs of each server; who asks meanwhile gets its result.',
          params: serverIdParameters,
          body: testRequest,
          response: {
            200: {
              description: 'The test result.',
              headers: {
                'x-probity-run': {
                  type: 'string',
                  enum: ['started', 'joined'],
                  description: 'Whether the test was begun for this call, or was under way already.',
                },
              },
              content: { 'application/json': { schema: { $ref: 'TestResult#' } } },
            },
            ...problemAnswers(400, 404, 413, 415, 429, 502, 503),
          },
        },
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const { store, settings } = service;
        await authorise(store.db, request, reply, 'test', settings.limits.test);
        const wanted = parseTestRequest(request.body ?? new Uint8Array());
        const entry = await requireEntry(service, request.params.serverId);
        const { result, joined } = await tester.test(entry, wanted);
        return reply
          .headers({ 'cache-control': 'no-store', 'x-probity-run': joined ? 'joined' : 'started' })
          .type('application/json')
          .send(result);
      },
    );
  });
}
