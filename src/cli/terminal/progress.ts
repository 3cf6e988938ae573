import { visible } from '../../model/visible.ts';
import type { Progress } from '../../run/request-scheduler.ts';

export interface ProgressLine {
  show(progress: Progress): void;
  clear(): void;
}

/** One line that is rewritten while the check runs; prints nothing if standard error is not a terminal. */
export function createProgressLine(stream: NodeJS.WriteStream): ProgressLine {
  if (stream.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  return {
    show: ({ key, sent, answered }) => {
      const text = `${answered} of ${sent} answered  ${visible(key)}`;
      stream.write(`\r\u001B[2K${text.slice(0, Math.max(10, stream.columns - 1))}`);
    },
    clear: () => void stream.write('\r\u001B[2K'),
  };
}
