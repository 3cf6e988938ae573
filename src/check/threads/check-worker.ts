import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import type { JudgedStep } from '../../judge/judge-run.ts';
import { OptionError } from '../../model/arguments.ts';
import { bodyCharacters } from '../../model/exchange.ts';
import { createContinuingProbe } from '../../probe/replaying-probe.ts';
import { preciseNowMs } from '../../probe/system-clock.ts';
import { type CheckHooks, checkTarget } from '../check.ts';
import { takePriority } from './priority.ts';
import { HEARTBEAT, Share } from './sharing.ts';
import type { FromCheck, PartOfCheck, StartCheck, ToCheck } from './worker-messages.ts';

const HEARTBEAT_MS = 100;

/**
 * Larger answers are not copied only for the report of a stopped check. One that shares its thread may continue in another
 * one, and needs all of its answers, which its share bounds.
 */
const MAX_KEPT_CHARACTERS = 256 * 1024;
const MAX_KEPT_OF_RUN = 8 * 1024 * 1024;
/** After that, only small bodies are copied. */
const SMALL_CHARACTERS = 4 * 1024;

/** The memory by which checks share this thread; null in a thread of one check at a time. */
const memory = workerData === null ? null : new Int32Array(workerData as SharedArrayBuffer);

takePriority();

if (memory !== null) setInterval(() => Atomics.add(memory, HEARTBEAT, 1), HEARTBEAT_MS).unref();

parentPort?.on('message', (start: StartCheck) => void work(start));

/** Ends the code of a check that left the thread. */
class LeftThread extends Error {
  override readonly name = 'LeftThread';
}

process.on('unhandledRejection', (reason) => {
  // Several steps of a check may end with this error at once.
  if (!(reason instanceof LeftThread)) throw reason;
});

async function work({ id, input, sent, listens, port, parts, ...start }: StartCheck): Promise<void> {
  const { port1: partial, port2: untaken } = new MessageChannel();
  parts.postMessage(untaken, [untaken]);
  const interrupt = new AbortController();
  const waits: (() => void)[] = [];
  let kept = 0;
  const post = (message: FromCheck): void => port.postMessage(message);
  const keep = (part: PartOfCheck): void => partial.postMessage(part);
  const wait = async (messageOf: (wait: number) => FromCheck): Promise<void> => {
    if (interrupt.signal.aborted) return;
    await new Promise<void>((resolve) => post(messageOf(waits.push(resolve) - 1)));
  };
  const onExceeded = (): void => post({ kind: 'share-exceeded' });
  const share = memory && new Share({ id, memory, keep, onExceeded });
  port.on('close', () => share?.leave());
  port.on('message', (message: ToCheck) => {
    if (message.kind === 'go-on') return waits[message.wait]?.();
    interrupt.abort();
    for (const goOn of waits) goOn();
  });
  const hooks: CheckHooks = {
    signal: interrupt.signal,
    // A check that shares its thread times nothing.
    lock:
      share === null
        ? {
            acquire: (mode) => wait((number) => ({ kind: 'acquire', wait: number, mode })),
            release: () => post({ kind: 'release' }),
          }
        : undefined,
    waitedMs: start.waitedMs,
    onOpening: (state) => post({ kind: 'opening', state }),
    onUnlikeAnswer: listens.unlike
      ? (exchange) => wait((number) => ({ kind: 'unlike-answer', wait: number, exchange }))
      : undefined,
    onFailure: listens.failure ? (failure) => post({ kind: 'failure', failure }) : undefined,
    onProgress: listens.progress ? (progress) => post({ kind: 'progress', progress }) : undefined,
    onSpan: listens.spans ? (span) => post({ kind: 'span', span }) : undefined,
    onExchange: (exchange) => {
      const characters = bodyCharacters(exchange);
      const most = kept < MAX_KEPT_OF_RUN ? MAX_KEPT_CHARACTERS : SMALL_CHARACTERS;
      if (share === null && characters > most) return;
      kept += characters;
      keep({ kind: 'exchange', exchange });
    },
    onJudged: afterPatience((judged) => keep({ kind: 'judged', judged })),
    probeOf: (usual) => {
      const continuing = createContinuingProbe(usual, sent);
      return share === null ? continuing : share.probe(continuing);
    },
    ...(share && {
      clock: share.clock,
      pause: () => share.pause(),
      onSchema: () => {
        if (!share.mayStay()) throw new LeftThread();
      },
    }),
  };
  hooks.onSpan?.({
    kind: 'phase',
    name: 'starting the thread',
    startedAtMs: start.postedAtMs,
    durationMs: preciseNowMs() - start.postedAtMs,
  });
  try {
    post({ kind: 'finished', result: await checkTarget(input, hooks, start.startedAtMs) });
  } catch (error) {
    if (error instanceof LeftThread) return;
    // All other mistakes of the user were refused before the worker was started.
    if (error instanceof OptionError) post({ kind: 'refused', option: error.option, message: error.message });
    else post({ kind: 'failed', error });
  }
}

/** Most checks are judged long before anybody stops them, and copying judgements takes a part of that time. */
const JUDGED_SOON_MS = 50;

function afterPatience(keep: (judged: JudgedStep) => void): (judged: JudgedStep) => void {
  const waiting: JudgedStep[] = [];
  let sinceMs: number | null = null;
  return (judged) => {
    waiting.push(judged);
    sinceMs ??= Date.now();
    if (Date.now() - sinceMs >= JUDGED_SOON_MS) for (const one of waiting.splice(0)) keep(one);
  };
}
