import { setTimeout } from 'node:timers/promises';
import { Problem } from './http/problem.ts';
import type { Service } from './http/service.ts';
import { runDueLoop } from './probing/due-loop.ts';
import { createProbe } from './probing/probe-entry.ts';
import { claimDueProbes, claimDueTests, makeTestDue, untilDue } from './store/due.ts';
import type { EntryTarget } from './store/entries.ts';
import { readEntry } from './store/entries.ts';
import { purge } from './store/purge.ts';
import { RETRY_MS } from './testing/keep-result.ts';
import type { Log } from './testing/run-lease.ts';
import type { Tester } from './testing/tester.ts';

/** The scheduled work of an instance: it probes and tests due entries, and deletes old data. */
export interface Background {
  start(): void;
  /** Resolves when no scheduled work is running. */
  stop(): Promise<void>;
}

const MAX_PROBES = 16;
/** Other processes may add entries or reschedule tests, so the schedule is read again after this time. */
const MAX_PAUSE_MS = 3000;
/** The pause when callers use all places. */
const PAUSE_WHEN_BUSY_MS = 2000;
const PURGE_EVERY_MS = 60 * 60_000;

export function createBackground(service: Service, tester: Tester, log: Log): Background {
  const { store, settings } = service;
  const { db } = store;
  const ending = new AbortController();
  const { signal } = ending;
  let running: Promise<unknown> | null = null;

  const pause = async (ms: number): Promise<void> => {
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  };
  const logError =
    (what: string, entryId?: string) =>
    (error: unknown): void => {
      if (!signal.aborted) log.error({ err: error, ...(entryId === undefined ? {} : { entryId }) }, what);
    };

  const probeEntry = createProbe(service, signal);
  const probes = (): Promise<void> =>
    runDueLoop(
      {
        maxAtOnce: MAX_PROBES,
        claim: (max) => claimDueProbes(db, max, settings.probeEveryMs),
        untilDue: () => untilDue(db, 'next_probe_at', MAX_PAUSE_MS),
        work: (target) => probeEntry(target).catch(logError('a probe failed', target.id)),
        onError: logError('due probes could not be claimed'),
      },
      signal,
    );

  const testEntry = async ({ id }: EntryTarget): Promise<void> => {
    const entry = await readEntry(db, id);
    if (entry === null) return;
    try {
      await tester.test(entry, {}, 'background');
    } catch (error) {
      if (!(error instanceof Problem) || error.code === 'internal-error') throw error;
      if (error.code !== 'busy' && error.code !== 'unavailable') return;
      await makeTestDue(db, id);
      await pause(PAUSE_WHEN_BUSY_MS);
    }
  };
  const tests = (): Promise<void> =>
    runDueLoop(
      {
        maxAtOnce: Math.max(1, settings.limits.runningTests - 1),
        claim: (max) => claimDueTests(db, max, RETRY_MS),
        untilDue: () => untilDue(db, 'next_test_at', MAX_PAUSE_MS),
        work: (target) => testEntry(target).catch(logError('a test failed', target.id)),
        onError: logError('due tests could not be claimed'),
      },
      signal,
    );

  const purges = async (): Promise<void> => {
    while (!signal.aborted) {
      await purge(db, settings, new Date()).catch(logError('old data could not be deleted'));
      await pause(PURGE_EVERY_MS);
    }
  };

  return {
    start: () => {
      running ??= Promise.all([probes(), tests(), purges()]);
    },
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}
