import { shorten } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import type { FirstFailure } from '../../judge/first-failure.ts';
import type { LoadProgress } from '../../latency/load-plan.ts';
import type { Progress, WaitedFor } from '../../run/state/run-input.ts';

export interface LiveLine<Shown> {
  /** The option that makes a run report to this line. Empty without a terminal, so that nothing is reported in vain. */
  readonly listening: { readonly onProgress?: (progress: Shown) => void };
  /** Prints a permanent line. */
  note(text: string): void;
  clear(): void;
}

/** One line that is rewritten while something runs. Without a terminal, only permanent lines are printed. */
export function createLiveLine<Shown>(
  stream: NodeJS.WriteStream,
  wordsOf: (progress: Shown) => string,
): LiveLine<Shown> {
  const print = (text: string): void => void stream.write(`${text}\n`);
  if (stream.isTTY !== true) return { listening: {}, note: print, clear: () => undefined };
  const clear = (): void => void stream.write('\r\u001B[2K');
  return {
    listening: {
      onProgress: (progress) =>
        void stream.write(`\r\u001B[2K${wordsOf(progress).slice(0, Math.max(10, stream.columns - 1))}`),
    },
    note: (text) => {
      clear();
      print(text);
    },
    clear,
  };
}

const WAITING_WORDS = {
  'timed-calls': 'measuring response times',
  'repeated-read': 'waiting before the next read',
} as const satisfies Readonly<Record<WaitedFor, string>>;

export function checkProgress({ key, sent, answered, waitingFor }: Progress): string {
  const isIdle = answered === sent && waitingFor !== null;
  return `${answered} of ${sent} answered${isIdle ? `, ${WAITING_WORDS[waitingFor]}` : ''}  ${visible(key)}`;
}

export function loadProgress({ phase, elapsedMs, count, errors, underWay, p50Ms }: LoadProgress): string {
  const median = p50Ms === null ? '' : `  p50 ${p50Ms.toFixed(3)} ms`;
  return `${phase}  ${(elapsedMs / 1000).toFixed(1)} s  ${count} calls  ${errors} errors  ${underWay} in progress${median}`;
}

/** Longer texts are those of the target; the report has them. */
const MAX_TEXT_CHARACTERS = 300;

/** Said as soon as it is seen, because the whole report may take much longer. */
export function failureSoFar(failure: FirstFailure): string {
  const { requirement, message, expected, function: name, request } = failure;
  const of = name === null ? '' : `${shorten(name)}: `;
  const text = (one: string): string => visible(shorten(one, MAX_TEXT_CHARACTERS));
  const instead = expected === '' ? '' : `, expected ${text(expected)}`;
  return `fails: ${requirement}: ${text(`${of}${message}`)}${instead} (${text(request)})`;
}
