import { afterEach, describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { TestResult } from '../../src/model/report.ts';
import { checkHere } from '../check/check-here.ts';
import {
  type Members,
  referenceWithJson,
  type ServedTarget,
  serve,
  writePlainly,
} from '../conforming/serve.ts';

let served: ServedTarget | undefined;
afterEach(async () => {
  await served?.close();
});

const ROWS = ['health/*', 'capabilities/stable'];

/** Checks a server that answers /health or /capabilities in another way. */
async function check(
  path: string,
  change: (value: Members) => Members,
  options: CheckOptions = { only: ROWS, latency: { off: true } },
): Promise<TestResult> {
  const answer = referenceWithJson('B', (value, request) => (request.path === path ? change(value) : value));
  // So that no rate limiter is feared, which would have the timed calls come last.
  served = await serve(answer, {
    write: (response, one, request) =>
      writePlainly(response, { ...one, headers: { ...one.headers, 'ratelimit-remaining': '9999' } }, request),
  });
  const { signal } = new AbortController();
  return checkHere(served.url, { seed: 1, ...options }, { signal });
}

const readsOf = ({ exchanges }: TestResult, step: string) =>
  exchanges.filter(({ request }) => request.key.startsWith(`${step}#`));

/** From the first answer to the last request. */
function apartMsOf(result: TestResult, step: string): number {
  const reads = readsOf(result, step);
  const [first, last] = [reads[0]?.timing, reads.at(-1)?.timing];
  if (first === undefined || last === undefined) throw new Error(`no read of ${step}`);
  return last.startedAtMs - first.startedAtMs - first.durationMs;
}

const failedIn = ({ results }: TestResult): readonly string[] =>
  results.filter(({ outcome }) => outcome !== 'passed').map(({ id, outcome }) => `${id} ${outcome}`);

const listed = (change: (first: Members) => Members) => (value: Members) => {
  const [first, ...others] = value.functions as readonly Members[];
  return { ...value, functions: [change(first ?? {}), ...others] };
};

describe('a repetition that comes sooner', () => {
  test('is the last one if it shows clocks that run, and a list without a clock', async () => {
    const result = await check('/health', (value) => value);
    expect(failedIn(result)).toEqual([]);
    expect(readsOf(result, 'health/read')).toHaveLength(2);
    expect(readsOf(result, 'capabilities/read')).toHaveLength(2);
    expect(apartMsOf(result, 'health/read')).toBeGreaterThan(200);
  });

  test('is not sent if timed calls fill the wait', async () => {
    const options = { only: [...ROWS, 'performance/*'], latency: { samples: 5 } };
    const result = await check('/health', (value) => value, options);
    expect(readsOf(result, 'health/read')).toHaveLength(2);
    expect(apartMsOf(result, 'health/read')).toBeGreaterThan(1000);
  });

  test.each<[string, (value: Members) => Members, readonly string[]]>([
    ['whole seconds', (value) => ({ ...value, uptime: Math.floor(Number(value.uptime)) }), []],
    ['tenths', (value) => ({ ...value, uptime: Math.round(Number(value.uptime) * 10) / 10 }), []],
    [
      'timestamps of whole seconds',
      (value) => ({ ...value, timestamp: `${String(value.timestamp).slice(0, 19)}Z` }),
      [],
    ],
    ['an uptime that stands still', (value) => ({ ...value, uptime: 7.5 }), ['health/uptime-seconds failed']],
    [
      'a timestamp of the start',
      (value) => ({ ...value, timestamp: STARTED }),
      ['health/timestamp-current failed'],
    ],
    [
      'milliseconds',
      (value) => ({ ...value, uptime: Number(value.uptime) * 1000 + 0.5 }),
      ['health/uptime-seconds failed'],
    ],
  ])('of /health decides nothing about %s', async (_, change, failed) => {
    const result = await check('/health', change);
    expect(failedIn(result)).toEqual(failed);
    expect(readsOf(result, 'health/read')).toHaveLength(3);
    expect(apartMsOf(result, 'health/read')).toBeGreaterThan(1000);
    expect(readsOf(result, 'capabilities/read')).toHaveLength(2);
  });

  test('does not decide that a list is always the same if a text in it may hold a clock', async () => {
    const changed = await check(
      '/capabilities',
      listed((first) => ({ ...first, description: `Made at ${new Date().toISOString().slice(0, 19)}.` })),
    );
    expect(failedIn(changed)).toEqual(['capabilities/stable failed']);
    expect(apartMsOf(changed, 'capabilities/read')).toBeGreaterThan(1000);
    await served?.close();
    const same = await check(
      '/capabilities',
      listed((first) => ({ ...first, description: 'Adds two numbers in 2 s.' })),
    );
    expect(failedIn(same)).toEqual([]);
    expect(readsOf(same, 'capabilities/read')).toHaveLength(3);
  });
});

const STARTED = new Date().toISOString();
