import type { AddressInfo } from 'node:net';
import type { FastifyServerOptions } from 'fastify';
import type { Store } from '../db/open-store.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { createApp } from './create-app.ts';
import { createParts } from './process-parts.ts';

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
  const { host, port, stopWithinMs } = settings;
  const { service, metricsUrl, interrupt, close } = await createParts(store, settings);
  try {
    const app = await createApp(service, logger, interrupt);
    // Its jobs are under way already.
    await app.listen({ host, port }).catch((error: unknown) => app.close().then(() => Promise.reject(error)));
    const { port: bound } = app.server.address() as AddressInfo;
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
      metricsUrl,
      stop: () => {
        const endsAtMs = performance.now() + stopWithinMs;
        return app.close().finally(() => close(endsAtMs - performance.now()));
      },
    };
  } catch (error) {
    await close(0);
    throw error;
  }
}
