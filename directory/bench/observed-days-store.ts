import { sql } from 'kysely';
import { openStore } from '../src/db/open-store.ts';
import type { Db } from '../src/db/tables.ts';
import { putEntries } from '../src/entries/put-entries.ts';
import { closeHours } from '../src/watching/close-hours.ts';
import { storeObservations } from '../src/watching/observations.ts';
import { responseTimesOf, uptimeByDay } from '../src/watching/observed-figures.ts';
import { runStatement, startCluster } from '../test/db/cluster.ts';

export { startCluster };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PROBE_MS = 5 * 60_000;
const PROBES_AN_HOUR = HOUR_MS / PROBE_MS;
const HOLDS_MS = 2 * PROBE_MS;
const START_MS = Date.UTC(2026, 0, 1);
const LATE_MS = 15 * 60_000;
const BATCH = 500;

export interface SimulatedDays {
  readonly observations: number;
  /** Of the closing of each hour. */
  readonly closingMs: readonly number[];
  readonly sizesBytes: Readonly<Record<string, number>>;
  /** Of the calculation of the figures of one entry, as a probe does it. */
  readonly figuresMs: readonly number[];
  /** Entries whose uptime, coverage, uptime by day or response times differ from the naive calculation. */
  readonly different: readonly string[];
}

/** Stores the observations of simulated days, an hour at a time, and compares all figures with a naive calculation. */
export async function simulateDays(
  clusterUrl: string,
  dataFolder: string,
  { entries, days }: { readonly entries: number; readonly days: number },
): Promise<SimulatedDays> {
  const store = await openStore({ databaseUrl: `${clusterUrl}/postgres`, dataFolder, share: false });
  const { db } = store;
  try {
    for (let from = 1; from <= entries; from += BATCH)
      await putBatch(db, from, Math.min(entries, from + BATCH - 1));
    const closingMs: number[] = [];
    for (let hour = 0; hour < 24 * days; hour += 1) {
      await observeHour(db, entries, hour);
      const now = new Date(START_MS + (hour + 1) * HOUR_MS + LATE_MS);
      const before = performance.now();
      await closeHours(db, { now, holdsMs: HOLDS_MS });
      closingMs.push(performance.now() - before);
    }
    // It takes longer than a statement of the store may.
    await runStatement(clusterUrl, 'analyze');
    const { figuresMs, different } = await compareAll(db, entries, days);
    let observations = 0;
    for (let entry = 1; entry <= entries; entry += 1) observations += observationsOf(entry, days).length;
    return { observations, closingMs, sizesBytes: await sizesOf(db), figuresMs, different };
  } finally {
    await store.close();
  }
}

/** In the order of the numbers, so that the database gives each entry its number as `target_no`. */
function idOf(entry: number): string {
  return `server-${String(entry).padStart(7, '0')}`;
}

async function putBatch(db: Db, from: number, to: number): Promise<void> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  await putEntries(
    db,
    numbers.map((entry) => ({
      listing: {
        id: idOf(entry),
        name: idOf(entry),
        description: 'A simulated server',
        category: 'Simulated',
        tags: [],
        transport: ['http'],
        audited: false,
        openSource: false,
        endpoint: `https://server-${entry}.example`,
      },
      first: { decision: 'hold', decidedBy: 'checks', rows: [] },
    })),
    new Date(START_MS),
  );
}

/** The same pattern as `observationsOf`, written by the database, because 10^8 rows take too long otherwise. */
async function observeHour(db: Db, entries: number, hour: number): Promise<void> {
  await sql`
    insert into observations (at, target_no, duration_us, up, operation, source)
    select to_timestamp((${START_MS}::bigint + slot * ${PROBE_MS}::bigint + (entry * 7919 + slot * 104729) % 60000) / 1000.0),
      entry, case when up then (1000 + (entry * 31 + slot * 17) % 50000)::integer end, up, 'health', 'probe'
    from (
      select entry, slot, (slot / (3 + entry % 29)) % (5 + entry % 91) <> 0 as up
      from generate_series(1::bigint, ${entries}::bigint) as entry
      cross join generate_series(${hour * PROBES_AN_HOUR}::bigint, ${(hour + 1) * PROBES_AN_HOUR - 1}::bigint) as slot
      where (entry * 7 + slot) % 977 >= entry % 40
    ) as probes`.execute(db);
}

interface Observed {
  readonly atMs: number;
  readonly up: boolean;
  readonly us: number;
}

function observationsOf(entry: number, days: number): readonly Observed[] {
  const observed: Observed[] = [];
  for (let slot = 0; slot < days * 24 * PROBES_AN_HOUR; slot += 1) {
    if ((entry * 7 + slot) % 977 < entry % 40) continue;
    observed.push({
      atMs: START_MS + slot * PROBE_MS + ((entry * 7919 + slot * 104_729) % 60_000),
      up: Math.floor(slot / (3 + (entry % 29))) % (5 + (entry % 91)) !== 0,
      us: 1000 + ((entry * 31 + slot * 17) % 50_000),
    });
  }
  return observed;
}

async function compareAll(
  db: Db,
  entries: number,
  days: number,
): Promise<Pick<SimulatedDays, 'figuresMs' | 'different'>> {
  const nowMs = START_MS + days * DAY_MS + LATE_MS;
  const options = { now: new Date(nowMs), holdsMs: HOLDS_MS };
  const figuresMs: number[] = [];
  const different: string[] = [];
  for (let entry = 1; entry <= entries; entry += 1) {
    const before = performance.now();
    const figures = await storeObservations(db, idOf(entry), [], options);
    figuresMs.push(performance.now() - before);
    const byDay = await uptimeByDay(db, idOf(entry), { ...options, addedAt: new Date(START_MS) });
    const [times] = await responseTimesOf(db, idOf(entry), options.now);
    const given = [
      figures.uptime,
      figures.responseTimeMs,
      byDay.coverage,
      ...byDay.days.flatMap(({ uptime, coverage }) => [uptime, coverage]),
      times?.count,
      times?.p50Ms,
      times?.p99Ms,
    ];
    const naive = naiveFigures(observationsOf(entry, days), nowMs);
    if (given.length !== naive.length || given.some((value, index) => !isSame(value, naive[index])))
      different.push(idOf(entry));
  }
  return { figuresMs, different };
}

function isSame(given: number | null | undefined, naive: number | null | undefined): boolean {
  return typeof given === 'number' && typeof naive === 'number'
    ? Math.abs(given - naive) <= 1e-9 * Math.max(1, Math.abs(naive))
    : given === naive;
}

/** The definitions of docs/directory.md, literally. */
function naiveFigures(observed: readonly Observed[], nowMs: number): readonly (number | null)[] {
  const spans = observed.map(({ atMs, up }, index) => ({
    up,
    fromMs: atMs,
    toMs: Math.min(observed[index + 1]?.atMs ?? nowMs, atMs + HOLDS_MS, nowMs),
  }));
  const within = (fromMs: number, toMs: number) => {
    const sums = { upMs: 0, downMs: 0 };
    for (const span of spans) {
      const ms = Math.max(0, Math.min(span.toMs, toMs) - Math.max(span.fromMs, fromMs));
      if (span.up) sums.upMs += ms;
      else sums.downMs += ms;
    }
    const observedMs = sums.upMs + sums.downMs;
    return { observedMs, uptime: observedMs === 0 ? null : (100 * sums.upMs) / observedMs };
  };
  const today = Math.floor(nowMs / DAY_MS);
  const byDay = Array.from({ length: 30 }, (_, index) => {
    const fromMs = (today - 29 + index) * DAY_MS;
    const { observedMs, uptime } = within(fromMs, fromMs + DAY_MS);
    return [uptime, (100 * observedMs) / Math.min(DAY_MS, nowMs - fromMs)];
  });
  const firstMs = Math.max((today - 29) * DAY_MS, START_MS);
  const times = observed
    .filter(({ atMs, up }) => up && atMs >= (today - 7) * DAY_MS)
    .map(({ us }) => us)
    .sort((one, other) => one - other);
  const middle = (times.length - 1) / 2;
  const rank = (share: number) => (times[Math.ceil(share * times.length) - 1] ?? 0) / 1000;
  return [
    within(Math.floor(nowMs / HOUR_MS) * HOUR_MS - 30 * DAY_MS, nowMs).uptime,
    ((times[Math.floor(middle)] ?? 0) + (times[Math.ceil(middle)] ?? 0)) / 2000,
    (100 * within(firstMs, nowMs).observedMs) / (nowMs - Math.max(firstMs, START_MS)),
    ...byDay.flat(),
    times.length,
    rank(0.5),
    rank(0.99),
  ];
}

async function sizesOf(db: Db): Promise<Readonly<Record<string, number>>> {
  const sizes: Record<string, number> = {};
  for (const table of ['observations', 'observed_days', 'observed_times']) {
    const { rows } = await sql<{ bytes: number }>`
      select sum(pg_total_relation_size(relid))::bigint as bytes from pg_partition_tree(${table}::regclass)`.execute(
      db,
    );
    sizes[table] = Number(rows[0]?.bytes ?? 0);
  }
  return sizes;
}
