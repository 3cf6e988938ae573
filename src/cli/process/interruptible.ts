import { say } from '../../command-line/terminal.ts';

/** The first ctrl-C ends the run and still reports; the second ends the process. */
export function interruptible(words = 'writing a partial report; ctrl-C again to stop at once') {
  const controller = new AbortController();
  const end = (): void => {
    if (controller.signal.aborted) process.exit(130);
    say(`\ninterrupted: ${words}`);
    controller.abort();
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  return {
    signal: controller.signal,
    /** Has the effect of ctrl-C. */
    end,
    done: (): void => {
      process.off('SIGINT', end);
      process.off('SIGTERM', end);
    },
  };
}
