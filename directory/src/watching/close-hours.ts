import { type RawBuilder, sql } from 'kysely';
import { allRows, oneRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import {
  DAY_HOURS,
  DAY_MS,
  durationUs,
  firstDayOfTimes,
  firstHourOfUptime,
  HOUR_MS,
  longestHoldsMs,
  type Observation,
  type Observing,
  observedHours,
} from './observed-time.ts';

/** Observations are stored when their call has ended, and a test stores them when it has ended. */
const MAX_LATE_MS = 15 * 60_000;
/** Observations of closed hours that are kept, so that a late one can still be added to its hour. */
export const LATE_HOURS = DAY_HOURS;
/** Targets that one statement sums up, so that it ends within its time limit. */
const TARGETS_AT_ONCE = 20_000;
const DAYS_IN_ADVANCE = 2;

/**
 * Sums the observed time of each hour that has ended, and its response times; afterwards its observations are no longer
 * read. Also makes the tables of the next days, and drops those of days that are no longer needed.
 */
export async function closeHours(db: Db, { now, holdsMs }: Observing): Promise<void> {
  const today = Math.floor(now.getTime() / DAY_MS);
  for (let day = today; day <= today + DAYS_IN_ADVANCE; day += 1) await makeTablesOfDay(db, day);
  const lastHour = Math.floor((now.getTime() - MAX_LATE_MS) / HOUR_MS);
  for (;;) {
    const closed = await db.transaction().execute((transaction) => closeNext(transaction, lastHour, holdsMs));
    if (closed === null) break;
  }
  const untilHour = await readClosedUntil(db);
  const { longest } = await oneRow<{ longest: number }>(db)`select ${longestHoldsMs(holdsMs)} as longest`;
  const keptMs = LATE_HOURS * HOUR_MS + longest;
  await dropDaysBefore(db, 'observations', Math.floor((untilHour * HOUR_MS - keptMs) / DAY_MS));
  await dropDaysBefore(db, 'observed_days', Math.floor(firstHourOfUptime(now) / DAY_HOURS));
  await dropDaysBefore(db, 'observed_times', firstDayOfTimes(now));
}

/** The first hour that is not closed. */
export async function readClosedUntil(db: Db, locking: RawBuilder<unknown> = sql``): Promise<number> {
  const { hour } = await oneRow<{ hour: number }>(db)`select until_hour as hour from closed_hours ${locking}`;
  return hour;
}

/** Closes the next hour; null when none is left before `lastHour`. */
async function closeNext(db: Db, lastHour: number, holdsMs: number): Promise<number | null> {
  // Locked, so that no other instance closes the same hour.
  const untilHour = await readClosedUntil(db, sql`for update`);
  const hour = untilHour === 0 ? await firstObservedHour(db) : untilHour;
  if (hour >= lastHour) {
    if (untilHour < lastHour) await setClosed(db, lastHour);
    return null;
  }
  for (const { from, until } of await targetRanges(db))
    await closeHour(db, hour, sql`target_no >= ${from} and target_no < ${until}`, holdsMs);
  await setClosed(db, hour + 1);
  return hour;
}

function targetRanges(db: Db): Promise<readonly { readonly from: number; readonly until: number }[]> {
  return allRows<{ from: number; until: number }>(db)`
    select min(target_no) as "from", max(target_no) + 1 as until
    from (select target_no, row_number() over (order by target_no) / ${TARGETS_AT_ONCE}::integer as range from entries) as ranges
    group by range`;
}

function setClosed(db: Db, untilHour: number): Promise<void> {
  return run(db)`update closed_hours set until_hour = ${untilHour}`;
}

/** The first hour with an observation, for a store in which no hour is closed yet. */
async function firstObservedHour(db: Db): Promise<number> {
  const { first } = await oneRow<{ first: Date | null }>(db)`select min(at) as first from observations`;
  return first === null ? Number.POSITIVE_INFINITY : Math.floor(first.getTime() / HOUR_MS);
}

async function closeHour(db: Db, hour: number, targets: RawBuilder<unknown>, holdsMs: number): Promise<void> {
  const day = Math.floor(hour / DAY_HOURS);
  const [begins, ends] = [timeOf(hour), timeOf(hour + 1)];
  await sumHour(db, hour, targets, holdsMs);
  await run(db)`
    insert into observed_times (target_no, day, operation, through_gateway, times_us)
    select target_no, ${day}::integer, operation, source = 'gateway', array_agg(duration_us)
    from observations
    where ${targets} and duration_us is not null and at >= ${begins} and at < ${ends}
    group by target_no, operation, source = 'gateway'
    on conflict (target_no, day, operation, through_gateway)
    do update set times_us = observed_times.times_us || excluded.times_us`;
}

/** Stores the observed time of an hour, in place of what is stored for it. */
async function sumHour(db: Db, hour: number, targets: RawBuilder<unknown>, holdsMs: number): Promise<void> {
  const slot = (hour % DAY_HOURS) + 1;
  const inSlot = (column: string) =>
    sql`array_fill(0, array[${slot - 1}::integer]) || ${sql.ref(column)}::integer || array_fill(0, array[${DAY_HOURS - slot}::integer])`;
  const longestMs = longestHoldsMs(holdsMs);
  const hours = observedHours({ targets, since: timeOf(hour), until: timeOf(hour + 1), holdsMs, longestMs });
  await run(db)`
    insert into observed_days (target_no, day, up_ms, down_ms)
    select target_no, ${Math.floor(hour / DAY_HOURS)}::integer, ${inSlot('up_ms')}, ${inSlot('down_ms')}
    from (${hours}) as hours
    on conflict (target_no, day) do update set
      up_ms[${sql.lit(slot)}] = excluded.up_ms[${sql.lit(slot)}],
      down_ms[${sql.lit(slot)}] = excluded.down_ms[${sql.lit(slot)}]`;
}

function timeOf(hour: number): RawBuilder<Date> {
  return sql<Date>`${new Date(hour * HOUR_MS)}::timestamptz`;
}

/**
 * Adds late observations of one target to their closed hours, in the transaction `db`, which has stored them. Each must
 * be at most `LATE_HOURS` before the first hour that is not closed, because older ones are no longer kept.
 */
export async function addToClosedHours(
  db: Db,
  targetNo: number,
  late: readonly Observation[],
  {
    untilHour,
    holdsMs,
    ownMs,
  }: { readonly untilHour: number; readonly holdsMs: number; readonly ownMs: number },
): Promise<void> {
  const changed = new Set<number>();
  for (const observation of late) {
    const { at, operation, source } = observation;
    const us = durationUs(observation);
    const first = Math.floor(at.getTime() / HOUR_MS);
    const last = Math.min(untilHour - 1, Math.floor((at.getTime() + ownMs) / HOUR_MS));
    for (let hour = first; hour <= last; hour += 1) changed.add(hour);
    if (us !== null)
      await run(db)`
        insert into observed_times (target_no, day, operation, through_gateway, times_us)
        values (${targetNo}, ${Math.floor(first / DAY_HOURS)}::integer, ${operation}, ${source === 'gateway'},
          array[${us}::integer])
        on conflict (target_no, day, operation, through_gateway)
        do update set times_us = observed_times.times_us || excluded.times_us`;
  }
  for (const hour of changed) await sumHour(db, hour, sql`target_no = ${targetNo}`, holdsMs);
}

const DAILY_TABLES = ['observations', 'observed_days', 'observed_times'] as const;
type DailyTable = (typeof DAILY_TABLES)[number];

/** Each row is updated with every hour of its day. With room in its page, the old versions need no vacuum. */
const ROOM_FOR_UPDATES = sql` with (fillfactor = 50)`;

/** Makes the tables of a day. A day with rows already, which are in the table for other days, stays there. */
async function makeTablesOfDay(db: Db, day: number): Promise<void> {
  for (const table of DAILY_TABLES) {
    const [from, to] = [boundOf(table, day), boundOf(table, day + 1)];
    try {
      await run(db)`
        create table if not exists ${sql.table(`${table}_${day}`)} partition of ${sql.table(table)}
        for values from (${from}) to (${to})${table === 'observations' ? sql`` : ROOM_FOR_UPDATES}`;
    } catch (error) {
      if (!STAYS.has((error as { readonly code?: string }).code ?? '')) throw error;
    }
  }
}

/** The table for other days has rows of this day, or another instance makes the table now. */
const STAYS: ReadonlySet<string> = new Set(['23514', '42P07', '23505']);

/** Deletes the rows of all days before `day`. */
async function dropDaysBefore(db: Db, table: DailyTable, day: number): Promise<void> {
  const rows = await allRows<{ name: string }>(db)`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${table}::regclass`;
  for (const { name } of rows) {
    const [, digits] = /_(\d+)$/.exec(name) ?? [];
    if (digits !== undefined && Number(digits) < day) await run(db)`drop table if exists ${sql.table(name)}`;
  }
  const column = table === 'observations' ? 'at' : 'day';
  await run(db)`
    delete from ${sql.table(`${table}_other`)} where ${sql.ref(column)} < ${boundOf(table, day)}`;
}

/** A literal, because the bounds of a partition cannot be parameters. */
function boundOf(table: DailyTable, day: number) {
  return table === 'observations' ? sql.lit(new Date(day * DAY_MS).toISOString()) : sql.lit(day);
}
