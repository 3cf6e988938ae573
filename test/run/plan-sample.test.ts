import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import { planSample, type SampleQuestion } from '../../src/run/experiments/plan-sample.ts';

const plan = (parts: Partial<SampleQuestion> = {}) =>
  planSample({
    calls: 'default',
    settings: settingsOf({ seed: 1 }),
    targetUrl: 'https://target.example',
    isCall: false,
    among: { all: 1, left: 1 },
    ordinaryMs: 2,
    remainingMs: 30_000,
    ...parts,
  });

describe('the rate of timed calls', () => {
  test('is that of the run, and no higher', () => {
    expect(plan()).toMatchObject({ ratePerSecond: 50, isPaced: true });
    expect(plan({ settings: settingsOf({ requestsPerSecond: 7 }) })).toMatchObject({ ratePerSecond: 7 });
  });

  test('is higher for a target on this machine, unless the user set one', () => {
    for (const targetUrl of ['http://127.0.0.1:3000', 'http://localhost/mcp', 'http://[::1]:8080'])
      expect(plan({ targetUrl })).toMatchObject({ ratePerSecond: 300, isPaced: false });
    expect(
      plan({ targetUrl: 'http://127.0.0.1', settings: settingsOf({ requestsPerSecond: 50 }) }),
    ).toMatchObject({ ratePerSecond: 50, isPaced: true });
  });

  test('is higher still for a local target whose calls are over long before the next one', () => {
    const targetUrl = 'http://127.0.0.1:3000';
    const rateAt = (ordinaryMs: number) => plan({ targetUrl, ordinaryMs })?.ratePerSecond;
    expect([0, 0.5, 1, 1.25, 2, 4].map(rateAt)).toEqual([600, 600, 500, 400, 300, 200]);
  });

  test('is low enough for a server that handles one call at a time', () => {
    expect(plan({ ordinaryMs: 200 })?.ratePerSecond).toBe(4);
    expect(plan({ ordinaryMs: 200, settings: settingsOf({ concurrency: 64 }) })?.ratePerSecond).toBe(4);
    expect(plan({ ordinaryMs: 0 })?.ratePerSecond).toBe(50);
  });
});

describe('the number of timed calls', () => {
  const callsOf = (parts: Partial<SampleQuestion>) => plan(parts)?.calls;
  const functions = (all: number, parts: Partial<SampleQuestion> = {}) =>
    callsOf({ isCall: true, among: { all, left: all }, remainingMs: 10_000_000, ...parts });

  test('is 75, and functions share 250', () => {
    expect(callsOf({})).toBe(75);
    const settings = settingsOf({ latency: { budgets: ['execute.p50=1s'] } });
    const ofSome = (all: number) => functions(all, { settings });
    expect([1, 3, 5, 25, 26, 100].map(ofSome)).toEqual([75, 75, 50, 10, 10, 10]);
  });

  test('is what the user or the suite sets, and functions share in proportion', () => {
    const settings = settingsOf({ latency: { samples: 400 } });
    expect(callsOf({ settings })).toBe(400);
    expect(functions(10, { settings })).toBe(133);
    expect(callsOf({ calls: 20, settings })).toBe(20);
    expect(functions(1, { settings: settingsOf({ latency: { samples: 6 } }) })).toBe(6);
  });

  test('is smaller for slow calls, unless the user or the suite sets it', () => {
    expect(callsOf({ ordinaryMs: 500 })).toBe(6);
    expect(functions(4, { ordinaryMs: 50 })).toBe(12);
    const asked = { ordinaryMs: 500, remainingMs: 60_000 };
    expect(callsOf({ ...asked, calls: 75 })).toBe(75);
    expect(callsOf({ ...asked, settings: settingsOf({ latency: { samples: 75 } }) })).toBe(75);
  });

  test('is enough for p95 of a fast local server, and only for p50 of a slow one', () => {
    const targetUrl = 'http://127.0.0.1:3000';
    const reads = (ordinaryMs: number) => callsOf({ targetUrl, ordinaryMs });
    expect([1, 6, 7, 13, 14, 20, 80, 1000].map(reads)).toEqual([75, 75, 68, 36, 34, 24, 6, 6]);
    expect([1, 4, 20].map((ordinaryMs) => functions(3, { targetUrl, ordinaryMs }))).toEqual([66, 26, 6]);
  });

  test('does not fall for slow calls where a configured budget needs its percentile', () => {
    const settings = settingsOf({ latency: { budgets: ['health.p95=1s'] } });
    const targetUrl = 'http://127.0.0.1:3000';
    expect(callsOf({ targetUrl, settings, ordinaryMs: 20 })).toBe(75);
    expect(functions(3, { targetUrl, settings, ordinaryMs: 20 })).toBe(75);
    expect(functions(20, { targetUrl, settings, ordinaryMs: 100 })).toBe(8);
  });

  test('leaves the remaining functions their share of the time', () => {
    const settings = settingsOf({ latency: { budgets: ['execute.p50=1s'] } });
    const left = (count: number, remainingMs: number) =>
      functions(20, { settings, among: { all: 20, left: count }, ordinaryMs: 100, remainingMs });
    expect([left(10, 9000), left(1, 900)]).toEqual([7, 7]);
  });

  test('is null if there is too little time for a figure', () => {
    expect(plan({ ordinaryMs: 1000, remainingMs: 7499 })).toBeNull();
    expect(plan({ ordinaryMs: 1000, remainingMs: 7500 })?.calls).toBe(6);
    expect(plan({ remainingMs: -5 })).toBeNull();
    expect(plan({ calls: 2, remainingMs: 3 })).toBeNull();
  });

  test('does not depend on the time when a report is judged again', () => {
    expect(plan({ remainingMs: Number.POSITIVE_INFINITY })).toEqual(plan());
  });
});
