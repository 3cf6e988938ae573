import type { Clock } from '../../model/probe.ts';
import type { TestResult } from '../../model/report.ts';
import { NOTHING_SENT } from '../../probe/replaying-probe.ts';
import type { Progress } from '../../run/request-scheduler.ts';
import { isLoopback } from '../../text/loopback.ts';
import { type CheckInput, checkInputOf } from '../check-input.ts';
import type { CheckOptions } from '../check-options.ts';
import type { CheckJob } from './check-messages.ts';
import { DEFAULT_HEAP_MB } from './check-thread.ts';
import type { Beside } from './check-turns.ts';
import { startCountdown } from './countdown.ts';
import { type CheckDeadline, runInThread, type ThreadOutcome } from './run-in-thread.ts';
import type { Place, ThreadPlaces } from './thread-places.ts';

interface StartedCheck {
  readonly job: CheckJob;
  readonly deadline: CheckDeadline;
}

/** After that, a check is taken to be the cause of the end of its threads, although it seems to be another one. */
const MAX_SHARED_THREADS = 3;

/** The limit of requests within any second counts those of the thread before, too. */
const MOVING_MS = 1000;

/**
 * Checks a server in a thread. If the check needs more than its share of the thread, or if the thread ends because of
 * another check, it continues in another thread with the answers that it has received: no call is sent twice.
 *
 * @param clock for the deadline, and for the time limit after an interruption
 */
export async function checkInThreads(
  places: ThreadPlaces,
  url: string,
  options: CheckOptions,
  clock: Clock,
): Promise<TestResult> {
  const input = checkInputOf(url, options);
  const { signal, onProgress, onUnlikeAnswer } = options;
  const listening = {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress: onlyForward(onProgress) }),
    ...(onUnlikeAnswer === undefined ? {} : { onUnlikeAnswer }),
  };
  const heapMb = options.maxHeapMb ?? DEFAULT_HEAP_MB;
  const timedBeside = timedBesideOf(input);
  const ending = new AbortController();
  let isShared = places.areShared && mayShare(options);
  let started: StartedCheck | null = null;
  let waitsSinceMs = 0;

  const runIn = async (place: Place): Promise<ThreadOutcome> => {
    if (started === null) {
      const job = { input, startedAtMs: clock.nowMs(), waitedMs: 0, sentBefore: NOTHING_SENT };
      started = { job, deadline: startDeadline(input.settings.deadlineMs, clock, ending.signal) };
      // Many checks may wait for their beginning when they are interrupted.
      if (signal?.aborted)
        return { kind: 'stopped', because: 'it was interrupted', exchanges: [], judged: [] };
    } else {
      const { job, deadline } = started;
      deadline.resume();
      const { exchanges } = job.sentBefore;
      // A run that is interrupted at its start would not judge them.
      if (signal?.aborted) return { kind: 'stopped', because: 'it was interrupted', exchanges, judged: [] };
      const waitedMs = job.waitedMs + clock.nowMs() - waitsSinceMs;
      started = { deadline, job: { ...job, waitedMs } };
    }
    return runInThread({ ...place, thread: place.thread(), ...started, isShared, listening, clock });
  };

  try {
    for (let threads = 1; ; threads += 1) {
      const outcome = await (isShared
        ? places.shared(runIn)
        : places.own({ heapMb, timedBeside, signal }, runIn));
      if (outcome.kind === 'finished') return outcome.result;
      const { job, deadline }: StartedCheck = startedIn(started);
      if (outcome.kind === 'stopped') {
        const { reportStopped } = await import('./report-stopped.ts');
        return await reportStopped({ ...outcome, input, startedAtMs: job.startedAtMs });
      }
      isShared = !outcome.isCause && threads < MAX_SHARED_THREADS;
      started = { deadline, job: { ...job, sentBefore: outcome.sent } };
      deadline.pause();
      waitsSinceMs = clock.nowMs();
      await clock.sleep(MOVING_MS, signal ?? ending.signal);
    }
  } finally {
    ending.abort();
  }
}

/** Timing needs a quiet thread, and a memory limit is that of a thread. */
function mayShare({ latency, maxHeapMb, mcp }: CheckOptions): boolean {
  // A process belongs to the thread that started it.
  return latency?.off === true && maxHeapMb === undefined && mcp === undefined;
}

function timedBesideOf({ targetUrl, settings, mcp }: CheckInput): Beside {
  if (mcp?.command !== undefined) return { kind: 'nobody' };
  const { hostname } = new URL(targetUrl);
  if (isLoopback(hostname)) return { kind: 'nobody' };
  return { kind: 'other-hosts', host: hostname, callsPerSecond: settings.requestsPerSecond };
}

function startedIn(started: StartedCheck | null): StartedCheck {
  if (started === null) throw new Error('a check ended before it started');
  return started;
}

/** The report of a stopped check must be ready by the deadline too. */
const REPORTING_MS = 100;
const REPORTING_SHARE = 0.05;

function startDeadline(deadlineMs: number, clock: Clock, signal: AbortSignal): CheckDeadline {
  const over = new AbortController();
  const countdownMs = deadlineMs - Math.min(REPORTING_MS, deadlineMs * REPORTING_SHARE);
  const countdown = startCountdown(countdownMs, clock, signal, () => over.abort());
  return { ...countdown, deadlineMs, signal: over.signal };
}

/** A check that continues in another thread sends the same progress again. */
function onlyForward(onProgress: (progress: Progress) => void): (progress: Progress) => void {
  let steps = -1;
  return (progress) => {
    const now = progress.sent + progress.answered;
    if (now < steps) return undefined;
    steps = now;
    // An error, or a promise, is that of the listener.
    return onProgress(progress);
  };
}
