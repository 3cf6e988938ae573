import type { ChangeWatch } from '../db/change-watch.ts';
import { allRows } from '../db/rows.ts';
import { shareRuns } from '../db/share-runs.ts';
import type { Db } from '../db/tables.ts';
import type { RateLimit } from '../settings/settings.ts';
import type { LimitState } from './keys.ts';

const BATCHES_IN_A_LIMIT = 20;
/** Calls that were not added earlier are added after this time. */
const ADD_EVERY_MS = 1000;

interface Counter {
  readonly subject: string;
  /** Number of the window since 1970. */
  readonly window: number;
  readonly endsAtMs: number;
  /** The count of the store, all instances together, after the last addition. Null: there was none yet. */
  stored: number | null;
  /** Calls that are being added. */
  underWay: number;
  /** Calls that the next addition takes. */
  waiting: number;
}

/**
 * Counts calls against limits in memory, and adds them to the counts of the store in batches. An instance admits up to a
 * twentieth of a limit before it adds its calls. So N instances together exceed a limit by (N - 1) twentieths of it at
 * most, and a limit of fewer than 20 calls is exact.
 */
export class CallCounts {
  readonly #db: Db;
  readonly #watch: ChangeWatch;
  readonly #counters = new Map<string, Counter>();
  readonly #timer = setInterval(() => this.#tick(), ADD_EVERY_MS).unref();

  constructor(db: Db, watch: ChangeWatch) {
    this.#db = db;
    this.#watch = watch;
  }

  /** Counts a call, unless the limit is exceeded already. */
  async count(of: string, limit: RateLimit): Promise<LimitState> {
    // The first look tells the time of the store.
    if (this.#watch.latest === null) await this.#watch.look();
    const counter = this.#counterOf(`${of}:${limit.name}`, limit);
    const endsInSeconds = Math.max(1, Math.ceil((counter.endsAtMs - this.#watch.storeNowMs()) / 1000));
    const known = (counter.stored ?? 0) + counter.underWay + counter.waiting;
    // The count never decreases in a window, so a refused call needs no statement.
    if (known >= limit.calls) return { used: known + 1, endsInSeconds };
    counter.waiting += 1;
    const position = counter.waiting;
    if (counter.stored !== null && counter.underWay + position <= limit.calls / BATCHES_IN_A_LIMIT)
      return { used: known + 1, endsInSeconds };
    const before = (await this.#add()).get(counter) ?? 0;
    return { used: before + position, endsInSeconds };
  }

  /** Adds the calls that the store does not have yet. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    // A count is not worth more than the end of the service.
    await this.#add().catch(() => undefined);
  }

  /** Adds all calls that wait. Returns what the store had before them. */
  readonly #add = shareRuns(async (): Promise<ReadonlyMap<Counter, number>> => {
    const added = [...this.#counters.values()].filter(({ waiting }) => waiting > 0);
    for (const counter of added) {
      counter.underWay = counter.waiting;
      counter.waiting = 0;
    }
    try {
      const totals = added.length === 0 ? new Map<string, number>() : await addCalls(this.#db, added);
      return new Map(
        added.map((counter) => {
          const total = totals.get(counter.subject) ?? counter.underWay;
          counter.stored = total;
          return [counter, total - counter.underWay];
        }),
      );
    } catch (error) {
      for (const counter of added) counter.waiting += counter.underWay;
      throw error;
    } finally {
      for (const counter of added) counter.underWay = 0;
    }
  });

  #counterOf(subject: string, { windowSeconds }: RateLimit): Counter {
    const windowMs = windowSeconds * 1000;
    const window = Math.floor(this.#watch.storeNowMs() / windowMs);
    const known = this.#counters.get(subject);
    if (known?.window === window) return known;
    const endsAtMs = (window + 1) * windowMs;
    const counter: Counter = { subject, window, endsAtMs, stored: null, underWay: 0, waiting: 0 };
    this.#counters.set(subject, counter);
    return counter;
  }

  #tick(): void {
    const nowMs = this.#watch.storeNowMs();
    for (const [key, { endsAtMs, waiting, underWay }] of this.#counters)
      if (endsAtMs < nowMs && waiting + underWay === 0) this.#counters.delete(key);
    // The calls of a failed addition wait for the next one.
    if ([...this.#counters.values()].some(({ waiting }) => waiting > 0)) this.#add().catch(() => undefined);
  }
}

/** Adds calls to the counts of the store, and returns the counts. A window that has ended elsewhere is left alone. */
async function addCalls(db: Db, added: readonly Counter[]): Promise<ReadonlyMap<string, number>> {
  const column = <Key extends keyof Counter>(key: Key) => added.map((counter) => counter[key]);
  const rows = await allRows<{ subject: string; used: number }>(db)`
    with given as (
      select * from unnest(
        ${column('subject')}::text[], ${column('window')}::bigint[], ${column('underWay')}::integer[]
      ) as given (subject, window_number, calls)
    ), counted as (
      insert into rate_limits as kept (subject, window_number, used)
      select subject, window_number, calls from given order by subject
      on conflict (subject) do update set
        used = case
          when kept.window_number = excluded.window_number then kept.used + excluded.used
          when kept.window_number < excluded.window_number then excluded.used
          else kept.used
        end,
        window_number = greatest(kept.window_number, excluded.window_number)
      returning subject, window_number, used
    )
    select subject, used from counted join given using (subject, window_number)`;
  return new Map(rows.map(({ subject, used }) => [subject, used]));
}
