import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import type { Metrics } from './metrics.ts';

interface MetricsServer {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Serves /metrics at an address of the operator, because callers must not read it. Rejects when it cannot be bound. */
export async function serveMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const app = fastify({ forceCloseConnections: true });
  app.get('/metrics', async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics()),
  );
  await app.listen({ host, port });
  const { port: bound } = app.server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    stop: () => app.close(),
  };
}
