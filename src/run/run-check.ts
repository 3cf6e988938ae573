import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Exchange } from '../model/exchange.ts';
import type { TestResult } from '../model/report.ts';
import { createLiveProbe, DEFAULT_BOUNDS } from '../probe/live-probe.ts';
import { systemClock } from '../probe/system-clock.ts';
import { warmUp } from '../probe/warm-up.ts';
import { buildReport } from '../report/build-report.ts';
import { harnessVersion } from '../suite/product-files.ts';
import type { Progress } from './asker.ts';
import type { CheckOptions } from './check-options.ts';
import { type JudgedStep, judgeSteps } from './judge-run.ts';
import type { OfferLoad } from './live-meter.ts';
import { prepareRun } from './prepare-run.ts';
import { commonHeaders } from './run-settings.ts';
import { runSuites } from './run-suites.ts';

/** Told what comes about while a check runs. */
export interface CheckHooks {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly onExchange?: (exchange: Exchange) => void;
  readonly onJudged?: (judged: JudgedStep) => void;
  /** Offers the load of timed calls; the engine's own when left out. */
  readonly offerLoad?: OfferLoad;
}

/**
 * Checks a server in this thread: asks, judges, builds the test result. The deadline counts from `startedAtMs`, Unix
 * time; it ends the asking early enough to leave time for judging, but nothing here can stop judging that takes too
 * long. That is what checkServer is for.
 */
export async function runCheck(
  url: string,
  options: CheckOptions,
  hooks: CheckHooks,
  startedAtMs = systemClock.nowMs(),
): Promise<TestResult> {
  const { signal } = hooks;
  // Every wait of a run listens to the one signal, and there may be many.
  setMaxListeners(0, signal);
  const prepared = await prepareRun(url, options, signal, hooks.offerLoad);
  const { targetUrl, settings, suites, selection, probe, meter, schemas } = prepared;
  await warmUp(
    createLiveProbe({
      clock: systemClock,
      signal,
      headers: [],
      secrets: [],
      publicOnly: false,
      ca: null,
      bounds: DEFAULT_BOUNDS,
    }),
  );
  const spentMs = systemClock.nowMs() - startedAtMs;
  const record = await runSuites({
    selection,
    targetUrl,
    settings,
    probe,
    meter,
    clock: systemClock,
    signal,
    endsAtMs: systemClock.monotonicMs() + askingTimeMs(settings.deadlineMs) - spentMs,
    schemas,
    commonHeaders: commonHeaders(),
    ...(hooks.onProgress === undefined ? {} : { onProgress: hooks.onProgress }),
    ...(hooks.onExchange === undefined ? {} : { onExchange: hooks.onExchange }),
  });
  probe.close();
  const judged = [];
  for (const step of judgeSteps({ record, settings, targetUrl, schemas })) {
    hooks.onJudged?.(step);
    judged.push(...step.judgements);
  }
  return buildReport({
    id: randomUUID(),
    harnessVersion: harnessVersion(),
    suites,
    settings,
    targetUrl,
    requirements: selection.requirements,
    record,
    judgements: judged,
    startedAtMs,
    finishedAtMs: systemClock.nowMs(),
  });
}

const JUDGING_SHARE = 0.1;
const MOST_JUDGING_MS = 2000;

/** Judging what a sound server answers takes a small part of this. */
function askingTimeMs(deadlineMs: number): number {
  return deadlineMs - Math.min(deadlineMs * JUDGING_SHARE, MOST_JUDGING_MS);
}
