import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { OptionError, requireArguments } from '../model/arguments.ts';
import type { Clock } from '../model/probe.ts';
import type { TestResult } from '../model/report.ts';
import { systemClock } from '../probe/system-clock.ts';
import type { CheckJob, FromPartial, FromWorker, ToWorker } from './check-messages.ts';
import { CHECK_ARGUMENTS, type CheckOptions } from './check-options.ts';
import { DEFAULT_HEAP_MB, takeWorker } from './check-thread.ts';
import { startCountdown } from './countdown.ts';
import { notifyListener } from './notify-listener.ts';
import type { StoppedCheck } from './report-stopped.ts';
import { authoritiesOf, deadlineMsOf, settingsOf, targetUrlOf } from './run-settings.ts';

/**
 * Checks a server and returns the test result (specification, section 2.3). Prints and writes nothing. The check runs
 * in a separate thread, so that it ends at its deadline and its memory limit whatever the target sends. A stopped check
 * reports its findings so far, and the rest is undecided. Checks that run at once time their targets one after another,
 * and the deadline does not count that wait.
 *
 * @param url the server's base address, `{server_url}`: http or https, without /health
 * @throws OptionError when an option is unknown, is of the wrong kind, or cannot be used
 * @throws TargetError when the address cannot be a target
 * @throws whatever `onProgress` throws or rejects with, which ends the check
 */
export async function checkServer(url: string, options: CheckOptions = {}): Promise<TestResult> {
  requireArguments('checkServer', { url, options }, CHECK_ARGUMENTS);
  return checkInThread(url, options);
}

/** @param clock for the deadline, and for the time limit after an interruption */
export async function checkInThread(
  url: string,
  options: CheckOptions = {},
  clock: Clock = systemClock,
): Promise<TestResult> {
  const startedAtMs = Date.now();
  const targetUrl = targetUrlOf(url, options.publicOnly ?? false);
  authoritiesOf(options);
  const { signal: _signal, onProgress: _onProgress, ...cloneable } = options;
  const rest = { ...cloneable, seed: settingsOf(options).seed };
  const worker = takeWorker(options.maxHeapMb ?? DEFAULT_HEAP_MB);
  const outcome = await watch(worker, { url, options: rest, startedAtMs }, options, clock).finally(
    async () => {
      worker.removeAllListeners();
      // Wait, so that the two threads do not use their memory at the same time.
      await worker.terminate();
    },
  );
  if (outcome.kind === 'finished') return outcome.result;
  const { reportStopped } = await import('./report-stopped.ts');
  return reportStopped({ ...outcome, targetUrl, options: rest, startedAtMs });
}

type FinishedCheck = Extract<FromWorker, { readonly kind: 'finished' }>;

/** The report of a stopped check must be ready by the deadline too. */
const REPORTING_MS = 100;
const REPORTING_SHARE = 0.05;

/** After an interruption the check only judges the existing exchanges. */
const INTERRUPTED_MS = 2000;

/** For all checks of this process: calls to two targets that are timed at once would slow each other down. */
const timing = pLimit(1);

async function watch(
  worker: Worker,
  job: CheckJob,
  { signal, onProgress }: CheckOptions,
  clock: Clock,
): Promise<FinishedCheck | StoppedCheck> {
  const deadlineMs = deadlineMsOf(job.options);
  const { port1: received, port2: partial } = new MessageChannel();
  const ending = new AbortController();
  const after = (ms: number, then: () => void): void => {
    void clock.sleep(ms, ending.signal).then(then);
  };
  let endTurn: () => void = () => undefined;
  const turnIsOver = new Promise<void>((resolve) => {
    endTurn = resolve;
  });
  try {
    return await new Promise((resolve, reject) => {
      const stop = (because: string): void => resolve({ kind: 'stopped', because, ...partsIn(received) });
      const interrupt = (): void => {
        worker.postMessage({ kind: 'interrupt' } satisfies ToWorker);
        after(INTERRUPTED_MS, () => stop('it was interrupted'));
      };
      const deadline = startCountdown(
        deadlineMs - Math.min(REPORTING_MS, deadlineMs * REPORTING_SHARE),
        clock,
        ending.signal,
        () => stop(`its deadline of ${deadlineMs / 1000} s was over`),
      );
      const takeTurn = async (): Promise<void> => {
        if (ending.signal.aborted) return;
        deadline.resume();
        worker.postMessage({ kind: 'turn' } satisfies ToWorker);
        await turnIsOver;
      };
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'progress') notifyListener(onProgress, message.progress, reject);
        else if (message.kind === 'turn-wanted') {
          deadline.pause();
          void timing(takeTurn);
        } else if (message.kind === 'turn-over') endTurn();
        else if (message.kind === 'finished') resolve(message);
        else reject(new OptionError(message.option, message.message));
      });
      worker.on('error', (error: Error & { code?: string }) => {
        if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return reject(error);
        stop(`it needed more than ${job.options.maxHeapMb ?? DEFAULT_HEAP_MB} MB of memory`);
      });
      worker.on('exit', (code) => reject(new Error(`the thread of the check ended with code ${code}`)));
      signal?.addEventListener('abort', interrupt, { once: true, signal: ending.signal });
      const start: ToWorker = { kind: 'start', job, reportsProgress: onProgress !== undefined, partial };
      worker.postMessage(start, [partial]);
      if (signal?.aborted) interrupt();
    });
  } finally {
    ending.abort();
    endTurn();
    received.close();
  }
}

/** What the worker sent for the report of a stopped check. */
function partsIn(received: MessagePort): Pick<StoppedCheck, 'exchanges' | 'judged'> {
  const parts: FromPartial[] = [];
  for (let next = receiveMessageOnPort(received); next; next = receiveMessageOnPort(received))
    parts.push(next.message as FromPartial);
  return {
    exchanges: parts.flatMap((part) => (part.kind === 'exchange' ? [part.exchange] : [])),
    judged: parts.flatMap((part) => (part.kind === 'judged' ? [part.judged] : [])),
  };
}
