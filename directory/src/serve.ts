import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FastifyServerOptions } from 'fastify';
import { createFront } from './accounts/front.ts';
import { createChecks } from './checking/check-options.ts';
import { createApp } from './create-app.ts';
import type { Store } from './db/open-store.ts';
import type { ServiceSettings } from './settings.ts';
import { createBridges } from './targets/bridges.ts';
import { createTargetPool } from './targets/target-client.ts';
import { createMetrics, measureTargets, serveMetrics } from './telemetry/metrics.ts';
import { createTracer } from './telemetry/tracer.ts';

export interface RunningDirectory {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  /** The address of /metrics, without its path; null when it is not served. */
  readonly metricsUrl: string | null;
  /**
   * Refuses new requests, closes idle connections, finishes the requests in flight, and releases the port; the store
   * stays open. What takes longer than `stopWithinMs` is interrupted.
   */
  stop(): Promise<void>;
}

/** Serves the directory on an open store. Rejects when the address is in use or cannot be bound. */
export async function serveDirectory(
  store: Store,
  settings: ServiceSettings,
  logger: FastifyServerOptions['logger'] = false,
): Promise<RunningDirectory> {
  const pool = createTargetPool(settings);
  const bridges = createBridges(settings);
  const front = createFront(store.db);
  const checks = createChecks(settings);
  const metrics = createMetrics(store);
  measureTargets(metrics, pool, checks);
  const metricsServer = settings.metrics === null ? null : await serveMetrics(metrics, settings.metrics);
  const tracer = createTracer(settings.telemetry, metrics.noteSpans);
  const ending = new AbortController();
  // Every request that is under way listens.
  setMaxListeners(0, ending.signal);
  const service = { store, front, settings, pool, bridges, checks, metrics, tracer, ending: ending.signal };
  const stopMetrics = async (): Promise<void> => metricsServer?.stop();
  try {
    const app = await createApp(service, { logger, interrupt: () => ending.abort() });
    await app.listen({ host: settings.host, port: settings.port });
    const { port } = app.server.address() as AddressInfo;
    const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
    return {
      url: `http://${host}:${port}`,
      metricsUrl: metricsServer?.url ?? null,
      stop: () => {
        const endsAtMs = performance.now() + settings.stopWithinMs;
        return app
          .close()
          .finally(() =>
            Promise.all([
              pool.close(),
              bridges.close(),
              front.close(),
              checks.close(),
              tracer.close(endsAtMs - performance.now()),
              stopMetrics(),
            ]),
          );
      },
    };
  } catch (error) {
    await stopMetrics();
    throw error;
  }
}
