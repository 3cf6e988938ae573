import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { judgeDuringRun } from '../judge/judge-during-run.ts';
import { type JudgedStep, judgeSteps } from '../judge/judge-run.ts';
import type { JudgeRunInput } from '../judge/step-context.ts';
import type { Exchange } from '../model/exchange.ts';
import type { Judgement } from '../model/judgement.ts';
import type { TestResult } from '../model/report.ts';
import { systemClock } from '../probe/system-clock.ts';
import { warmUp } from '../probe/warm-up.ts';
import { buildReport } from '../report/build-report.ts';
import { Run } from '../run/run.ts';
import type { RunRecord } from '../run/state/record.ts';
import type { Progress, RunInput } from '../run/state/run-input.ts';
import { asksExecute } from '../run/steps/step-kinds.ts';
import { harnessVersion } from '../suite/product-files.ts';
import type { CheckInput } from './check-input.ts';
import { prepareRun, type RunParts } from './prepare-run.ts';
import { commonHeaders } from './request-headers.ts';

/** Called while a check runs. */
export interface CheckHooks extends RunParts, Pick<RunInput, 'lock' | 'onOpening'> {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  readonly onJudged?: ((judged: JudgedStep) => void) | undefined;
  /** How long the check waited for a thread; the deadline does not count that. */
  readonly waitedMs?: number | undefined;
  /** Called often while a run is judged; the rest waits for the promise, if there is one. */
  readonly pause?: (() => Promise<void> | null) | undefined;
}

/**
 * A check of a target, from connecting to the report. It sends what the suites say, judges what came back, and writes
 * nothing. The deadline counts from `startedAtMs`, Unix time: sending ends early enough to leave time for judging, but
 * only `checkServer` can stop a judgement that takes too long.
 *
 * @throws OptionError for an unknown requirement in `only` or `skip`
 */
export async function checkTarget(
  input: CheckInput,
  hooks: CheckHooks,
  startedAtMs = (hooks.clock ?? systemClock).nowMs(),
): Promise<TestResult> {
  const { signal, clock = systemClock, waitedMs = 0 } = hooks;
  // Every wait of a run listens to this signal, so there may be many listeners.
  setMaxListeners(0, signal);
  const { targetUrl, settings, suites, selection, probe, sampler, schemas, onOpened } = await prepareRun(
    input,
    signal,
    hooks,
  );
  await warmUp(clock, signal);
  const spentMs = clock.nowMs() - startedAtMs - waitedMs;
  const basis = { settings, targetUrl, schemas };
  const record = await collect({
    ...basis,
    selection,
    probe,
    sampler,
    clock,
    signal,
    endsAtMs: clock.monotonicMs() + sendingTimeMs(settings.deadlineMs) - spentMs,
    onOpened,
    judgeExchange: judgeDuringRun(basis),
    commonHeaders: commonHeaders(),
    onOpening: hooks.onOpening,
    lock: hooks.lock,
    onProgress: hooks.onProgress,
    onExchange: hooks.onExchange,
  });
  return buildReport({
    id: randomUUID(),
    harnessVersion: harnessVersion(),
    suites,
    settings,
    targetUrl,
    requirements: selection.requirements,
    record,
    judgements: await judge({ ...basis, record }, hooks),
    startedAtMs,
    finishedAtMs: clock.nowMs(),
  });
}

/** Sends the requests of the selected steps in this order, and returns everything that was collected. */
export async function collect(input: RunInput): Promise<RunRecord> {
  const run = new Run(input);
  const { ordinary, following, timed, later, closing } = run.phases;

  // What the target says of itself, and the first call of each function: each step as soon as what it needs is there.
  run.start(ordinary);
  await run.end(ordinary.filter(({ request }) => asksExecute(request)));
  await run.learnInputs();
  await run.watchReads();

  // More calls of what was called with success, and the experiments: one after the other, so that the calls of a
  // function are not interleaved and always have the same order.
  await run.inOrder(following);

  // Timed calls, when nothing else is sent. They fill the pause before the repeated reads, unless a rate limiter would
  // then refuse what comes after them.
  await run.quiet(ordinary);
  const isTimedLast = run.timesLast();
  if (!isTimedLast) await run.alone(timed);
  run.endTimedCalls();

  // Invalid requests may make the target restart, or break it for good: what only reads ends before them. One at a time,
  // so that damage by one of them is not blamed on another. Functions are explored after them.
  await run.end(ordinary);
  await run.shareLock();
  await run.alone(later);
  if (isTimedLast) {
    await run.alone(timed);
    run.endTimedCalls();
    await run.shareLock();
  }

  // The last look, and the end of what the calls created. What judges all answers sees those of deleting calls too.
  await run.alone(closing.filter(({ request }) => request !== null));
  await run.removeCreated();
  await run.alone(closing.filter(({ request }) => request === null));
  return run.record();
}

async function judge(input: JudgeRunInput, { onJudged, pause }: CheckHooks): Promise<readonly Judgement[]> {
  const judgements: Judgement[] = [];
  for (const step of judgeSteps(input)) {
    if (step !== null) {
      onJudged?.(step);
      judgements.push(...step.judgements);
    }
    await pause?.();
  }
  return judgements;
}

const JUDGING_SHARE = 0.1;
const MAX_JUDGING_MS = 2000;

/** Judging the answers of a conforming server takes a small part of this. */
function sendingTimeMs(deadlineMs: number): number {
  return deadlineMs - Math.min(deadlineMs * JUDGING_SHARE, MAX_JUDGING_MS);
}
