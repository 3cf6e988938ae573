/** Waits in small steps: a step that takes longer than it should is time in which this process did not run. */
const STEP_MS = 50;
/** Timers of a healthy process are late too, but by less. */
const USUAL_LATENESS_MS = 20;
/** For what lies ready in the sockets of a process that was held up for longer: much of it takes many turns to read. */
const GRACE_MS = 500;

export interface HoldUp {
  readonly totalMs: number;
  /** At one stretch. */
  readonly longestMs: number;
}

export interface AwakeTimer {
  /** How long this process was suspended, or kept from its timers, since the start. */
  heldUp(): HoldUp;
  stop(): void;
}

export interface AwakeWait {
  readonly awakeMs: number;
  /** The end of waiting even so, in time that passed. */
  readonly maxMs?: number;
  /** `waitedFully`: false where the wait ended before this process had run for `awakeMs`. */
  readonly onOver: (waitedFully: boolean) => void;
}

/**
 * A time-out that counts only the time in which this process ran. After a suspension, timers fire before sockets are
 * read: an ordinary one would blame a peer that answered long ago.
 */
export function startAwakeTimer({ awakeMs, maxMs = Infinity, onOver }: AwakeWait): AwakeTimer {
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

  const look = (): void => {
    const [nowMs, nowAtMs] = [performance.now(), Date.now()];
    const passedMs = nowMs - seenMs;
    const maxAwakeMs = stepMs + USUAL_LATENESS_MS;
    // Where the monotonic clock stands still while a machine sleeps, the time of day shows it.
    const lateMs = Math.max(0, passedMs - maxAwakeMs, nowAtMs - seenAtMs - maxAwakeMs);
    heldUp = { totalMs: heldUp.totalMs + lateMs, longestMs: Math.max(heldUp.longestMs, lateMs) };
    leftMs -= Math.min(passedMs, maxAwakeMs);
    [seenMs, seenAtMs] = [nowMs, nowAtMs];
  };

  const onStep = (): void => {
    look();
    if (leftMs <= 0 && heldUp.longestMs >= GRACE_MS && !hadGrace) {
      hadGrace = true;
      leftMs = Math.min(GRACE_MS, awakeMs);
    }
    // Sockets are read before an immediate has its turn: what lies ready there comes first.
    if (leftMs <= 0 || isOverdue()) immediate = setImmediate(() => onOver(leftMs <= 0));
    else wait();
  };

  wait();
  return {
    heldUp: () => {
      look();
      return heldUp;
    },
    stop: () => {
      clearTimeout(timer);
      if (immediate !== undefined) clearImmediate(immediate);
    },
  };
}
