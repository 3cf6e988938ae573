import { afterEach, describe, expect, it } from 'vitest';
import { type RateLimitWait, systemClock } from '../../src/client/options.ts';
import { KnownLimits } from '../../src/client/request-sender.ts';
import { limitLeftOf, requestedWaitMs } from '../../src/model/rate-limit.ts';
import {
  clientOf,
  type FakeDirectory,
  failureOf,
  fakeClock,
  json,
  page,
  startFake,
} from './fake-directory.ts';

let fake: FakeDirectory | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

const refused = { type: 'about:blank', code: 'rate-limited', detail: 'Too many requests.' };

describe('a call that is refused with 429', () => {
  it('is repeated after the wait in Retry-After, for reads and writes', async () => {
    const clock = fakeClock();
    const reported: RateLimitWait[] = [];
    fake = await startFake(({ url }, response, index) => {
      if (index % 3 === 0) json(response, refused, { 'retry-after': '7' }, 429);
      else if (index % 3 === 1)
        json(
          response,
          refused,
          { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT', date: 'Thu, 01 Jan 2026 00:00:04 GMT' },
          429,
        );
      else json(response, url.includes('search') ? page(['a']) : { verdict: 'fine' });
    });
    const client = clientOf(fake, { onRateLimited: (wait) => reported.push(wait) }, clock);
    expect((await client.search()).servers).toHaveLength(1);
    expect(clock.waits).toEqual([7000, 5000]);
    expect(await client.test('a', { input: { x: 1 } })).toEqual({ verdict: 'fine' });
    expect(clock.waits).toEqual([7000, 5000, 7000, 5000]);
    expect(reported[0]).toEqual({ operation: 'read', waitMs: 7000, because: 'refused' });
    expect(reported[3]).toEqual({ operation: 'test', waitMs: 5000, because: 'refused' });
    expect(fake.seen.map(({ body }) => body)).toEqual(['', '', '', ...Array(3).fill('{"input":{"x":1}}')]);
  });

  it('fails at once if the total wait is longer than allowed', async () => {
    const clock = fakeClock();
    fake = await startFake((_, response) => json(response, refused, { 'retry-after': '40' }, 429));
    const error = await failureOf(clientOf(fake, {}, clock).search());
    expect(error).toMatchObject({ status: 429, code: 'rate-limited', retryAfterSeconds: 40 });
    expect(error.message).toContain('Try again in 40 s.');
    expect(clock.waits).toEqual([40_000]);
    const impatient = fakeClock();
    await failureOf(clientOf(fake, { maxWaitMs: 0 }, impatient).search());
    expect(impatient.waits).toEqual([]);
  });

  it.each([
    ['nothing', {}],
    ['at once', { 'retry-after': '0' }],
    ['nonsense', { 'retry-after': 'soon' }],
    ['a date that is over', { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' }],
  ])('waits increasingly long if the answer says %s', async (_, headers) => {
    const clock = fakeClock();
    fake = await startFake((_request, response) => json(response, refused, headers, 429));
    await failureOf(clientOf(fake, {}, clock).search());
    expect(clock.waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  it('waits as the RateLimit field says without Retry-After', async () => {
    const clock = fakeClock();
    fake = await startFake((_, response, index) =>
      index === 0 ? json(response, refused, { ratelimit: '"read";r=0;t=12' }, 429) : json(response, page([])),
    );
    await clientOf(fake, {}, clock).search();
    expect(clock.waits).toEqual([12_000]);
  });
});

describe('a limit that is used up', () => {
  const limited = (left: number, seconds: number) => ({
    'ratelimit-policy': '"read";q=600;w=60',
    ratelimit: `"read";r=${left};t=${seconds}`,
  });

  it('delays the next call instead of causing a 429', async () => {
    const clock = fakeClock();
    const reported: RateLimitWait[] = [];
    fake = await startFake((_, response, index) =>
      json(response, page([]), limited(index === 0 ? 0 : 5, 12)),
    );
    const client = clientOf(fake, { onRateLimited: (wait) => reported.push(wait) }, clock);
    await client.search();
    expect(clock.waits).toEqual([]);
    await client.search();
    await client.search();
    expect(clock.waits).toEqual([12_000]);
    expect(reported).toEqual([{ operation: 'read', waitMs: 12_000, because: 'none-left' }]);
  });

  it('is counted down by calls in progress', async () => {
    const clock = fakeClock();
    fake = await startFake((_, response, index) =>
      json(response, page([]), limited(Math.max(0, 2 - index), 12)),
    );
    const client = clientOf(fake, {}, clock);
    await client.search();
    await Promise.all([client.search(), client.search(), client.search()]);
    expect(clock.waits).toEqual([12_000]);
  });

  it('is an error if it lasts too long, and does not delay other operations', async () => {
    const clock = fakeClock();
    fake = await startFake(({ method }, response) =>
      json(response, method === 'GET' ? page([]) : {}, limited(0, 61)),
    );
    const client = clientOf(fake, {}, clock);
    await client.search();
    const error = await failureOf(client.search());
    expect(error).toMatchObject({ code: 'rate-limited', status: null, retryAfterSeconds: 61 });
    expect(error.message).toMatch(/no more calls to read for 61 s.*maxWaitMs/);
    await client.test('a');
    await client.test('b');
    expect(fake.seen.map(({ url }) => url)).toEqual([
      '/v1/servers/search',
      '/v1/servers/a/test',
      '/v1/servers/b/test',
    ]);
    clock.pass(61_000);
    await client.search();
    expect(clock.waits).toEqual([]);
  });
});

describe('a wait', () => {
  it('ends when the caller aborts it', async () => {
    const controller = new AbortController();
    fake = await startFake((_, response) => json(response, refused, { 'retry-after': '50' }, 429));
    const client = clientOf(fake, { onRateLimited: () => controller.abort() }, systemClock);
    const error = await failureOf(client.test('a', { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'interrupted', message: expect.not.stringContaining('not known') });
    expect(fake.seen).toHaveLength(1);
  });
});

describe('known limits', () => {
  it('never grow within a window, and are reset with the next', () => {
    const limits = new KnownLimits();
    limits.note('s', { remaining: 1, resetMs: 10_000 }, 0);
    limits.note('s', { remaining: 3, resetMs: 9000 }, 1000);
    expect(limits.take('s', 1000)).toBe(0);
    expect(limits.take('s', 1000)).toBe(9000);
    expect(limits.take('other', 1000)).toBe(0);
    limits.note('s', { remaining: 3, resetMs: 10_000 }, 9000);
    expect(limits.take('s', 9000)).toBe(0);
    limits.note('s', { remaining: 0, resetMs: 10_000 }, 9000);
    expect(limits.take('s', 19_000)).toBe(0);
  });
});

describe('the fields of rate limits', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z');
  const left = (fields: Readonly<Record<string, string>>) => limitLeftOf(new Headers(fields), nowMs);

  it.each([
    [{ ratelimit: '"read";r=3;t=12' }, 3, 12_000],
    [{ ratelimit: 'default; r=3 ; t=12' }, 3, 12_000],
    [{ ratelimit: '"a,b;r=9";r=3;t=12' }, 3, 12_000],
    [{ ratelimit: '"a\\"";r=3;pk=:abc=:;t=12' }, 3, 12_000],
    [{ ratelimit: '"day";r=900;t=5000, "burst";r=2;t=1' }, 2, 1000],
    [{ ratelimit: '"day";r=0;t=5000, "burst";r=0;t=1' }, 0, 5_000_000],
    [{ ratelimit: '"read";r=0', 'ratelimit-policy': '"other";q=1;w=5, "read";q=600;w=60' }, 0, 60_000],
    [{ ratelimit: '"read";r=0' }, 0, null],
    [{ ratelimit: 'limit=100, remaining=50, reset=5' }, 50, 5000],
    [{ 'ratelimit-limit': '100', 'ratelimit-remaining': '1', 'ratelimit-reset': '9' }, 1, 9000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowMs / 1000 + 30) }, 0, 30_000],
    [{ 'x-ratelimit-remaining': '0' }, 0, null],
  ])('%j', (fields, remaining, resetMs) => {
    expect(left(fields as unknown as Record<string, string>)).toEqual({ remaining, resetMs });
  });

  it.each([
    {},
    { ratelimit: '' },
    { ratelimit: '"' },
    { ratelimit: '"read";r=x' },
    { ratelimit: ';;,,=' },
    { 'ratelimit-remaining': '-1' },
    { ratelimit: '"a";r=-1' },
  ])('are ignored if they are not understood: %j', (fields) => {
    expect(left(fields as Record<string, string>)).toBeNull();
  });

  it.each([
    ['5', 5000],
    ['1.5', 1500],
    ['-5', null],
    ['', null],
    ['2026', 2_026_000],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ])('Retry-After: %s', (field, expected) => {
    expect(requestedWaitMs(new Headers({ 'retry-after': field }), nowMs)).toBe(expected);
  });
});
