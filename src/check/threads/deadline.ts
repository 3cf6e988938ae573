import type { Clock } from '../../model/probe.ts';

/** The report of a stopped check must be ready by the deadline too. */
const REPORTING_MS = 100;
const REPORTING_SHARE = 0.05;

/** The deadline of a check, as a time limit that begins paused. It runs when it was resumed as often as paused. */
export class Deadline {
  readonly #durationMs: number;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #spentMs = 0;
  #sinceMs = 0;
  #pauses = 1;
  #running = new AbortController();

  constructor(deadlineMs: number, clock: Clock) {
    this.#durationMs = deadlineMs - Math.min(REPORTING_MS, deadlineMs * REPORTING_SHARE);
    this.#clock = clock;
  }

  /** Fires when the time is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** How long it ran until the last pause. */
  get spentMs(): number {
    return this.#spentMs;
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    this.#spentMs += this.#clock.monotonicMs() - this.#sinceMs;
    this.#running.abort();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses > 0) return;
    this.#sinceMs = this.#clock.monotonicMs();
    this.#running = new AbortController();
    const { signal } = this.#running;
    void this.#clock.sleep(this.#durationMs - this.#spentMs, signal).then(() => {
      if (!signal.aborted) this.#over.abort();
    });
  }
}
