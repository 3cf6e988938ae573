import { setMaxListeners } from 'node:events';
import { Front } from '../accounts/front.ts';
import { createChecks } from '../checking/check-options.ts';
import type { Store } from '../db/open-store.ts';
import type { Service } from '../http/service.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { Bridges } from '../targets/bridges.ts';
import { createTargetPool } from '../targets/target-client.ts';
import { TargetLimiter } from '../targets/target-limiter.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { Tracer } from '../telemetry/tracer.ts';

/** What a process of the directory has, whether it serves or only works on jobs. */
export async function createParts(store: Store, settings: ServiceSettings) {
  const pool = createTargetPool(settings);
  const bridges = new Bridges(settings);
  const front = new Front(store);
  const checks = createChecks(settings);
  const metrics = new Metrics(store);
  metrics.measureTargets(pool, checks);
  const metricsServer = settings.metrics === null ? null : await metrics.serve(settings.metrics);
  const tracer = new Tracer(settings.telemetry, (outcome, count) => metrics.spans.inc({ outcome }, count));
  const limiter = new TargetLimiter({ store, settings, metrics });
  const ending = new AbortController();
  // Every request that is under way listens.
  setMaxListeners(0, ending.signal);
  const service: Service = {
    store,
    front,
    settings,
    pool,
    bridges,
    limiter,
    checks,
    metrics,
    tracer,
    ending: ending.signal,
  };
  return {
    service,
    /** The address of /metrics, without its path; null when it is not served. */
    metricsUrl: metricsServer?.url ?? null,
    /** Interrupts the work that is still under way. */
    interrupt: () => ending.abort(),
    /** Closes everything except the store. */
    close: async (withinMs: number): Promise<void> => {
      settings.targetKeys?.close();
      await Promise.all([
        pool.close(),
        bridges.close(),
        front.close(),
        checks.close(),
        tracer.close(withinMs),
        metricsServer?.stop(),
      ]);
    },
  };
}
