import { MessageChannel, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { JudgedStep } from '../../judge/judge-run.ts';
import { OptionError } from '../../model/arguments.ts';
import type { AnsweredExchange, Exchange } from '../../model/exchange.ts';
import type { Probe } from '../../model/probe.ts';
import { createContinuingProbe } from '../../probe/replaying-probe.ts';
import type { Turns } from '../../run/run-turns.ts';
import { type CheckHooks, checkTarget } from '../check.ts';
import { BEATS, type FromCheck, type FromPartial, type StartCheck, type ToCheck } from './check-messages.ts';
import { bodyCharacters, LeftThread, type SharingCheck, shareThread } from './shared-thread.ts';

/**
 * A thread that runs checks: one, or many that mostly wait. The thread that started it can end it at any time, limits
 * its memory, and continues its checks elsewhere.
 */
const state = new Int32Array(workerData as SharedArrayBuffer);

const BEAT_MS = 100;
let isBeating = false;

/** A thread of one check has a deadline instead, and must not be woken up while another one is timed. */
function beat(): void {
  if (!isBeating) setInterval(() => Atomics.add(state, BEATS, 1), BEAT_MS).unref();
  isBeating = true;
}

parentPort?.on('message', (start: StartCheck) => void work(start));

process.on('unhandledRejection', (reason) => {
  // Several steps of a check may end with this error at once.
  if (!(reason instanceof LeftThread)) throw reason;
});

async function work(start: StartCheck): Promise<void> {
  const { check, job, isShared, reportsProgress, reportsUnlike, channel } = start;
  const { input, startedAtMs, waitedMs, sentBefore } = job;
  if (isShared) beat();
  const { port1: partial, port2: notTaken } = new MessageChannel();
  start.partial.postMessage(notTaken, [notTaken]);
  const interrupt = new AbortController();
  let onTurn: () => void = () => undefined;
  const post = (message: FromCheck): void => channel.postMessage(message);
  const keep = copyTo(partial, isShared);
  const shared = isShared
    ? shareThread({
        check,
        state,
        onCalling: (key) => note(partial, { kind: 'calling', key }),
        onLateAnswer: keep,
        onExceeded: () => post({ kind: 'share-exceeded' }),
      })
    : null;
  const held = new Map<string, () => void>();
  channel.on('message', (message: ToCheck) => {
    if (message.kind === 'go-on') return held.get(message.key)?.();
    if (message.kind === 'drop') shared?.leave();
    if (message.kind !== 'turn') interrupt.abort();
    onTurn();
  });
  const onUnlikeAnswer = (exchange: AnsweredExchange): Promise<void> =>
    new Promise((resolve) => {
      held.set(exchange.request.key, resolve);
      interrupt.signal.addEventListener('abort', () => resolve());
      post({ kind: 'unlike-answer', exchange });
    });
  const takeTurn = async (to: 'work' | 'time'): Promise<void> => {
    if (interrupt.signal.aborted) return;
    const turn = new Promise<void>((resolve) => {
      onTurn = resolve;
    });
    post({ kind: 'turn-wanted', to });
    await turn;
  };
  const turns: Turns = {
    rest: () => post({ kind: 'rests' }),
    work: () => takeTurn('work'),
    time: () => takeTurn('time'),
  };
  const continuing = (usual: Probe): Probe => createContinuingProbe(usual, sentBefore);
  try {
    const result = await checkTarget(
      input,
      {
        signal: interrupt.signal,
        // A check in a thread with others never times its target, and its share bounds what it does.
        ...(isShared ? {} : { turns }),
        onOpening: (state) => post({ kind: 'opening', state }),
        waitedMs,
        onUnlikeAnswer: reportsUnlike ? onUnlikeAnswer : undefined,
        ...(reportsProgress ? { onProgress: (progress) => post({ kind: 'progress', progress }) } : {}),
        onExchange: keep,
        onJudged: isShared
          ? afterPatience((judged) => note(partial, { kind: 'judged', judged }))
          : (judged) => note(partial, { kind: 'judged', judged }),
        ...withinThread(continuing, shared),
      },
      startedAtMs,
    );
    post({ kind: 'finished', result });
  } catch (error) {
    if (error instanceof LeftThread) return;
    // All other mistakes of the user were refused before the thread was started.
    if (error instanceof OptionError) post({ kind: 'refused', option: error.option, message: error.message });
    else post({ kind: 'failed', error });
  }
}

function withinThread(
  continuing: (usual: Probe) => Probe,
  shared: SharingCheck | null,
): Pick<CheckHooks, 'clock' | 'within' | 'pause'> {
  if (shared === null) return { within: { probe: continuing, schemas: (usual) => usual } };
  const { clock, within, pause } = shared;
  return {
    clock,
    pause,
    within: { ...within, probe: (usual) => within.probe(continuing(usual)) },
  };
}

/** Most checks are judged long before anybody stops them, and copying judgements takes a part of that time. */
const JUDGED_SOON_MS = 50;

function afterPatience(post: (judged: JudgedStep) => void): (judged: JudgedStep) => void {
  const waiting: JudgedStep[] = [];
  let sinceMs: number | null = null;
  return (judged) => {
    waiting.push(judged);
    sinceMs ??= Date.now();
    if (Date.now() - sinceMs >= JUDGED_SOON_MS) for (const one of waiting.splice(0)) post(one);
  };
}

function note(partial: MessagePort, message: FromPartial): void {
  partial.postMessage(message);
}

/** Of one body, and of the bodies of a run. */
const MAX_COPIED_CHARACTERS = 256 * 1024;
const MAX_COPIED_OF_RUN = 8 * 1024 * 1024;
/** After that, only small bodies are copied. */
const SMALL_CHARACTERS = 4 * 1024;

/**
 * Large answers are not copied only for the report of a stopped run. A check that may continue in another thread needs
 * all of its answers, which its share bounds.
 */
function copyTo(partial: MessagePort, all: boolean): (exchange: Exchange) => void {
  let copied = 0;
  return (exchange) => {
    const characters = bodyCharacters(exchange);
    const max = copied < MAX_COPIED_OF_RUN ? MAX_COPIED_CHARACTERS : SMALL_CHARACTERS;
    if (!all && characters > max) return;
    copied += characters;
    note(partial, { kind: 'exchange', exchange });
  };
}
