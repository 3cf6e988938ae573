import type { Clock } from '../../model/probe.ts';

/** A time limit that can be stopped for a while: as often as it was paused, it must be resumed. */
export interface Countdown {
  pause(): void;
  resume(): void;
}

/** @param signal ends it early; `onEnd` is then called too */
export function startCountdown(
  durationMs: number,
  clock: Clock,
  signal: AbortSignal,
  onEnd: () => void,
): Countdown {
  let leftMs = durationMs;
  let startedMs = 0;
  let pauses = 0;
  let running = new AbortController();
  const run = (): void => {
    running = new AbortController();
    const { signal: paused } = running;
    startedMs = clock.monotonicMs();
    void clock.sleep(leftMs, AbortSignal.any([signal, paused])).then(() => {
      if (!paused.aborted) onEnd();
    });
  };
  run();
  return {
    pause: () => {
      pauses += 1;
      if (pauses > 1) return;
      leftMs -= clock.monotonicMs() - startedMs;
      running.abort();
    },
    resume: () => {
      pauses -= 1;
      if (pauses === 0) run();
    },
  };
}
