import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Metrics for Prometheus: the number of requests, their statuses and their durations. */
export function measureRequests(app: FastifyInstance): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['method', 'route', 'status'] as const;
  const answered = new Counter({
    name: 'probity_http_requests_total',
    help: 'Requests that were answered.',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'probity_http_request_duration_seconds',
    help: 'From the request’s arrival to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  const underWay = new Gauge({
    name: 'probity_http_requests_under_way',
    help: 'Requests that are being answered.',
    registers: [registry],
  });
  app.addHook('onRequest', async (_request, reply) => {
    underWay.inc();
    // `close` fires after the answer, and also when the client disconnects.
    reply.raw.once('close', () => underWay.dec());
  });
  app.addHook('onResponse', async (request, reply) => {
    // The pattern of the path, not the path: otherwise strangers could create any number of series.
    const route = request.routeOptions.url ?? 'none';
    const { method } = request;
    answered.inc({ method, route, status: reply.statusCode });
    seconds.observe({ method, route }, reply.elapsedTime / 1000);
  });
  return registry;
}
