// How requests are spread over the time of a run: the rate that is kept towards the target, and the share of slow functions.

export const ONE_SECOND_MS = 1000;

/** Limits the starts within any second, and pauses requests to a path as its rate limiter requires. */
export class Pace {
  readonly #requestsPerSecond: number;
  readonly #startsMs: number[] = [];
  readonly #pausedUntilMs = new Map<string, number>();

  constructor(requestsPerSecond: number) {
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** Takes the next start, and returns how long to wait for it. */
  take(nowMs: number, path: string): number {
    const starts = this.#startsMs;
    const oldestMs = starts.length < this.#requestsPerSecond ? undefined : starts.shift();
    const startMs = Math.max(
      nowMs,
      this.#pausedUntilMs.get(path) ?? nowMs,
      oldestMs === undefined ? nowMs : oldestMs + ONE_SECOND_MS,
    );
    starts.push(startMs);
    starts.sort((left, right) => left - right);
    return startMs - nowMs;
  }

  /** Takes evenly spaced starts, and returns how long to wait so that all starts keep the pace. */
  takeMany(nowMs: number, count: number, apartMs: number): number {
    const most = this.#requestsPerSecond;
    const recent = this.#startsMs.slice(-most);
    const firstMs = Math.max(
      nowMs,
      ...recent.map(
        (earlierMs, index) => earlierMs + ONE_SECOND_MS - (most - recent.length + index) * apartMs,
      ),
    );
    for (let index = Math.max(0, count - most); index < count; index += 1)
      this.#startsMs.push(firstMs + index * apartMs);
    this.#startsMs.splice(0, Math.max(0, this.#startsMs.length - most));
    return firstMs - nowMs;
  }

  pause(untilMs: number, path: string): void {
    this.#pausedUntilMs.set(path, Math.max(untilMs, this.#pausedUntilMs.get(path) ?? untilMs));
  }
}

/** Of the deadline: what slow functions may use of it together, and from where on a function is slow. */
const SHARE_OF_SLOW = 2 / 3;
const SLOW_FROM_SHARE = 1 / 12;

/**
 * Divides the time until the deadline among slow functions, so that nothing of the others is left out because of them. It
 * never changes which inputs are sent, only where the calls of a function end.
 */
export class FunctionShares {
  readonly #deadlineMs: number;
  /** While a call is under way, and before. Calls at the same moment take time once. */
  readonly #times = new Map<string, { underWay: number; sinceMs: number; usedMs: number }>();

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  begin(functionName: string, nowMs: number): (endMs: number) => void {
    const time = this.#times.get(functionName) ?? { underWay: 0, sinceMs: 0, usedMs: 0 };
    this.#times.set(functionName, time);
    if (time.underWay === 0) time.sinceMs = nowMs;
    time.underWay += 1;
    return (endMs) => {
      time.underWay -= 1;
      if (time.underWay === 0) time.usedMs += endMs - time.sinceMs;
    };
  }

  isUsedUp(functionName: string): boolean {
    const usedMs = this.#times.get(functionName)?.usedMs ?? 0;
    const isSlow = (time: { readonly usedMs: number }): boolean =>
      time.usedMs >= this.#deadlineMs * SLOW_FROM_SHARE;
    const slow = [...this.#times.values()].filter(isSlow).length;
    return usedMs >= (this.#deadlineMs * SHARE_OF_SLOW) / slow;
  }
}
