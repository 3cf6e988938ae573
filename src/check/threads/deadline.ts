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
  #openings = 0;
  #idleMs: () => number = () => 0;
  #seenIdleMs = 0;
  #openingMs = 0;
  #addedMs = 0;

  constructor(deadlineMs: number, clock: Clock) {
    this.#durationMs = deadlineMs - Math.min(REPORTING_MS, deadlineMs * REPORTING_SHARE);
    this.#clock = clock;
  }

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
    void this.#endAfter(this.#durationMs + this.#addedMs - this.#spentMs, this.#running.signal);
  }

  /**
   * A start of a server has a separate time-out, so the deadline does not count how long the thread of the check waits
   * meanwhile. It counts how long the thread computes, because it then cannot report that the start is over.
   *
   * @param idleMs how long the thread waited until now
   */
  onOpening(state: 'begins' | 'over', idleMs: () => number): void {
    this.#idleMs = idleMs;
    this.#countIdle();
    this.#openings += state === 'begins' ? 1 : -1;
  }

  async #endAfter(durationMs: number, signal: AbortSignal): Promise<void> {
    let leftMs = durationMs;
    do {
      await this.#clock.sleep(leftMs, signal);
      if (signal.aborted) return;
      this.#countIdle();
      leftMs = this.#openingMs - this.#addedMs;
      this.#addedMs = this.#openingMs;
    } while (leftMs > 0);
    this.#over.abort();
  }

  #countIdle(): void {
    const idleMs = this.#idleMs();
    // A thread that has ended shows 0.
    if (this.#openings > 0) this.#openingMs += Math.max(0, idleMs - this.#seenIdleMs);
    this.#seenIdleMs = idleMs;
  }
}
