import type { FastifyInstance } from 'fastify';

/** Logs one line for each request, with its id and without secrets: no headers, no query, no body. */
export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.addHook('onResponse', async (request, reply) => {
    const { method, ip, caller, routeOptions, url } = request;
    const { serverId } = (request.params ?? {}) as { serverId?: string };
    request.log.info(
      {
        method,
        route: routeOptions.url ?? pathOf(url),
        ...(serverId === undefined ? {} : { serverId: serverId.slice(0, MAX_SHOWN) }),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
        ip,
        ...(caller === null ? {} : { keyId: caller.keyId }),
      },
      'answered',
    );
  });
  app.addHook('onRequestAbort', async (request) => {
    request.log.info(
      { method: request.method, route: request.routeOptions.url ?? pathOf(request.url) },
      'the client disconnected',
    );
  });
}

const MAX_SHOWN = 64;

function pathOf(url: string): string {
  return (url.split('?', 1)[0] ?? '').slice(0, MAX_SHOWN);
}
