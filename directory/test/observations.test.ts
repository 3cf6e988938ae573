import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { estimatePercentiles } from '../../src/latency/percentiles.ts';
import { putEntries } from '../src/store/entries.ts';
import { type Observation, storeObservations } from '../src/store/observations.ts';
import type { Store } from '../src/store/open-store.ts';
import { responseTimesOf } from '../src/store/response-times.ts';
import { uptimeByDay } from '../src/store/uptime-by-day.ts';
import { listingOf } from './listings.ts';
import { describeStores } from './stores.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-03-02T10:20:30.456Z');

interface Span {
  readonly up: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Implements the definition in docs/directory.md literally. */
function spansOf(observations: readonly Observation[], holdsMs: number): readonly Span[] {
  const telling = observations
    .filter(({ up, at }) => up !== null && at <= NOW)
    .sort((one, other) => one.at.getTime() - other.at.getTime() || Number(other.up) - Number(one.up));
  return telling.map(({ at, up }, index) => {
    const nextMs = telling[index + 1]?.at.getTime() ?? NOW.getTime();
    return { up: up === true, fromMs: at.getTime(), toMs: Math.min(nextMs, at.getTime() + holdsMs) };
  });
}

function shareWithin(spans: readonly Span[], fromMs: number, toMs: number): number | null {
  const within = ({ fromMs: from, toMs: to }: Span): number =>
    Math.max(0, Math.min(to, toMs) - Math.max(from, fromMs));
  const sum = (some: readonly Span[]): number => some.reduce((total, span) => total + within(span), 0);
  const observedMs = sum(spans);
  return observedMs === 0 ? null : (100 * sum(spans.filter(({ up }) => up))) / observedMs;
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

describeStores('the figures of an entry', (stores) => {
  let store: Store;
  beforeAll(async () => {
    store = await stores.open();
  });
  afterAll(() => stores.close());

  const put = (id: string, endpoint = 'https://one.example') =>
    putEntries(
      store.db,
      [{ listing: listingOf(id, endpoint), first: { decision: 'hold', decidedBy: 'checks', rows: [] } }],
      NOW,
    );

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
          const figures = await storeObservations(store.db, id, observations, { now: NOW, holdsMs });
          const spans = spansOf(observations, holdsMs);
          const sinceMs = NOW.getTime() - 30 * DAY_MS;
          const last = spans.filter(({ fromMs }) => fromMs > sinceMs).at(-1);
          const uptime =
            shareWithin(spans, sinceMs, NOW.getTime()) ?? (last === undefined ? null : last.up ? 100 : 0);
          expectNear(figures.uptime, uptime);
          const recent = observations.filter(
            ({ at }) => at <= NOW && at.getTime() > NOW.getTime() - 7 * DAY_MS,
          );
          const durations = recent.flatMap(({ duration_ms }) => duration_ms ?? []);
          expectNear(figures.responseTimeMs, medianOf(durations));

          const row = await store.db
            .selectFrom('entries')
            .select(['status', 'uptime', 'response_time_ms', 'figures_claimed'])
            .where('id', '=', id)
            .executeTakeFirstOrThrow();
          expect(row.status).toBe(last === undefined ? 'unknown' : last.up ? 'up' : 'down');
          expectNear(row.uptime, uptime);
          expect(row.figures_claimed).toBe(uptime === null || durations.length === 0);

          const days = await uptimeByDay(store.db, id, { now: NOW, holdsMs });
          expect([days.length, days[0]?.date, days.at(-1)?.date]).toEqual([30, '2026-02-01', '2026-03-02']);
          for (const { date, uptime: ofDay } of days) {
            const fromMs = Date.parse(date);
            expectNear(ofDay, shareWithin(spans, fromMs, fromMs + DAY_MS));
          }

          for (const { operation, minMs, maxMs, count: calls, ...percentiles } of await responseTimesOf(
            store.db,
            id,
            NOW,
          )) {
            const sorted = recent
              .filter((one) => one.operation === operation)
              .flatMap(({ duration_ms }) => duration_ms ?? [])
              .sort((one, other) => one - other);
            expect([calls, minMs, maxMs]).toEqual([sorted.length, sorted[0], sorted.at(-1)]);
            const estimates = estimatePercentiles(sorted).filter(({ percentile }) => percentile !== 'p99.9');
            expect(percentiles).toEqual(
              Object.fromEntries(estimates.map(({ percentile, value }) => [`${percentile}Ms`, value])),
            );
          }
        },
      ),
      { numRuns: stores.kind === 'embedded' ? 40 : 80 },
    );
  });

  it('do not use observations of an earlier endpoint', async () => {
    const id = 'moving';
    const seen = async () =>
      Number(
        (
          await store.db
            .selectFrom('observations')
            .select(({ fn }) => fn.countAll().as('count'))
            .where('entry_id', '=', id)
            .executeTakeFirstOrThrow()
        ).count,
      );
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
