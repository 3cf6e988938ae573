// The folder `watching` reads the health of targets, stores each observation, and sums closed hours up, so that the figures
// of an entry are cheap. docs/directory.md defines the figures.

import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { firstRow, run } from '../db/rows.ts';
import { shareRuns } from '../db/share-runs.ts';
import type { Db, Gate, ObservedState } from '../db/tables.ts';
import { addToClosedHours, LATE_HOURS, readClosedUntil } from './close-hours.ts';
import {
  DAY_MS,
  durationUs,
  firstDayOfTimes,
  firstHourOfUptime,
  HOUR_MS,
  holdsMsIn,
  type Observation,
  type Observing,
  observedTime,
} from './observed-time.ts';

/** What was observed last, and whether the last test decided nothing. */
interface StateBefore {
  readonly observed: ObservedState;
  readonly isOpen: boolean;
}

interface ObservedFigures {
  /** Percentage of the observed time; null without observations. */
  readonly uptime: number | null;
  /** Median of the successful calls; null without one. */
  readonly responseTimeMs: number | null;
}

/**
 * Stores observations and updates the figures and the state of the entry, in the transaction `db` if it is one. An
 * observed state lasts until the next observation, but no longer than `holdsMs`. Later time is not observed time.
 */
export async function storeObservations(
  db: Db,
  entryId: string,
  observations: readonly Observation[],
  { now, holdsMs, endpoint = null, gate = null, ending = ALWAYS }: StoringOptions,
): Promise<ObservedFigures & { readonly before: StateBefore | null }> {
  const before =
    observations.length === 0
      ? null
      : await insertObservations(db, { entryId, endpoint }, observations, holdsMs, ending);
  if (observations.length > 0 && before === null) return { ...NO_FIGURES, before };
  const row = await firstRow<ObservedFigures>(db)`
    with figures as (${observedFigures(entryId, { now, holdsMs })}),
    updated as (
      update entries set
        uptime = case when shows then coalesce(figures.uptime, entries.uptime) else entries.uptime end,
        response_time_ms = case when shows
          then coalesce(figures.response_time_ms, entries.response_time_ms) else entries.response_time_ms end,
        figures_claimed = not shows,
        observed = coalesce(case when last_up then ${gate === null ? 'up' : 'gated'} when not last_up then 'down' end, observed)
      from figures cross join lateral (
        -- A claimed time stays until one was observed, with its claimed uptime: what is shown is observed, or claimed.
        select not figures_claimed or (
          figures.uptime is not null and (figures.response_time_ms is not null or response_time_ms is null)
        ) as shows from entries where id = ${entryId}
      ) as shown where id = ${entryId}
    ),
    dated as (
      update entry_details set last_updated = ${now}, gate = ${gate === null ? null : JSON.stringify(gate)}
      where entry_id = ${entryId}
    )
    select uptime, response_time_ms as "responseTimeMs" from figures`;
  return { ...(row ?? NO_FIGURES), before };
}

interface StoringOptions extends Observing {
  /** Locks the entry, and stores nothing if it has another endpoint by now. */
  readonly endpoint?: string | null;
  /** How the server asked for a key in the newest of the observations; null: it did not. */
  readonly gate?: Gate | null;
  /** Parts of the statement that stores the observations. If `ended` returns no row, nothing is stored. */
  readonly ending?: RawBuilder<unknown>;
}

const ALWAYS = sql`ended as (select)`;

const NO_FIGURES: ObservedFigures = { uptime: null, responseTimeMs: null };

/**
 * Stores observations of calls, without updating the figures of their entries. The next probe updates them: the
 * calculation is too slow for every call of the gateway. Those of removed entries are dropped.
 */
async function insertCalls(db: Db, calls: readonly Observation[]): Promise<void> {
  const untilHour = await readClosedUntil(db);
  const isLate = ({ at }: Observation): boolean => at.getTime() < untilHour * HOUR_MS;
  const inTime = calls.filter((call) => !isLate(call));
  if (inTime.length > 0)
    await run(db)`
      insert into observations (target_no, at, up, operation, duration_us, source)
      select target_no, at, up, operation, duration_us, source
      from ${rowsOf(inTime)} join entries on id = entry_id`;
  for (const call of calls.filter(isLate))
    await insertObservations(db, { entryId: call.entry_id, endpoint: null }, [call], 0);
}

/** Observations as a table `calls`. */
function rowsOf(calls: readonly Observation[]): RawBuilder<unknown> {
  const column = <Key extends keyof Observation>(key: Key) => calls.map((call) => call[key]);
  return sql`unnest(
    ${column('entry_id')}::text[], ${column('at')}::timestamptz[], ${column('up')}::boolean[],
    ${column('operation')}::text[], ${calls.map(durationUs)}::integer[], ${column('source')}::text[]
  ) as calls (entry_id, at, up, operation, duration_us, source)`;
}

/** Null if there is no such entry. */
async function insertObservations(
  db: Db,
  { entryId, endpoint }: { readonly entryId: string; readonly endpoint: string | null },
  observations: readonly Observation[],
  holdsMs: number,
  ending: RawBuilder<unknown> = ALWAYS,
): Promise<StateBefore | null> {
  const atEndpoint = endpoint === null ? sql`` : sql`and endpoint = ${endpoint} for no key update of entries`;
  const known = await firstRow<StateBefore & { target_no: number; until_hour: number; holds_ms: number }>(db)`
    with ${ending}, known as (
      select target_no, until_hour, ${holdsMsIn(holdsMs)} as holds_ms, observed, is_test_open as "isOpen"
      from entries join entry_details on entry_id = id cross join closed_hours
      where id = ${entryId} and exists (select from ended) ${atEndpoint}
    ),
    written as (
      insert into observations (target_no, at, up, operation, duration_us, source)
      select target_no, at, up, operation, duration_us, source from known cross join ${rowsOf(observations)}
      where at >= to_timestamp((until_hour - ${LATE_HOURS}::integer) * ${HOUR_MS / 1000}::double precision)
    )
    select target_no, until_hour, holds_ms, observed, "isOpen" from known`;
  if (known === null) return null;
  const { target_no: targetNo, until_hour: untilHour, holds_ms: ownMs } = known;
  const hourOf = ({ at }: Observation): number => at.getTime() / HOUR_MS;
  const late = observations.filter(
    (observation) => hourOf(observation) >= untilHour - LATE_HOURS && hourOf(observation) < untilHour,
  );
  if (late.length > 0) await addToClosedHours(db, targetNo, late, { untilHour, holdsMs, ownMs });
  return known;
}

/** A query for the figures of an entry: one row with `uptime`, `response_time_ms` and `last_up`. */
function observedFigures(entryId: string, { now, holdsMs }: Observing): RawBuilder<unknown> {
  const targetNo = targetNoOf(entryId);
  return sql`
    select
      -- The first observation covers no time yet.
      coalesce(share, case when last_up then 100 when not last_up then 0 end) as uptime, response_time_ms, last_up
    from (
      select
        (
          select 100.0 * sum(up_ms) / nullif(sum(up_ms) + sum(down_ms), 0)
          from (${observedTime(targetNo, firstHourOfUptime(now), { now, holdsMs })}) as days
        ) as share,
        (
          select percentile_cont(0.5) within group (order by us) / 1000 from (${observedTimes(targetNo, now)}) as times
          where not through_gateway
        ) as response_time_ms,
        (
          select up from observations where target_no = ${targetNo} and up is not null and at <= ${now}
          order by at desc, up limit 1
        ) as last_up
    ) as observed`;
}

/** An expression for the number of the target behind an entry. */
export function targetNoOf(entryId: string) {
  return sql`(select target_no from entries where id = ${entryId})`;
}

/**
 * A query for the durations of the successful calls of today and of the seven days before (UTC): rows of `operation`,
 * `through_gateway` and `us`.
 */
export function observedTimes(targetNo: ReturnType<typeof targetNoOf>, now: Date) {
  const firstDay = firstDayOfTimes(now);
  const closed = sql`(select to_timestamp(until_hour * ${HOUR_MS / 1000}::double precision) from closed_hours)`;
  return sql`
    select operation, through_gateway, us from observed_times cross join lateral unnest(times_us) as us
    where target_no = ${targetNo} and day >= ${firstDay}::integer
    union all
    select operation, source = 'gateway', duration_us from observations
    where target_no = ${targetNo} and duration_us is not null and at <= ${now}::timestamptz
      and at >= greatest(${new Date(firstDay * DAY_MS)}::timestamptz, ${closed})`;
}

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
