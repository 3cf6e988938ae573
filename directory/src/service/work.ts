import { type LoggerOptions, pino } from 'pino';
import type { Store } from '../db/open-store.ts';
import { startJobs } from '../jobs/start-jobs.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { createParts } from './process-parts.ts';
import { Worker } from './worker.ts';

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
  const { service, metricsUrl, interrupt, close } = await createParts(store, settings);
  const jobs = await startJobs(store, log, { works: true }).catch((error: unknown) =>
    close(0).then(() => Promise.reject(error)),
  );
  const worker = new Worker(service, jobs, log);
  await worker.start().catch(async (error: unknown) => {
    await worker.stop();
    await jobs.stop();
    await close(0);
    throw error;
  });
  return {
    metricsUrl,
    stop: async () => {
      const endsAtMs = performance.now() + settings.stopWithinMs;
      const late = setTimeout(interrupt, settings.stopWithinMs);
      await worker.stop();
      clearTimeout(late);
      await jobs.stop();
      await close(endsAtMs - performance.now());
    },
  };
}
