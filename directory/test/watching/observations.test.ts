import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { estimatePercentiles } from '../../../src/latency/percentiles.ts';
import type { Store } from '../../src/db/open-store.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { closeHours } from '../../src/watching/close-hours.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import { responseTimesOf, uptimeByDay } from '../../src/watching/observed-figures.ts';
import type { Observation } from '../../src/watching/observed-time.ts';
import { describeStores } from '../db/stores.ts';
import { listingOf } from '../entries/listings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = new Date('2026-03-02T10:20:30.456Z');

interface Span {
  readonly up: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Implements the definition in docs/directory.md literally. */
function spansOf(observations: readonly Observation[], holdsMs: number, now = NOW): readonly Span[] {
  const telling = observations
    .filter(({ up, at }) => up !== null && at <= now)
    .sort((one, other) => one.at.getTime() - other.at.getTime() || Number(other.up) - Number(one.up));
  return telling.map(({ at, up }, index) => {
    const nextMs = telling[index + 1]?.at.getTime() ?? now.getTime();
    return { up: up === true, fromMs: at.getTime(), toMs: Math.min(nextMs, at.getTime() + holdsMs) };
  });
}

function observedMsWithin(spans: readonly Span[], fromMs: number, toMs: number): number {
  const within = ({ fromMs: from, toMs: to }: Span): number =>
    Math.max(0, Math.min(to, toMs) - Math.max(from, fromMs));
  return spans.reduce((total, span) => total + within(span), 0);
}

function shareWithin(spans: readonly Span[], fromMs: number, toMs: number): number | null {
  const observedMs = observedMsWithin(spans, fromMs, toMs);
  const upMs = observedMsWithin(
    spans.filter(({ up }) => up),
    fromMs,
    toMs,
  );
  return observedMs === 0 ? null : (100 * upMs) / observedMs;
}

/** Durations are stored in whole microseconds. */
function storedMs(durationMs: number): number {
  return Math.round(durationMs * 1000) / 1000;
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

const observation = fc.record({
  // Some in the same millisecond, some before the windows, some later than now.
  at: fc.oneof(
    fc.integer({ min: -60_000, max: 33 * DAY_MS }),
    fc.integer({ min: 0, max: 40 }).map((slot) => slot * DAY_MS + 37),
    fc.integer({ min: 0, max: 200 }).map((slot) => slot * 60_000),
  ),
  up: fc.option(fc.boolean(), { nil: null }),
  operation: fc.constantFrom<Observation['operation']>('health', 'capabilities', 'execute'),
  duration_ms: fc.option(fc.double({ min: 0, max: 30_000, noNaN: true }), { nil: null }),
});

/** The last 30 days begin with a whole hour. */
function firstMsOfUptime(now: Date): number {
  return Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - 30 * DAY_MS;
}

/** The observations of today and of the seven days before. */
function recentOf(observations: readonly Observation[], now: Date): readonly Observation[] {
  const firstMs = Math.floor(now.getTime() / DAY_MS) * DAY_MS - 7 * DAY_MS;
  return observations.filter(({ at }) => at <= now && at.getTime() >= firstMs);
}

function durationsOf(observations: readonly Observation[]): readonly number[] {
  return observations.flatMap(({ duration_ms }) => (duration_ms === null ? [] : storedMs(duration_ms)));
}

async function forgetObservations({ db }: Store): Promise<void> {
  for (const table of ['observations', 'observed_days', 'observed_times'] as const)
    await sql`delete from ${sql.table(table)}`.execute(db);
  await sql`update closed_hours set until_hour = 0`.execute(db);
}

describeStores('the figures of an entry', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());
  beforeEach(() => forgetObservations(store));

  const put = (id: string, endpoint = 'https://one.example') =>
    putEntries(
      store.db,
      [{ listing: listingOf(id, endpoint), first: { decision: 'hold', decidedBy: 'checks', rows: [] } }],
      NOW,
    );

  const expectFigures = async (
    id: string,
    observations: readonly Observation[],
    { now, holdsMs }: { readonly now: Date; readonly holdsMs: number },
  ): Promise<void> => {
    const figures = await storeObservations(store.db, id, [], { now, holdsMs });
    const spans = spansOf(observations, holdsMs, now);
    const sinceMs = firstMsOfUptime(now);
    const last = spans.at(-1);
    const uptime =
      shareWithin(spans, sinceMs, now.getTime()) ?? (last === undefined ? null : last.up ? 100 : 0);
    expectNear(figures.uptime, uptime);
    const recent = recentOf(observations, now);
    const durations = durationsOf(recent);
    expectNear(figures.responseTimeMs, medianOf(durations));

    const row = await store.db
      .selectFrom('entries')
      .select(['status', 'uptime', 'response_time_ms', 'figures_claimed'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.status).toBe(last === undefined ? 'unknown' : last.up ? 'up' : 'down');
    expectNear(row.uptime, uptime);
    // The listing claims nothing, so that what is shown is observed.
    expect(row.figures_claimed).toBe(uptime === null);

    const { days } = await uptimeByDay(store.db, id, { now, holdsMs, addedAt: NOW });
    expect(days).toHaveLength(30);
    expect(days.at(-1)?.date).toBe(now.toISOString().slice(0, 10));
    for (const { date, uptime: ofDay, coverage } of days) {
      const fromMs = Date.parse(date);
      const toMs = Math.min(now.getTime(), fromMs + DAY_MS);
      expectNear(ofDay, shareWithin(spans, fromMs, toMs));
      expectNear(
        coverage,
        toMs === fromMs ? 0 : (100 * observedMsWithin(spans, fromMs, toMs)) / (toMs - fromMs),
      );
    }

    for (const { operation, minMs, maxMs, count: calls, ...percentiles } of await responseTimesOf(
      store.db,
      id,
      now,
    )) {
      const sorted = recent
        .filter((one) => one.operation === operation)
        .flatMap(({ duration_ms }) => (duration_ms === null ? [] : storedMs(duration_ms)))
        .sort((one, other) => one - other);
      expect([calls, minMs, maxMs]).toEqual([sorted.length, sorted[0], sorted.at(-1)]);
      const estimates = estimatePercentiles(sorted).filter(({ percentile }) => percentile !== 'p99.9');
      expect(percentiles).toEqual(
        Object.fromEntries(estimates.map(({ percentile, value }) => [`${percentile}Ms`, value])),
      );
    }
  };

  it('have an uptime of exactly 100 for a target that was never down', async () => {
    await put('always-up');
    const observations = Array.from(
      { length: 500 },
      (_, index): Observation => ({
        entry_id: 'always-up',
        at: new Date(NOW.getTime() - index * 12_345.678),
        up: true,
        operation: 'health',
        duration_ms: 1,
        source: 'probe',
      }),
    );
    const figures = await storeObservations(store.db, 'always-up', observations, { now: NOW, holdsMs: 7777 });
    expect(figures.uptime).toBe(100);
  });

  it('follow the definitions', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(observation, { maxLength: 120 }),
        fc.integer({ min: 1, max: 3 * DAY_MS }),
        async (given, holdsMs) => {
          count += 1;
          const id = `entry-${count}`;
          await put(id);
          const observations = given.map(
            ({ at, ...rest }): Observation => ({
              entry_id: id,
              at: new Date(NOW.getTime() - at),
              source: 'probe',
              ...rest,
            }),
          );
          await storeObservations(store.db, id, observations, { now: NOW, holdsMs });
          await expectFigures(id, observations, { now: NOW, holdsMs });
        },
      ),
      { numRuns: stores.kind === 'embedded' ? 40 : 80 },
    );
  });

  it('are the same when their hours are closed, also for late observations', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(observation, fc.integer({ min: 0, max: 26 })), { minLength: 1, maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 20 * HOUR_MS }),
        async (given, closings, holdsMs) => {
          // A closed hour stays closed, and each run begins anew.
          await forgetObservations(store);
          runs += 1;
          const id = `closed-${runs}`;
          await put(id);
          const startMs = NOW.getTime() - 2 * DAY_MS;
          const moments = [...closings.map((hours) => hours * HOUR_MS), 2 * DAY_MS];
          const stored: Observation[] = [];
          const waiting = [...given];
          let lastClosedMs = Number.NEGATIVE_INFINITY;
          for (const moment of moments.sort((one, other) => one - other)) {
            const now = new Date(startMs + moment);
            const arrived = waiting
              .splice(0, Math.ceil(given.length / moments.length))
              .map(([{ at, ...rest }, hoursAgo]): Observation => {
                const agoMs = Math.min(moment, hoursAgo * HOUR_MS + (at % HOUR_MS));
                return { entry_id: id, at: new Date(now.getTime() - agoMs), source: 'probe', ...rest };
              });
            await storeObservations(store.db, id, arrived, { now, holdsMs });
            // Older ones are not stored, because the others of their hour are no longer kept.
            stored.push(...arrived.filter(({ at }) => at.getTime() >= lastClosedMs - DAY_MS));
            await closeHours(store.db, { now, holdsMs });
            lastClosedMs = Math.floor((now.getTime() - 15 * 60_000) / HOUR_MS) * HOUR_MS;
            await expectFigures(id, stored, { now, holdsMs });
          }
        },
      ),
      { numRuns: stores.kind === 'embedded' ? 6 : 12 },
    );
  });

  it('do not use observations of an earlier endpoint', async () => {
    const id = 'moving';
    const seen = async () =>
      (
        await sql`
          select from observations join entries using (target_no) where id = ${id}`.execute(store.db)
      ).rows.length;
    await put(id);
    const health = {
      entry_id: id,
      at: NOW,
      up: true,
      operation: 'health',
      duration_ms: 3,
      source: 'probe',
    } as const;
    await storeObservations(store.db, id, [health], { now: NOW, holdsMs: 1000 });
    await put(id);
    expect(await seen()).toBe(1);
    await put(id, 'https://two.example');
    expect(await seen()).toBe(0);
  });
});

function expectNear(given: number | null, expected: number | null): void {
  if (expected === null || given === null) expect(given).toBe(expected);
  else expect(given).toBeCloseTo(expected, 6);
}
