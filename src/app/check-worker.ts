import { type MessagePort, parentPort } from 'node:worker_threads';
import { OptionError } from '../model/arguments.ts';
import type { Exchange } from '../model/exchange.ts';
import type { FromPartial, FromWorker, ToWorker } from './check-messages.ts';
import { runCheck } from './run-check.ts';

/**
 * A check in a separate thread, started by checkServer, which can stop it at any time and limits its memory.
 */
const interrupt = new AbortController();
let onTurn: () => void = () => undefined;

parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'interrupt') {
    interrupt.abort();
    onTurn();
  } else if (message.kind === 'turn') onTurn();
  else void work(message);
});

async function work({ job, reportsProgress, partial }: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
  const { url, options, startedAtMs } = job;
  try {
    const result = await runCheck(
      url,
      options,
      {
        signal: interrupt.signal,
        takeTurn,
        ...(reportsProgress ? { onProgress: (progress) => post({ kind: 'progress', progress }) } : {}),
        onExchange: copyTo(partial),
        onJudged: (judged) => keep(partial, { kind: 'judged', judged }),
      },
      startedAtMs,
    );
    post({ kind: 'finished', result });
  } catch (error) {
    // All other mistakes of the user were refused before the thread was started.
    if (!(error instanceof OptionError)) throw error;
    post({ kind: 'refused', option: error.option, message: error.message });
  }
}

async function takeTurn(): Promise<() => void> {
  if (interrupt.signal.aborted) return () => undefined;
  const turn = new Promise<void>((resolve) => {
    onTurn = resolve;
  });
  post({ kind: 'turn-wanted' });
  await turn;
  return () => post({ kind: 'turn-over' });
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function keep(partial: MessagePort, message: FromPartial): void {
  partial.postMessage(message);
}

/** Of one body, and of the bodies of a run. */
const MAX_COPIED_CHARACTERS = 256 * 1024;
const MAX_COPIED_OF_RUN = 8 * 1024 * 1024;
/** After that, only small bodies are copied. */
const SMALL_CHARACTERS = 4 * 1024;

/** Only for the report of a stopped run: large answers are not copied for it. */
function copyTo(partial: MessagePort): (exchange: Exchange) => void {
  let copied = 0;
  return (exchange) => {
    const characters = bodyCharacters(exchange);
    if (characters > (copied < MAX_COPIED_OF_RUN ? MAX_COPIED_CHARACTERS : SMALL_CHARACTERS)) return;
    copied += characters;
    keep(partial, { kind: 'exchange', exchange });
  };
}

function bodyCharacters(exchange: Exchange): number {
  if (exchange.kind === 'unanswered') return 0;
  const { body } = exchange.response;
  return ('text' in body ? body.text : body.base64).length;
}
