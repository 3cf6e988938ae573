import { once } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import type { JudgedStep } from '../../judge/judge-run.ts';
import { OptionError } from '../../model/arguments.ts';
import type { Clock } from '../../model/probe.ts';
import type { SentBefore } from '../../probe/replaying-probe.ts';
import { preciseNowMs, steadyClock } from '../../probe/system-clock.ts';
import type { Progress } from '../../run/state/run-input.ts';
import { type CheckInput, checkInputOf } from '../check-input.ts';
import type { CheckOptions } from '../check-options.ts';
import { notifyListener } from '../notify-listener.ts';
import { Deadline } from './deadline.ts';
import type { CheckLock } from './timing-lock.ts';
import type { FinishedCheck, FromCheck, PartOfCheck, StartCheck, ToCheck } from './worker-messages.ts';

export interface StoppedCheck {
  readonly kind: 'stopped';
  readonly because: string;
  readonly advice: string;
}

export type WorkerOutcome =
  | FinishedCheck
  | StoppedCheck
  /** The check needs more than its share of the worker, if the error is null, or the worker ended. */
  | { readonly kind: 'left'; readonly error: unknown };

export const INTERRUPTED: StoppedCheck = {
  kind: 'stopped',
  because: 'it was interrupted',
  advice: 'Run the check again, and let it finish.',
};

type MessageOf<Kind extends FromCheck['kind']> = FromCheck & { readonly kind: Kind };

let lastId = 0;

/** A check from its start to its end, in whichever workers it runs. */
export class Check {
  /** Distinguishes the checks of a process. */
  readonly id: number;
  readonly input: CheckInput;
  readonly listeners: Pick<CheckOptions, 'onProgress' | 'onFailure' | 'onSpan' | 'onUnlikeAnswer'>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly deadline: Deadline;
  startedAtMs: number | null = null;
  /** What it sent in the workers before, if it did not finish there, and what was judged in the last one. */
  sent: SentBefore;
  judged: readonly JudgedStep[] = [];
  #reported = -1;
  #hasFailed = false;

  /** @throws TargetError or OptionError for a mistake in the address or the options */
  constructor(url: string, options: CheckOptions, signal: AbortSignal, clock: Clock) {
    lastId += 1;
    this.id = lastId;
    this.input = checkInputOf(url, options);
    this.sent = { exchanges: options.answered ?? [], lost: [] };
    this.listeners = options;
    this.signal = signal;
    // A time of day that is set back would let it finish before it started.
    this.clock = steadyClock(clock);
    this.deadline = new Deadline(this.input.settings.deadlineMs, this.clock);
  }

  /** Starts the deadline, or goes on with it in another worker. Returns when the check started. */
  start(): number {
    this.deadline.resume();
    this.startedAtMs ??= this.clock.nowMs();
    return this.startedAtMs;
  }

  /** Whether a progress was not reported yet: a check that continues in another worker makes the first steps again. */
  isNew({ sent, answered }: Progress): boolean {
    if (sent + answered < this.#reported) return false;
    this.#reported = sent + answered;
    return true;
  }

  /** Another worker would find it again. */
  isFirstFailure(): boolean {
    const isFirst = !this.#hasFailed;
    this.#hasFailed = true;
    return isFirst;
  }

  /** Keeps what it sent, and what was judged, in a worker in which it did not finish. */
  keep(parts: readonly PartOfCheck[]): void {
    const exchanges = new Map(this.sent.exchanges.map((exchange) => [exchange.request.key, exchange]));
    const called = new Set(this.sent.lost);
    for (const part of parts) {
      if (part.kind === 'exchange') exchanges.set(part.exchange.request.key, part.exchange);
      if (part.kind === 'calling') called.add(part.key);
    }
    const lost = [...called].filter((key) => !exchanges.has(key));
    this.sent = { exchanges: [...exchanges.values()], lost };
    this.judged = parts.flatMap((part) => (part.kind === 'judged' ? [part.judged] : []));
  }
}

/** After an interruption the check only judges the existing exchanges. */
const INTERRUPTED_MS = 2000;

/**
 * Runs a check in a worker until it finishes, is stopped by its deadline or an interruption, or leaves the worker. Unless
 * it finished, the check has afterwards what it sent.
 *
 * @param lock null for a check that shares the worker
 */
export async function runInWorker(
  check: Check,
  worker: Worker,
  lock: CheckLock | null,
): Promise<WorkerOutcome> {
  const { id, input, signal, clock, deadline, sent } = check;
  const { onProgress, onFailure, onSpan, onUnlikeAnswer } = check.listeners;
  const { port1: port, port2: portOfCheck } = new MessageChannel();
  const { port1: parts, port2: partsOfCheck } = new MessageChannel();
  const ending = new AbortController();
  const post = (message: ToCheck): void => port.postMessage(message);
  /** The deadline does not count the time of other checks. */
  const acquire = async ({ wait, mode }: MessageOf<'acquire'>): Promise<void> => {
    deadline.pause();
    await lock?.acquire(mode);
    if (ending.signal.aborted) return;
    deadline.resume();
    post({ kind: 'go-on', wait });
  };
  const decide = async ({ wait, exchange }: MessageOf<'unlike-answer'>): Promise<void> => {
    await onUnlikeAnswer?.(exchange);
    post({ kind: 'go-on', wait });
  };
  try {
    const outcome = await new Promise<WorkerOutcome>((resolve, reject) => {
      port.on('message', (message: FromCheck) => {
        if (message.kind === 'acquire') void acquire(message);
        if (message.kind === 'release') lock?.release();
        if (message.kind === 'unlike-answer') decide(message).catch(reject);
        if (message.kind === 'progress' && check.isNew(message.progress))
          notifyListener(onProgress, message.progress, reject);
        if (message.kind === 'span') notifyListener(onSpan, message.span, reject);
        if (message.kind === 'failure' && check.isFirstFailure())
          notifyListener(onFailure, message.failure, reject);
        if (message.kind === 'opening')
          deadline.onOpening(message.state, () => worker.performance.eventLoopUtilization().idle);
        if (message.kind === 'share-exceeded') resolve({ kind: 'left', error: null });
        if (message.kind === 'refused') reject(new OptionError(message.option, message.message));
        if (message.kind === 'failed') reject(message.error);
        if (message.kind === 'finished') resolve(message);
      });
      const interrupt = (): void => {
        post({ kind: 'interrupt' });
        void clock.sleep(INTERRUPTED_MS, ending.signal).then(() => resolve(INTERRUPTED));
      };
      const listening = { once: true, signal: ending.signal };
      once(worker, 'exit', listening).then(
        ([code]) =>
          resolve({ kind: 'left', error: new Error(`the thread of the check ended with code ${code}`) }),
        (error: unknown) => resolve({ kind: 'left', error }),
      );
      const because = `its deadline of ${input.settings.deadlineMs / 1000} s was over`;
      const advice = 'Increase --deadline, or check what the target sends.';
      deadline.over.addEventListener('abort', () => resolve({ kind: 'stopped', because, advice }), listening);
      signal.addEventListener('abort', interrupt, listening);
      const startedAtMs = check.start();
      const start: StartCheck = {
        id,
        input,
        sent,
        startedAtMs,
        postedAtMs: preciseNowMs(),
        waitedMs: clock.nowMs() - startedAtMs - deadline.spentMs,
        listens: {
          progress: onProgress !== undefined,
          unlike: onUnlikeAnswer !== undefined,
          spans: onSpan !== undefined,
          failure: onFailure !== undefined,
        },
        port: portOfCheck,
        parts: partsOfCheck,
      };
      worker.postMessage(start, [portOfCheck, partsOfCheck]);
    });
    // Without a port, the worker ended before the check began in it.
    const [partial] = outcome.kind === 'finished' ? [] : messagesIn<MessagePort>(parts);
    if (partial !== undefined) check.keep(messagesIn<PartOfCheck>(partial));
    partial?.close();
    return outcome;
  } finally {
    ending.abort();
    deadline.pause();
    port.close();
    parts.close();
  }
}

function messagesIn<Message>(port: MessagePort): readonly Message[] {
  const messages: Message[] = [];
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
    messages.push(next.message as Message);
  return messages;
}
