import { setMaxListeners } from 'node:events';
import { type LoggerOptions, pino } from 'pino';
import { loadRegistry } from 'probity/service';
import { createFront } from './accounts/front.ts';
import { createChecks } from './checking/check-options.ts';
import type { Store } from './db/open-store.ts';
import { createListingJudge } from './entries/judge-listing.ts';
import { startJobs } from './jobs/start-jobs.ts';
import type { ServiceSettings } from './settings.ts';
import { createBridges } from './targets/bridges.ts';
import { createTargetPool } from './targets/target-client.ts';
import { createMetrics, measureTargets, serveMetrics } from './telemetry/metrics.ts';
import { createTracer } from './telemetry/tracer.ts';
import { createWorker } from './worker.ts';

export interface RunningWorker {
  /** The address of /metrics, without its path; null when it is not served. */
  readonly metricsUrl: string | null;
  /**
   * Finishes the tests that callers wait for, and gives the other running jobs back; the store stays open. What takes
   * longer than `stopWithinMs` is given back too.
   */
  stop(): Promise<void>;
}

/** Works on the jobs of a directory, without answering requests. */
export async function workDirectory(
  store: Store,
  settings: ServiceSettings,
  logOptions: LoggerOptions,
): Promise<RunningWorker> {
  const log = pino(logOptions);
  const metrics = createMetrics(store);
  const pool = createTargetPool(settings);
  const bridges = createBridges(settings);
  const front = createFront(store.db);
  const checks = createChecks(settings);
  measureTargets(metrics, pool, checks);
  const metricsServer = settings.metrics === null ? null : await serveMetrics(metrics, settings.metrics);
  const tracer = createTracer(settings.telemetry, metrics.noteSpans);
  const ending = new AbortController();
  // Every request that is under way listens.
  setMaxListeners(0, ending.signal);
  const service = { store, front, settings, pool, bridges, checks, metrics, tracer, ending: ending.signal };
  const jobs = await startJobs(store, log, { works: true });
  const judgeListing = createListingJudge(settings, [...(await loadRegistry()).values()]);
  const worker = createWorker({ service, jobs, judgeListing, log });
  await worker.start();
  return {
    metricsUrl: metricsServer?.url ?? null,
    stop: async () => {
      const endsAtMs = performance.now() + settings.stopWithinMs;
      const late = setTimeout(() => ending.abort(), settings.stopWithinMs);
      await worker.stop();
      clearTimeout(late);
      await jobs.stop();
      await Promise.all([
        pool.close(),
        bridges.close(),
        front.close(),
        checks.close(),
        tracer.close(endsAtMs - performance.now()),
        metricsServer?.stop(),
      ]);
    },
  };
}
