/**
 * Runs a piece of work for everybody who waits for it: one run at a time, and a call during a run shares the next one,
 * because the running one may have begun too early for it.
 */
export function shareRuns<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | null = null;
  let next: Promise<Result> | null = null;
  const start = (): Promise<Result> => {
    next = null;
    const run = work().finally(() => {
      if (running === run) running = null;
    });
    running = run;
    return run;
  };
  return () => {
    if (running === null) return start();
    next ??= running.then(start, start);
    return next;
  };
}
