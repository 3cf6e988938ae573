import type { LoadProgress } from '../../latency/load-plan.ts';

export interface LiveLine {
  show(progress: LoadProgress): void;
  /** Prints a permanent line. */
  note(text: string): void;
  clear(): void;
}

/** One line that is rewritten while a load runs; prints nothing if standard error is not a terminal. */
export function createLiveLine(stream: NodeJS.WriteStream): LiveLine {
  if (stream.isTTY !== true) return { show: () => undefined, note: () => undefined, clear: () => undefined };
  const clear = (): void => void stream.write('\r\u001B[2K');
  return {
    show: ({ phase, elapsedMs, count, errors, underWay, p50Ms }) => {
      const median = p50Ms === null ? '' : `  p50 ${p50Ms.toFixed(3)} ms`;
      const text = `${phase}  ${(elapsedMs / 1000).toFixed(1)} s  ${count} calls  ${errors} errors  ${underWay} in flight${median}`;
      stream.write(`\r\u001B[2K${text.slice(0, Math.max(10, stream.columns - 1))}`);
    },
    note: (text) => {
      clear();
      stream.write(`${text}\n`);
    },
    clear,
  };
}
