import { setTimeout } from 'node:timers/promises';
import { shareRuns } from '../db/share-runs.ts';
import type { Db } from '../db/tables.ts';
import { insertCalls } from './observations.ts';
import type { Observation } from './observed-time.ts';

const STORE_EVERY_MS = 1000;
/** More than this are stored at once. */
const MAX_BATCH = 1000;
/** While the store does not answer, older observations are dropped: they are not worth the memory. */
const MAX_WAITING = 20_000;
/** A database that does not answer must not delay the end of the service. */
const MAX_CLOSE_MS = 2000;

/**
 * Stores observations of calls in batches, so that no call waits for a statement. A process that is killed loses those of
 * the last `STORE_EVERY_MS`.
 */
export class ObservedCalls {
  readonly #db: Db;
  readonly #timer = setInterval(() => void this.#store(), STORE_EVERY_MS).unref();
  #waiting: Observation[] = [];
  #isStoring = false;

  constructor(db: Db) {
    this.#db = db;
  }

  note(call: Observation): void {
    this.#waiting.push(call);
    if (this.#waiting.length > MAX_WAITING) this.#waiting = this.#waiting.slice(-MAX_WAITING / 2);
    if (this.#waiting.length >= MAX_BATCH && !this.#isStoring) void this.#store();
  }

  /** Stores those that are not stored yet. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.race([this.#store(), setTimeout(MAX_CLOSE_MS, undefined, { ref: false })]);
  }

  readonly #store = shareRuns(async (): Promise<void> => {
    const calls = this.#waiting;
    if (calls.length === 0) return;
    this.#waiting = [];
    this.#isStoring = true;
    try {
      await insertCalls(this.#db, calls);
    } catch {
      // Those of a failed batch wait for the next one.
      this.#waiting = [...calls, ...this.#waiting].slice(-MAX_WAITING);
    } finally {
      this.#isStoring = false;
    }
  });
}
