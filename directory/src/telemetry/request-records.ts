import type { FastifyInstance } from 'fastify';
import type { Span, Tracer } from './tracer.ts';

/** Logs one line for each request, with its id and without secrets: no headers, no query, no body. */
export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.addHook('onResponse', (request, reply, done) => {
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
    done();
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

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: there is no trace. */
    span: Span | null;
  }
}

/** A span for each request, in the trace of its caller if there is one. It has no query and no header. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent, tracestate } = request.headers;
    // Node.js joins headers of the same name; two of traceparent are invalid.
    request.span = tracer.begin(textOf(traceparent), textOf(tracestate));
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, params, id, protocol } = request;
    const route = routeOptions.url;
    const { serverId } = (params ?? {}) as { serverId?: string };
    tracer.end(request.span, {
      name: route === undefined ? method : `${method} ${route}`,
      kind: 'server',
      attributes: {
        'http.request.method': method,
        'http.response.status_code': reply.statusCode,
        'url.scheme': protocol,
        'url.path': request.url.split('?', 1)[0] ?? '',
        'probity.request.id': id,
        ...(route === undefined ? {} : { 'http.route': route }),
        ...(serverId === undefined ? {} : { 'probity.server.id': serverId }),
      },
      errorType: reply.statusCode >= 500 ? String(reply.statusCode) : null,
    });
    done();
  });
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ');
}
