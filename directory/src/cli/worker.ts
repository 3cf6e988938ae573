import { say, UsageError } from 'probity/command-line';
import { openStore } from '../db/open-store.ts';
import { workDirectory } from '../work.ts';
import { storeOf } from './store-flags.ts';
import { logOptions, metricsError, stopOnSignals, type WorkFlags, workSettings } from './work-flags.ts';

/** Works on the jobs of a directory until it is stopped. */
export async function work(flags: WorkFlags): Promise<void> {
  const { databaseUrl, dataFolder } = storeOf(flags);
  if (databaseUrl === null)
    throw new UsageError(
      'A worker needs DATABASE_URL, the PostgreSQL server of the directory: only one process can work on the embedded database, and `directory serve` does.',
    );
  const settings = await workSettings(flags);
  const store = await openStore({ databaseUrl, dataFolder, share: false });
  const running = await workDirectory(store, settings, logOptions(flags)).catch(async (error: unknown) => {
    await store.close();
    throw metricsError(error, flags);
  });
  stopOnSignals(store, 'Stopping when the tests that callers wait for are finished.', () => running.stop());
  if (running.metricsUrl !== null) say(`Metrics for Prometheus: ${running.metricsUrl}/metrics`);
  say(`Working on ${settings.queues.join(', ')}. ctrl-C stops it.`);
}
