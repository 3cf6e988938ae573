import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { type EarlyAcceptance, type FirstFailure, watchForFailure } from '../judge/first-failure.ts';
import { judgeDuringRun, repetitionsPass } from '../judge/judge-during-run.ts';
import { type JudgedStep, judgeSteps } from '../judge/judge-run.ts';
import type { JudgeRunInput } from '../judge/step-context.ts';
import type { Exchange, TransportFailure } from '../model/exchange.ts';
import type { Judgement } from '../model/judgement.ts';
import type { Clock } from '../model/probe.ts';
import type { TestResult } from '../model/report.ts';
import { unsentExchange } from '../model/sent.ts';
import { recordNothing, type Span, spanRecorder } from '../model/span.ts';
import type { Conversation } from '../model/wire.ts';
import { preciseNowMs, steadyClock, systemClock } from '../probe/system-clock.ts';
import { warmUp } from '../probe/warm-up.ts';
import { buildReport } from '../report/build-report.ts';
import { Run } from '../run/run.ts';
import type { Collected } from '../run/state/record.ts';
import type { Progress, RunInput } from '../run/state/run-input.ts';
import { asksExecute } from '../run/steps/step-kinds.ts';
import { harnessVersion } from '../suite/product-files.ts';
import { acceptedEarly } from './accepted-early.ts';
import { type CheckInput, checkInputOf } from './check-input.ts';
import type { CheckOptions } from './check-options.ts';
import { type PreparedRun, prepareRun, type RunParts } from './prepare-run.ts';

export interface CheckHooks extends RunParts, Pick<RunInput, 'lock' | 'onOpening'> {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onFailure?: ((failure: FirstFailure) => void) | undefined;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Called with each phase and each wait when it ends. */
  readonly onSpan?: ((span: Span) => void) | undefined;
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
  const { signal, waitedMs = 0, onSpan } = hooks;
  const clock = steadyClock(hooks.clock ?? systemClock);
  const recordSpan = onSpan === undefined ? recordNothing : spanRecorder(onSpan, preciseNowMs);
  // Every wait of a run listens to this signal, so there may be many listeners.
  setMaxListeners(0, signal);
  const { suites, ...prepared } = await recordSpan('phase', 'reading the suites', () =>
    prepareRun(input, signal, { ...hooks, clock }),
  );
  const { settings, targetUrl, schemas } = prepared;
  await recordSpan('phase', 'warming up the client', () => warmUp(clock, signal));
  const spentMs = clock.nowMs() - startedAtMs - waitedMs;
  const record = await collect({
    ...prepared,
    clock,
    signal,
    endsAtMs: clock.monotonicMs() + sendingTimeMs(settings.deadlineMs) - spentMs,
    onOpening: hooks.onOpening,
    lock: hooks.lock,
    onProgress: hooks.onProgress,
    onExchange: hooks.onExchange,
    recordSpan,
    ...firstFailure(prepared, acceptedEarly(input.knownFailures, startedAtMs), hooks),
  });
  const judgements = await recordSpan('phase', 'judging', () =>
    judge({ settings, targetUrl, schemas, record }, hooks),
  );
  // Many servers take a second to end, or must be stopped: what they said is judged meanwhile.
  const allClosed = () => untilClosed(record, { clock, signal });
  const conversations =
    settings.mcp?.channel === 'stdio'
      ? await recordSpan('phase', 'ending the server', () => recordSpan('server', 'end', allClosed))
      : await allClosed();
  const report = async () =>
    buildReport({
      id: randomUUID(),
      harnessVersion: harnessVersion(),
      suites,
      settings,
      targetUrl,
      requirements: prepared.selection.requirements,
      record: { ...record, conversations },
      judgements,
      startedAtMs,
      // The start was read by the clock of another thread.
      finishedAtMs: Math.max(startedAtMs, clock.nowMs()),
    });
  return recordSpan('phase', 'building the report', report);
}

/** Sends the requests of the selected steps in this order, and returns everything that was collected. */
export async function collect(
  input: Omit<RunInput, 'judgeExchange' | 'repetitionsPass'>,
): Promise<Collected> {
  const run = new Run({
    ...input,
    judgeExchange: judgeDuringRun(input),
    repetitionsPass: repetitionsPass(input),
  });
  const { ordinary, following, timed, later, closing } = run.phases;
  const { recordSpan = recordNothing } = input;
  const phase = (name: string, work: () => Promise<void>): Promise<void> => recordSpan('phase', name, work);

  // What the target says of itself, and the first call of each function: each step as soon as what it needs is there.
  await phase('first calls', async () => {
    run.start(ordinary);
    await run.end(ordinary.filter(({ request }) => asksExecute(request)));
    await run.learnInputs();
    await run.watchReads();
  });

  // More calls of what was called with success, and the experiments: one after the other, so that the calls of a
  // function are not interleaved and always have the same order.
  await phase('further calls', () => run.inOrder(following));

  // Timed calls, when nothing else is sent. They fill the pause before the repeated reads, unless a rate limiter would
  // then refuse what comes after them.
  const isTimedNow = timed.length > 0 && (input.planning === true || !run.timesLast());
  run.steps.endCalls({ isPauseFilled: isTimedNow });
  await phase('other first requests', () => run.quiet(ordinary));
  const isTimedLast = run.timesLast();
  const time = (): Promise<void> => phase('timed calls', () => run.alone(timed));
  if (!isTimedLast) await time();
  run.steps.endTimedCalls();

  // Invalid requests may make the target restart, or break it for good: what only reads ends before them. One at a time,
  // so that damage by one of them is not blamed on another. Functions are explored after them.
  await phase('repeated reads', async () => {
    await run.end(ordinary);
    await run.steps.shareLock();
  });
  await phase('invalid requests and exploring', () => run.alone(later));
  if (isTimedLast) {
    await time();
    run.steps.endTimedCalls();
    await run.steps.shareLock();
  }

  // The last look, and the end of what the calls created. What judges all answers sees those of deleting calls too.
  await phase('last look', async () => {
    await run.alone(closing.filter(({ request }) => request !== null));
    await run.removeCreated();
    await run.alone(closing.filter(({ request }) => request === null));
  });
  return run.record();
}

/** Tells of the first failure while the run goes on, and ends it there if the user wants that. */
function firstFailure(
  { settings, targetUrl, schemas, selection }: Omit<PreparedRun, 'suites'>,
  acceptance: EarlyAcceptance,
  { signal, onFailure }: CheckHooks,
): Pick<RunInput, 'bail' | 'onAnswer'> {
  if (settings.bail !== true && onFailure === undefined) return {};
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, ...(settings.bail === true ? [failed.signal] : [])]);
  setMaxListeners(0, ending);
  const requirements = new Set(selection.requirements.keys());
  return {
    bail: { isOver: () => settings.bail === true && failed.signal.aborted, ending },
    onAnswer: watchForFailure(
      { settings, targetUrl, schemas, steps: selection.steps, requirements, acceptance },
      (failure) => {
        failed.abort();
        onFailure?.(failure);
      },
    ),
  };
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

/** For the processes to end after an interruption. */
const INTERRUPTED_MS = 500;

/**
 * The conversations, with the last lines of their processes if these end in time. Others are ended all the same, but the
 * report does not wait: a check that is stopped meanwhile would have judged nothing.
 */
async function untilClosed(
  { closed, conversations, endsAtMs }: Collected,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly Conversation[]> {
  const leftMs = signal.aborted ? INTERRUPTED_MS : endsAtMs - clock.monotonicMs();
  const over = new AbortController();
  const ending = signal.aborted ? over.signal : AbortSignal.any([signal, over.signal]);
  const tooLate = clock.sleep(Math.max(0, leftMs), ending).then(() => conversations);
  return Promise.race([closed, tooLate]).finally(() => over.abort());
}

/** The test result of a target that is known to be unreachable: each request failed for this reason. Sends nothing. */
export function reportUnreachable(
  url: string,
  options: CheckOptions,
  reason: TransportFailure,
): Promise<TestResult> {
  return checkTarget(checkInputOf(url, options), {
    signal: new AbortController().signal,
    probe: {
      send: async (planned) => unsentExchange(planned, reason, systemClock.nowMs()),
      close: () => undefined,
    },
  });
}
