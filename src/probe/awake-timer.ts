/** The timer waits in small steps. If a step takes longer than this, the process was not running. */
const STEP_MS = 50;
/** Timers of a healthy process are late by less than this. */
const USUAL_LATENESS_MS = 20;
/** Time to read what arrived in the sockets while the process was held up: large answers take many event loop turns. */
const GRACE_MS = 500;

interface HoldUp {
  readonly totalMs: number;
  /** The longest single hold-up. */
  readonly longestMs: number;
}

export interface AwakeWait {
  readonly awakeMs: number;
  /** Upper limit in elapsed time, including suspensions. */
  readonly maxMs?: number;
  /** `waitedFully` is false if the wait ended before this process had run for `awakeMs`. */
  readonly onOver: (waitedFully: boolean) => void;
}

/**
 * A time-out that counts only the time in which this process ran. After a suspension, timers fire before sockets are
 * read, so an ordinary timer would report a time-out for a peer that answered long ago.
 */
export function startAwakeTimer({ awakeMs, maxMs = Infinity, onOver }: AwakeWait) {
  const startMs = performance.now();
  let leftMs = awakeMs;
  let heldUp: HoldUp = { totalMs: 0, longestMs: 0 };
  let hadGrace = false;
  let seenMs = startMs;
  let seenAtMs = Date.now();
  let stepMs = 0;
  let timer: NodeJS.Timeout;
  let immediate: NodeJS.Immediate | undefined;

  const isOverdue = (): boolean => seenMs - startMs >= maxMs;

  const wait = (): void => {
    stepMs = Math.max(1, Math.min(STEP_MS, leftMs, maxMs - (seenMs - startMs)));
    timer = setTimeout(onStep, stepMs);
  };

  const update = (): void => {
    const [nowMs, nowAtMs] = [performance.now(), Date.now()];
    const passedMs = nowMs - seenMs;
    const maxAwakeMs = stepMs + USUAL_LATENESS_MS;
    // On systems whose monotonic clock stops while the machine sleeps, the time of day shows the sleep.
    const lateMs = Math.max(0, passedMs - maxAwakeMs, nowAtMs - seenAtMs - maxAwakeMs);
    heldUp = { totalMs: heldUp.totalMs + lateMs, longestMs: Math.max(heldUp.longestMs, lateMs) };
    leftMs -= Math.min(passedMs, maxAwakeMs);
    [seenMs, seenAtMs] = [nowMs, nowAtMs];
  };

  const onStep = (): void => {
    update();
    if (leftMs <= 0 && heldUp.longestMs >= GRACE_MS && !hadGrace) {
      hadGrace = true;
      leftMs = Math.min(GRACE_MS, awakeMs);
    }
    // Sockets are read before immediates run, so data that has already arrived is processed first.
    if (leftMs <= 0 || isOverdue()) immediate = setImmediate(() => onOver(leftMs <= 0));
    else wait();
  };

  wait();
  return {
    /** How long this process was suspended, or its timers were delayed, since the start. */
    heldUp: (): HoldUp => {
      update();
      return heldUp;
    },
    stop: (): void => {
      clearTimeout(timer);
      if (immediate !== undefined) clearImmediate(immediate);
    },
  };
}
