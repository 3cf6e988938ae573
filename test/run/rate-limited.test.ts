import { afterEach, describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import type { TestResult } from '../../src/model/report.ts';
import { createReference } from '../../src/reference/contract.ts';
import { checkHere } from '../check/check-here.ts';
import { echoing, offering } from '../conforming/offering.ts';
import { type Answering, type ServedTarget, serve } from '../conforming/serve.ts';
import { createTestTime, offerInTestTime } from '../latency/test-time.ts';
import { PATIENT } from '../patience.ts';

let served: ServedTarget | undefined;
afterEach(async () => {
  await served?.close();
});

interface Limit {
  readonly requests: number;
  /** Null for a limit by count alone. */
  readonly windowMs: number | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Refuses with 429 and a text, as a limiter before the server does. */
function limiting({ requests, windowMs, headers = {} }: Limit, answer: Answering): Answering {
  let [count, sinceMs] = [0, performance.now()];
  return async (request) => {
    if (windowMs !== null && performance.now() - sinceMs >= windowMs)
      [count, sinceMs] = [0, performance.now()];
    count += 1;
    if (count <= requests) return answer(request);
    return { status: 429, headers: { 'content-type': 'text/plain', ...headers }, body: 'Too many requests.' };
  };
}

const one = (): Answering => offering('B', [echoing('B', 'repeat')]);

async function check(limit: Limit, answer: Answering, options: CheckOptions = {}): Promise<TestResult> {
  served = await serve(limiting(limit, answer));
  const signal = new AbortController().signal;
  const offerLoad = offerInTestTime(createTestTime());
  return checkHere(
    served.url,
    { seed: 1, skip: ['security/*'], latency: { samples: 75 }, ...PATIENT, ...options },
    { signal, offerLoad },
  );
}

const idsWith = ({ results }: TestResult, ...outcomes: readonly string[]): readonly string[] =>
  results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id);

const limitedFixes = ({ findings }: TestResult): readonly string[] => [
  ...new Set(findings.filter(({ message }) => message.includes('rate limiter')).map(({ fix }) => fix)),
];

describe('a limit that timed calls would use up', () => {
  test.each([
    [
      'by count, with Retry-After',
      { 'retry-after': '9000' },
      'answered 100 before it refused (Retry-After: 9000)',
    ],
    ['by count, without Retry-After', {}, 'answered 100 before it refused'],
    [
      'that headers name',
      { 'retry-after': '9000', ratelimit: 'limit=100, remaining=0, reset=9000' },
      'allows 100',
    ],
  ])('%s leaves only the timing undecided', async (_what, headers, allowed) => {
    const result = await check({ requests: 100, windowMs: null, headers }, one());
    expect(idsWith(result, 'failed')).toEqual([]);
    const open = idsWith(result, 'blocked', 'undecided');
    expect(open).toContain('performance/error-rate');
    expect(open.filter((id) => !id.startsWith('performance/'))).toEqual([]);
    const [fix, ...others] = limitedFixes(result);
    expect(others).toEqual([]);
    expect(fix).toContain(allowed);
    const [, all, untimed] = /needs about (\d+) requests.*--no-latency` needs (\d+)/s.exec(fix ?? '') ?? [];
    const sent = result.exchanges.filter(({ request }) => !request.key.startsWith('performance/'));
    expect(Number(untimed)).toBe(sent.length);
    expect(Number(all)).toBeGreaterThan(100);
    const again = await judgeReport(JSON.parse(JSON.stringify(result)) as TestResult);
    expect(again.results).toEqual(result.results);
    expect(again.findings).toEqual(result.findings);
  });

  test('and that is told before is not used up either', async () => {
    const limit = { requests: 250, windowMs: null, headers: { 'retry-after': '9000' } };
    let left = 250;
    const reference = createReference({ form: 'B' }).answer;
    const result = await check(limit, async (request) => {
      left -= 1;
      const answer = await reference(request);
      return { ...answer, headers: { ...answer.headers, 'x-ratelimit-remaining': String(left) } };
    });
    const open = idsWith(result, 'blocked', 'undecided');
    expect(open).toContain('performance/error-rate');
    expect(open.filter((id) => /^(health|capabilities|robustness|errors)\//.test(id))).toEqual([]);
  });
});

describe('a limit that the contract fits in', () => {
  test('decides everything that is not timed', async () => {
    const limit = { requests: 100, windowMs: null, headers: { 'retry-after': '9000' } };
    const result = await check(limit, one(), { latency: { off: true } });
    expect(idsWith(result, 'failed', 'blocked', 'undecided')).toEqual([]);
    expect(result.verdict).toBe('pass');
  });
});

describe('a limit by window', () => {
  test('is waited for by the contract', async () => {
    const limit = { requests: 30, windowMs: 1000, headers: { 'retry-after': '1' } };
    const result = await check(limit, one(), { latency: { off: true } });
    expect(idsWith(result, 'failed', 'blocked')).toEqual([]);
    expect(idsWith(result, 'undecided').filter((id) => !id.startsWith('inputs/'))).toEqual([]);
  });
});
