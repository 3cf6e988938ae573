import type { FastifyInstance } from 'fastify';
import { isFiniteWithin, type TestRequest, testRequest } from 'probity/model';
import type { Tester } from '../checking/tester.ts';
import { callerOf } from '../http/authorise.ts';
import { badBody } from '../http/bad-request.ts';
import { problemAnswers } from '../http/problem.ts';
import { requireEntry, type ServerPath, type Service, serverPath } from '../http/service.ts';
import { OPTIONAL_BODY } from './open-api.ts';

/** No real input is nested this deeply; deeper ones are attacks on parsers. */
const MAX_LEVELS = 32;

/** POST /servers/{serverId}/test (specification, section 4.1). */
export function testRoute(app: FastifyInstance, service: Service, tester: Tester): void {
  app.post<{ Params: ServerPath; Body: TestRequest }>(
    '/servers/:serverId/test',
    {
      config: {
        scope: 'test',
        bodyRemedy: 'Send {"input": {…}, "function": "name"}; both are optional.',
      },
      schema: {
        operationId: 'testServer',
        summary:
          'Test a server: its contract, response times, errors and output samples. A server has one test at a time; a request during a test gets the result of that test, without the input of another caller.',
        params: serverPath,
        body: testRequest,
        ...OPTIONAL_BODY,
        response: {
          200: {
            description: 'The test result.',
            headers: {
              'x-probity-run': {
                type: 'string',
                enum: ['started', 'joined'],
                description: 'Whether this request started the test, or joined a running one.',
              },
            },
            content: { 'application/json': { schema: { $ref: 'TestResult#' } } },
          },
          ...problemAnswers(400, 404, 410, 413, 415, 429, 502, 503),
        },
      },
      preValidation: async (request) => {
        request.body ??= {};
      },
      preHandler: async (request) => {
        if (!isFiniteWithin(request.body.input ?? {}, MAX_LEVELS))
          throw badBody(
            `"input" is nested deeper than ${MAX_LEVELS} levels, or contains a number too large for a double; send a smaller sample`,
            request,
          );
      },
    },
    async (request, reply) => {
      const entry = await requireEntry(service, request.params.serverId);
      const { result, joined } = await tester.test(entry, request.body, {
        keyId: callerOf(request).keyId,
        span: request.span,
      });
      return reply
        .headers({ 'cache-control': 'no-store', 'x-probity-run': joined ? 'joined' : 'started' })
        .type('application/json')
        .send(result);
    },
  );
}
