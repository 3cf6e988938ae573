import type { FastifyInstance } from 'fastify';
import type { Span, Tracer } from '../tracing/tracer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: there is no trace. */
    span: Span | null;
  }
}

/** A span for each request, in the trace of its caller if there is one. It has no query and no header. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', null);
  app.addHook('onRequest', async (request) => {
    const { traceparent, tracestate } = request.headers;
    // Node.js joins headers of the same name; two of traceparent are invalid.
    request.span = tracer.begin(textOf(traceparent), textOf(tracestate));
  });
  app.addHook('onResponse', async (request, reply) => {
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
  });
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ');
}
