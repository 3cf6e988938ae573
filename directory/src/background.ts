import { setTimeout } from 'node:timers/promises';
import { Problem } from './http/problem.ts';
import type { Service } from './http/service.ts';
import { runDueLoop } from './probing/due-loop.ts';
import { createProbe } from './probing/probe-entry.ts';
import { claimDueProbes, claimDueTests, putBackTest, untilDue } from './store/due.ts';
import type { EntryTarget } from './store/entries.ts';
import { readEntry } from './store/entries.ts';
import { purge } from './store/purge.ts';
import { RETRY_MS } from './testing/keep-result.ts';
import type { Log } from './testing/run-lease.ts';
import type { Tester } from './testing/tester.ts';

/** What an instance does without being asked: it probes and tests what is due, and lets go of what is old. */
export interface Background {
  start(): void;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
}

const MAX_PROBES = 16;
/** Entries may be added, and tests be asked for, by other processes. */
const LONGEST_PAUSE_MS = 3000;
/** All places are taken by callers. */
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
  const tell =
    (what: string, entryId?: string) =>
    (error: unknown): void => {
      if (!signal.aborted) log.error({ err: error, ...(entryId === undefined ? {} : { entryId }) }, what);
    };

  const probeEntry = createProbe(service, signal);
  const probes = (): Promise<void> =>
    runDueLoop(
      {
        maxAtOnce: MAX_PROBES,
        claim: (most) => claimDueProbes(db, most, settings.probeEveryMs),
        untilDue: () => untilDue(db, 'next_probe_at', LONGEST_PAUSE_MS),
        work: (target) => probeEntry(target).catch(tell('a probe failed', target.id)),
        onError: tell('probes that are due could not be claimed'),
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
      await putBackTest(db, id);
      await pause(PAUSE_WHEN_BUSY_MS);
    }
  };
  const tests = (): Promise<void> =>
    runDueLoop(
      {
        maxAtOnce: Math.max(1, settings.limits.runningTests - 1),
        claim: (most) => claimDueTests(db, most, RETRY_MS),
        untilDue: () => untilDue(db, 'next_test_at', LONGEST_PAUSE_MS),
        work: (target) => testEntry(target).catch(tell('a test failed', target.id)),
        onError: tell('tests that are due could not be claimed'),
      },
      signal,
    );

  const purges = async (): Promise<void> => {
    while (!signal.aborted) {
      await purge(db, settings, new Date()).catch(tell('what is old could not be let go of'));
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
