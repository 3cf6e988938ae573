import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import { changesPage, problem, serverDetails, serverRecord, testResult } from 'probity/model';
import { harnessVersion } from 'probity/service';
import { contractRoute } from '../api/contract-route.ts';
import { detailsRoute } from '../api/details.ts';
import { executeRoute } from '../api/execute-route.ts';
import { changesRoute, dumpRoute } from '../api/following-routes.ts';
import { openApiRoute } from '../api/open-api.ts';
import { operatorRoutes } from '../api/operator-routes.ts';
import { boundedSearchResult, searchRoute } from '../api/search-route.ts';
import { testRoute } from '../api/test-route.ts';
import { Tester } from '../checking/tester.ts';
import { isStoreAway, STORE_RETRY_SECONDS } from '../db/store-away.ts';
import { authoriseCallers } from '../http/authorise.ts';
import {
  acceptJsonOnly,
  answerBrokenRequest,
  refuseSecondHost,
  validationProblem,
} from '../http/bad-request.ts';
import { closeGracefully, operationRoutes } from '../http/operation.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { answerProblem, commonHeaders, Problem, retryProblem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { sharedSerializers } from '../http/shared-serializers.ts';
import { startJobs } from '../jobs/start-jobs.ts';
import { answerProblemPage, wantsPage } from '../pages/answer-problem-page.tsx';
import { pageRoutes } from '../pages/page-routes.tsx';
import { registryOf } from '../registry/read-servers.ts';
import { registryRoutes } from '../registry/registry-routes.ts';
import { Search } from '../search/search.ts';
import { parametersIn, parseSearch } from '../search/search-query.ts';
import { logRequests, traceRequests } from '../telemetry/request-records.ts';
import { Worker } from './worker.ts';

const MAX_BODY_BYTES = 1024 * 1024;
/** The time that a client has to send its request; answers may take longer. */
const REQUEST_TIMEOUT_MS = 15_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** The time after which an idle connection is closed, also while an answer is pending. */
const IDLE_TIMEOUT_MS = 180_000;
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * The service as a Fastify application, not yet listening.
 *
 * @param interrupt ends the work that is still under way when the service must end
 */
export async function createApp(
  service: Service,
  logger: FastifyServerOptions['logger'],
  interrupt: () => void,
): Promise<FastifyInstance> {
  const { trustedProxies } = service.settings;
  const app = fastify({
    ...(logger === undefined ? {} : { logger }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, maxHeaderSize: MAX_HEADER_BYTES },
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: answerBrokenRequest,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: () => randomUUID(),
    return503OnClosing: true,
    routerOptions: {
      // Never reached: a longer path does not fit in the headers. A lower limit would bypass the key, the log and the
      // metrics.
      maxParamLength: MAX_HEADER_BYTES,
      querystringParser: (text: string) => parametersIn(text) as object as Record<string, unknown>,
    },
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, verbose: true },
    },
    schemaController: { compilersFactory: { buildSerializer: sharedSerializers } },
    frameworkErrors: (error, request, reply) => {
      answerProblem(reply, problemOf(error, request));
    },
  });
  // Hooks that wait for nothing call `done`, as each promise would cost every request a turn.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request));
    refuseSecondHost(request);
    done();
  });
  const refuseOthers = refuseOtherMethods(app);
  logRequests(app);
  traceRequests(app, service.tracer);
  service.metrics.measureRequests(app);
  closeGracefully(app, service.settings.stopWithinMs, interrupt);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const shown = withMembersOf(request, problemOf(error, request));
    const isOwn = shown.code === 'internal-error' || isStoreAway(error);
    if (isOwn && !hasDisconnected(error, request)) request.log.error({ err: error }, 'the service failed');
    return wantsPage(request) ? answerProblemPage(request, reply, shown) : answerProblem(reply, shown);
  });
  const refuseUnknown = ({ url }: Pick<FastifyRequest, 'url'>): never => {
    throw new Problem('no-such-path', /^\/v0\.1(?:[/?]|$)/.test(url) ? REGISTRY_WORDS : PLATFORM_WORDS);
  };
  app.setNotFoundHandler(refuseUnknown);
  // Already here, because a method with rules for its body would be refused for these first.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) refuseUnknown(request);
    done();
  });
  await describeApi(app);
  const search = new Search(service.store.db);
  const jobs = await startJobs(service.store, app.log, { works: service.settings.queues.length > 0 });
  const tester = new Tester(service, jobs);
  const worker = new Worker(service, jobs, app.log);
  app.addHook('onListen', () => worker.start());
  // Fills the index, so that the first caller does not wait for it. After a failure, the next search tries again.
  app.addHook('onListen', async () => {
    const everything = parseSearch(new Map());
    if (everything.kind === 'search') search.find(everything.query).catch(() => undefined);
  });
  // Not awaited here: requests in flight still wait for their tests.
  app.addHook('preClose', async () => {
    void worker.stop();
    tester.stop();
  });
  app.addHook('onClose', async () => {
    await worker.stop();
    await jobs.stop();
  });
  await app.register(
    async (api) => {
      acceptJsonOnly(api);
      authoriseCallers(api, service);
      searchRoute(api, search, service.front.watch);
      changesRoute(api, service);
      dumpRoute(api, service);
      detailsRoute(api, service);
      contractRoute(api, service);
      testRoute(api, service, tester);
      executeRoute(api, service);
      operatorRoutes(api, service);
      openApiRoute(api);
    },
    { prefix: '/v1' },
  );
  const registry = registryOf(service.store.db, service.settings);
  await app.register(async (api) => registryRoutes(api, service, registry), { prefix: '/v0.1' });
  pageRoutes(app, service, search, registry);
  operationRoutes(app, service.store.db);
  refuseOthers();
  return app;
}

const PLATFORM_WORDS = 'The platform API begins at /v1; /v1/openapi.json describes it.';
const REGISTRY_WORDS = 'The API of the registry begins at /v0.1; /v0.1/openapi.json describes it.';

/** The OpenAPI document of the routes, and the records that they refer to. */
async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Directory of MCP servers',
        description:
          'Search MCP servers, read their details, test them, and call their functions through a gateway.',
        version: harnessVersion(),
      },
      servers: [{ url: '/v1' }],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
      security: [{ apiKey: [] }],
    },
    stripBasePath: true,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema-${index}`),
    },
  });
  for (const schema of [serverRecord, serverDetails, boundedSearchResult, changesPage, testResult, problem])
    app.addSchema(schema);
}

/** A problem with the members that all problems of its operation have. */
function withMembersOf({ routeOptions }: FastifyRequest, problem: Problem): Problem {
  const { problemMembers } = routeOptions.config;
  if (problemMembers === undefined) return problem;
  const { code, message, headers, more } = problem;
  return new Problem(code, message, { headers, more: { ...problemMembers, ...more } });
}

/** Whether the body of a request ended early, which has the same code as a broken connection to the store. */
function hasDisconnected(error: unknown, { raw }: FastifyRequest): boolean {
  return (error as Partial<FastifyError>).code === 'ECONNRESET' && !raw.complete;
}

/** The problem for an error. Internal errors are not described to the caller. */
function problemOf(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (hasDisconnected(error, request))
    return new Problem('bad-request', 'The client disconnected before the end of its request.');
  if (isStoreAway(error))
    return retryProblem(
      'unavailable',
      `The store of this directory does not answer now; retry in ${STORE_RETRY_SECONDS} s.`,
      STORE_RETRY_SECONDS,
    );
  const { code = '', message, validation } = error as Partial<FastifyError> & { message: string };
  if (validation !== undefined) return validationProblem(error as FastifyError, request);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body-too-large', `A body may have up to ${MAX_BODY_BYTES} bytes.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('not-json', 'Send the body as Content-Type: application/json.');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('bad-body', 'The body is not JSON.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('bad-request', message);
    default:
      return new Problem('internal-error', 'The service failed. Give the request id to its operator.');
  }
}
