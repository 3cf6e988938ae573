import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { judgeDuringRun } from '../judge/judge-exchange.ts';
import { type JudgedStep, judgeSteps } from '../judge/judge-run.ts';
import type { Exchange } from '../model/exchange.ts';
import type { TestResult } from '../model/report.ts';
import { createLiveProbe, DEFAULT_BOUNDS } from '../probe/live-probe.ts';
import { systemClock } from '../probe/system-clock.ts';
import { warmUp } from '../probe/warm-up.ts';
import { buildReport } from '../report/build-report.ts';
import type { Progress } from '../run/request-scheduler.ts';
import type { RunInput } from '../run/run-input.ts';
import { runSuites } from '../run/run-suites.ts';
import { harnessVersion } from '../suite/product-files.ts';
import type { CheckInput } from './check-input.ts';
import { prepareRun, type RunParts } from './prepare-run.ts';
import { commonHeaders } from './request-headers.ts';

/** Called while a check runs. */
export interface CheckHooks extends RunParts, Pick<RunInput, 'turns' | 'onOpening'> {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly onExchange?: (exchange: Exchange) => void;
  readonly onJudged?: (judged: JudgedStep) => void;
  /** How long the check waited for a thread; the deadline does not count that. */
  readonly waitedMs?: number;
  /** Called often while a run is judged; the rest waits for the promise, if there is one. */
  readonly pause?: () => Promise<void> | null;
}

/**
 * Checks a server in this thread: sends the requests, judges, builds the test result. The deadline counts from
 * `startedAtMs`, Unix time. Sending ends early enough to leave time for judging, but only checkServer can stop a
 * judgement that takes too long.
 */
export async function runCheck(
  input: CheckInput,
  hooks: CheckHooks,
  startedAtMs = (hooks.clock ?? systemClock).nowMs(),
): Promise<TestResult> {
  const { signal, clock = systemClock, waitedMs = 0 } = hooks;
  // Every wait of a run listens to this signal, so there may be many listeners.
  setMaxListeners(0, signal);
  const prepared = await prepareRun(input, signal, hooks);
  const { targetUrl, settings, suites, selection, probe, sampler, schemas, onOpened } = prepared;
  await warmUp(
    createLiveProbe({
      clock,
      signal,
      headers: [],
      secrets: [],
      publicOnly: false,
      ca: null,
      bounds: DEFAULT_BOUNDS,
    }),
  );
  const spentMs = clock.nowMs() - startedAtMs - waitedMs;
  const record = await runSuites({
    selection,
    targetUrl,
    settings,
    probe,
    sampler,
    clock,
    signal,
    endsAtMs: clock.monotonicMs() + sendingTimeMs(settings.deadlineMs) - spentMs,
    schemas,
    onOpened,
    judgeExchange: judgeDuringRun({ settings, targetUrl, schemas }),
    commonHeaders: commonHeaders(),
    ...(hooks.onOpening === undefined ? {} : { onOpening: hooks.onOpening }),
    ...(hooks.turns === undefined ? {} : { turns: hooks.turns }),
    ...(hooks.onProgress === undefined ? {} : { onProgress: hooks.onProgress }),
    ...(hooks.onExchange === undefined ? {} : { onExchange: hooks.onExchange }),
  });
  const judged = [];
  for (const step of judgeSteps({ record, settings, targetUrl, schemas })) {
    if (step !== null) {
      hooks.onJudged?.(step);
      judged.push(...step.judgements);
    }
    const pause = hooks.pause?.() ?? null;
    if (pause !== null) await pause;
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
    finishedAtMs: clock.nowMs(),
  });
}

const JUDGING_SHARE = 0.1;
const MAX_JUDGING_MS = 2000;

/** Judging the answers of a conforming server takes a small part of this. */
function sendingTimeMs(deadlineMs: number): number {
  return deadlineMs - Math.min(deadlineMs * JUDGING_SHARE, MAX_JUDGING_MS);
}
