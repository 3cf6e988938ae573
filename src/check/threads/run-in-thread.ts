import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { OptionError } from '../../model/arguments.ts';
import type { AnsweredExchange } from '../../model/exchange.ts';
import type { Clock } from '../../model/probe.ts';
import type { SentBefore } from '../../probe/replaying-probe.ts';
import { notifyListener } from '../bench/notify-listener.ts';
import type { CheckOptions } from '../check-options.ts';
import type { CheckJob, FinishedCheck, FromCheck, FromPartial, ToCheck } from './check-messages.ts';
import type { CheckThread } from './check-thread.ts';
import type { CheckTurns } from './check-turns.ts';
import type { Countdown } from './countdown.ts';
import type { StoppedCheck } from './report-stopped.ts';

/** The check left the thread, and continues in another one. */
export interface MovedCheck {
  readonly kind: 'moved';
  /** It was the reason: it needs a thread of its own. */
  readonly isCause: boolean;
  readonly sent: SentBefore;
}

export type ThreadOutcome = FinishedCheck | StoppedCheck | MovedCheck;

export interface ThreadRun {
  readonly thread: CheckThread;
  readonly isShared: boolean;
  /** Null in a thread with others. */
  readonly turns: CheckTurns | null;
  readonly job: CheckJob;
  readonly listening: Pick<CheckOptions, 'signal' | 'onProgress' | 'onUnlikeAnswer'>;
  readonly clock: Clock;
  readonly deadline: CheckDeadline;
  /** The memory limit of the thread. */
  readonly heapMb: number;
}

export interface CheckDeadline extends Countdown {
  /** Fires when it is over. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** After an interruption the check only judges the existing exchanges. */
const INTERRUPTED_MS = 2000;

let lastCheck = 0;

/** Runs a check in a thread until it is finished, is stopped, or has to continue in another one. */
export async function runInThread(run: ThreadRun): Promise<ThreadOutcome> {
  const { thread, isShared, turns, job, clock, deadline, heapMb } = run;
  const { signal, onProgress, onUnlikeAnswer } = run.listening;
  const { port1: channel, port2: farChannel } = new MessageChannel();
  const { port1: received, port2: partial } = new MessageChannel();
  lastCheck += 1;
  const check = lastCheck;
  const ending = new AbortController();
  let isInterrupted = false;
  let removeListener: () => void = () => undefined;
  const post = (message: ToCheck): void => channel.postMessage(message);
  /** The deadline does not count the time of the others. */
  const takeTurn = async (to: 'work' | 'time'): Promise<void> => {
    deadline.pause();
    await turns?.[to]();
    if (ending.signal.aborted) return;
    deadline.resume();
    post({ kind: 'turn' });
  };
  const decide = async (exchange: AnsweredExchange): Promise<void> => {
    await onUnlikeAnswer?.(exchange);
    post({ kind: 'go-on', key: exchange.request.key });
  };
  try {
    return await new Promise((resolve, reject) => {
      const stop = (because: string): void => {
        resolve({ kind: 'stopped', because, ...stoppedParts(received, job.sentBefore) });
      };
      const move = (isCause: boolean): void =>
        resolve({ kind: 'moved', isCause, sent: sentIn(partsIn(received), job.sentBefore) });
      const interrupt = (): void => {
        isInterrupted = true;
        post({ kind: 'interrupt' });
        void clock.sleep(INTERRUPTED_MS, ending.signal).then(() => stop('it was interrupted'));
      };
      const hear = (message: FromCheck): void => {
        switch (message.kind) {
          case 'progress':
            notifyListener(onProgress, message.progress, reject);
            break;
          case 'unlike-answer':
            decide(message.exchange).catch(reject);
            break;
          case 'turn-wanted':
            if (!isInterrupted) void takeTurn(message.to);
            break;
          case 'opening':
            // A start has a time-out of its own.
            deadline[message.state === 'begins' ? 'pause' : 'resume']();
            break;
          case 'rests':
            turns?.rest();
            break;
          case 'share-exceeded':
            move(true);
            break;
          case 'refused':
            reject(new OptionError(message.option, message.message));
            break;
          case 'failed':
            reject(message.error);
            break;
          case 'finished':
            resolve(message);
            break;
        }
      };
      channel.on('message', hear);
      removeListener = thread.onEnd((end) => {
        // What it sent before it ended counts.
        for (let last = receiveMessageOnPort(channel); last; last = receiveMessageOnPort(channel))
          hear(last.message as FromCheck);
        if (isShared) move(thread.currentCheck() === check);
        else if (end.kind === 'error') reject(end.error);
        else stop(`it needed more than ${heapMb} MB of memory`);
      });
      const listenTo = (of: AbortSignal | undefined, onAbort: () => void): void => {
        of?.addEventListener('abort', onAbort, { once: true, signal: ending.signal });
        if (of?.aborted) onAbort();
      };
      thread.start({
        check,
        job,
        isShared,
        reportsProgress: onProgress !== undefined,
        reportsUnlike: onUnlikeAnswer !== undefined,
        channel: farChannel,
        partial,
      });
      listenTo(deadline.signal, () => stop(`its deadline of ${deadline.deadlineMs / 1000} s was over`));
      listenTo(signal, interrupt);
    });
  } finally {
    ending.abort();
    removeListener();
    post({ kind: 'drop' });
    channel.close();
    received.close();
  }
}

function partsIn(received: MessagePort): readonly FromPartial[] {
  const parts: FromPartial[] = [];
  // Without one, the thread ended before the check began in it.
  const partial = receiveMessageOnPort(received)?.message as MessagePort | undefined;
  if (partial === undefined) return parts;
  for (let next = receiveMessageOnPort(partial); next; next = receiveMessageOnPort(partial))
    parts.push(next.message as FromPartial);
  partial.close();
  return parts;
}

/** What was sent in this thread and in those before. */
function sentIn(parts: readonly FromPartial[], before: SentBefore): SentBefore {
  const exchanges = new Map(before.exchanges.map((exchange) => [exchange.request.key, exchange]));
  const called = new Set(before.lost);
  for (const part of parts) {
    if (part.kind === 'exchange') exchanges.set(part.exchange.request.key, part.exchange);
    if (part.kind === 'calling') called.add(part.key);
  }
  return {
    exchanges: [...exchanges.values()],
    lost: [...called].filter((key) => !exchanges.has(key)),
  };
}

function stoppedParts(received: MessagePort, before: SentBefore): Pick<StoppedCheck, 'exchanges' | 'judged'> {
  const parts = partsIn(received);
  return {
    exchanges: sentIn(parts, before).exchanges,
    judged: parts.flatMap((part) => (part.kind === 'judged' ? [part.judged] : [])),
  };
}
