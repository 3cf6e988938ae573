import { describe, expect, test } from 'vitest';
import { decodeHistogram } from '../../src/latency/encoded-histogram.ts';
import { valueAtRankUs } from '../../src/latency/histogram.ts';
import type { LoadResult } from '../../src/model/load.ts';
import { createLeanTransport } from '../../src/probe/load/lean-transport.ts';
import { createUndiciTransport } from '../../src/probe/load/undici-transport.ts';
import { deadAddress } from '../free-port.ts';
import { loadOf, loadTarget, TRANSPORT } from './load-target.ts';

const [LEAN, UNDICI] = [createLeanTransport, createUndiciTransport];

function slowerThan(result: LoadResult, ms: number): number {
  const text = result.series[0]?.latency?.histogram ?? '';
  const histogram = decodeHistogram(text);
  if (histogram === null) throw new Error('no call was answered');
  let slower = 0;
  for (let rank = 1; rank <= histogram.totalCount; rank += 1)
    if (valueAtRankUs(histogram, rank) > ms * 1000) slower += 1;
  return slower;
}

describe.each([
  ['lean', LEAN],
  ['undici', UNDICI],
])('a load over the %s transport', (name, create) => {
  const transport = () => create(TRANSPORT);

  test('counts each call once', async () => {
    const target = await loadTarget((_request, response) => response.end('{}'));
    const result = await loadOf(target.url, {}, {}, transport());
    expect(result).toMatchObject({ transport: name, stoppedBy: null, series: [{ count: 100, errors: [] }] });
    expect(result.series[0]?.latency?.count).toBe(100);
    expect(target.received.get('/')).toBe(100);
    expect(result.throughputPerSecond).toBeGreaterThan(0);
  });

  test('counts errors by kind without timing them', async () => {
    const target = await loadTarget((_request, response, nth) => {
      if (nth % 4 === 0) response.statusCode = 503;
      if (nth % 10 === 1) response.destroy();
      else response.end('{}');
    });
    const { series } = await loadOf(target.url, {}, {}, transport());
    const errors = Object.fromEntries((series[0]?.errors ?? []).map(({ code, count }) => [code, count]));
    expect(series[0]?.count).toBe(100);
    expect(errors.HTTP_503).toBeGreaterThanOrEqual(20);
    expect(Object.keys(errors).filter((code) => /reset|closed/.test(code))).not.toEqual([]);
    const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
    expect(series[0]?.latency?.count).toBe(100 - failed);
  });

  test('times a call without an answer with its time-out', async () => {
    const target = await loadTarget((_request, response, nth) => {
      if (nth !== 5) response.end('{}');
    });
    const { series } = await loadOf(target.url, { maxRequests: 20, requestTimeoutMs: 300 }, {}, transport());
    expect(series[0]?.errors).toMatchObject([{ code: 'timeout', count: 1 }]);
    expect(series[0]?.latency?.count).toBe(20);
    expect(series[0]?.latency?.maxMs).toBeGreaterThanOrEqual(300);
  });

  test('reopens a connection that the target closes after each answer', async () => {
    const target = await loadTarget((_request, response) =>
      response.setHeader('connection', 'close').end('{}'),
    );
    const { series } = await loadOf(target.url, { maxRequests: 30 }, {}, transport());
    expect(series).toMatchObject([{ count: 30, errors: [], latency: { count: 30 } }]);
  });

  test('sends bodies, and a mix of requests by weight', async () => {
    const bodies: string[] = [];
    const target = await loadTarget(async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      if (request.method === 'POST') bodies.push(text);
      response.end('{}');
    });
    const { series } = await loadOf(
      target.url,
      {
        maxRequests: 400,
        requests: [
          { method: 'GET', url: `${target.url}/a`, headers: [], body: null, weight: 3 },
          {
            method: 'POST',
            url: `${target.url}/b`,
            headers: [['x-a', 'b']],
            body: Buffer.from('{"a":1}'),
            weight: 1,
          },
        ],
      },
      {},
      transport(),
    );
    const counts = series.map(({ count }) => count);
    expect(counts[0]).toBe(target.received.get('/a'));
    expect(counts[1]).toBe(target.received.get('/b'));
    expect((counts[1] ?? 0) / 400).toBeCloseTo(0.25, 1);
    expect(new Set(bodies)).toEqual(new Set(['{"a":1}']));
  });

  test('ends at a status that stops the load', async () => {
    const target = await loadTarget((_request, response, nth) => {
      if (nth > 10) response.statusCode = 429;
      response.end('{}');
    });
    const result = await loadOf(target.url, { stopOnStatuses: [429] }, {}, transport());
    expect(result.stoppedBy).toBe('the target answered 429');
    expect(target.received.get('/')).toBeLessThan(20);
  });

  test('ends if the connection is refused', async () => {
    const plan = {
      maxRequests: null,
      durationMs: 60_000,
      model: { kind: 'open', ratePerSecond: 2000, arrivals: 'constant', maxConnections: 4 },
    } as const;
    const { stoppedBy, series } = await loadOf(await deadAddress(), plan, {}, transport());
    expect(stoppedBy).toMatch(/100 calls in a row got no answer: the connection was refused/);
    expect(series).toMatchObject([{ latency: null, errors: [{ code: 'connection-refused' }] }]);
  });

  test('refuses a private address with publicOnly', async () => {
    const target = await loadTarget((_request, response) => response.end('{}'));
    const { series } = await loadOf(
      target.url,
      { maxRequests: 3 },
      {},
      create({ ...TRANSPORT, publicOnly: true }),
    );
    expect(series).toMatchObject([{ latency: null, errors: [{ code: 'address-refused', count: 3 }] }]);
    expect(target.received.size).toBe(0);
  });

  test('returns the figures so far when it is interrupted', async () => {
    const interrupt = new AbortController();
    const target = await loadTarget((_request, response, nth) => {
      if (nth === 200) interrupt.abort();
      response.end('{}');
    });
    const result = await loadOf(
      target.url,
      { maxRequests: null, durationMs: 60_000 },
      { signal: interrupt.signal },
      transport(),
    );
    expect(result.series[0]?.latency?.count).toBeGreaterThanOrEqual(198);
    expect(result.durationMs).toBeLessThan(60_000);
  });
});

describe('the latency of callers', () => {
  /** Delays every answer for a while from the tenth request on. */
  const stalling = () => {
    let heldUntilMs = 0;
    return loadTarget((_request, response, nth) => {
      if (nth === 10) heldUntilMs = performance.now() + 400;
      setTimeout(() => response.end('{}'), Math.max(0, heldUntilMs - performance.now()));
    });
  };

  test('counts from the due time in an open loop if a call waits for a connection', async () => {
    const { url } = await stalling();
    const model = { kind: 'open', ratePerSecond: 200, arrivals: 'constant', maxConnections: 2 } as const;
    const result = await loadOf(url, { model, maxRequests: 150 });
    const { count, meanMs } = result.series[0]?.latency ?? { count: 0, meanMs: 0 };
    expect(count * meanMs).toBeGreaterThan(2 * result.durationMs);
    // Of the 80 calls that are due in 400 ms, 60 still wait for more than 100 ms.
    expect(slowerThan(result, 100)).toBeGreaterThanOrEqual(55);
    expect(result.series[0]?.count).toBe(150);
  });

  test('is the service time in a closed loop', async () => {
    const { url } = await stalling();
    const result = await loadOf(url, { maxRequests: 150 });
    const { count, meanMs } = result.series[0]?.latency ?? { count: 0, meanMs: 0 };
    expect(count).toBe(150);
    // Calls over two connections that do not wait for each other take at most twice the total time.
    expect(count * meanMs).toBeLessThanOrEqual(2 * result.durationMs * 1.01);
    expect(result.client).toMatchObject({ pacing: 'none', latenessMs: null, achievedShare: null });
  });

  test.each([1, 2])('keeps to the rate with %i cores', async (cores) => {
    const { url } = await loadTarget((_request, response) => response.end('{}'));
    const model = { kind: 'open', ratePerSecond: 500, arrivals: 'poisson', maxConnections: 5 } as const;
    const result = await loadOf(url, { model, maxRequests: null, durationMs: 400 }, { cores });
    // Expected: 200, with a standard deviation of 14.
    expect(result.series[0]?.count).toBeGreaterThan(130);
    expect(result.series[0]?.count).toBeLessThan(270);
    expect(result.client.pacing).toBe(cores === 1 ? 'timer' : 'spin');
  });

  test('calls that could not be sent in time make the figures unreliable', async () => {
    const { url } = await loadTarget((_request, response) => void setTimeout(() => response.end('{}'), 50));
    const model = { kind: 'open', ratePerSecond: 200, arrivals: 'constant', maxConnections: 1 } as const;
    const result = await loadOf(url, { model, maxRequests: null, durationMs: 300 });
    expect(result.client.achievedShare).toBeLessThan(0.5);
    expect(result.doubts).toContainEqual(
      expect.stringMatching(
        /^only .* of the requests that were due .*the target kept all \d+ connections busy/,
      ),
    );
    expect(result.series[0]?.count).toBe(60);
  });
});

describe('the warm-up', () => {
  test('is not counted', async () => {
    const target = await loadTarget((_request, response) => response.end('{}'));
    const result = await loadOf(target.url, { warmUpMs: 500, maxRequests: 50 });
    expect(result.warmUp.count).toBeGreaterThan(0);
    expect(result.series[0]?.count).toBe(50);
    expect(target.received.get('/')).toBe(result.warmUp.count + 50);
  });

  test('ends at its time limit if the figures are not steady', async () => {
    let delayMs = 1;
    const target = await loadTarget((_request, response) => {
      delayMs *= 1.1;
      setTimeout(() => response.end('{}'), Math.min(delayMs, 300));
    });
    const result = await loadOf(target.url, { warmUpMs: 300, maxRequests: 2 });
    expect(result.warmUp.steady).toBe(false);
  });

  test('reports its progress', async () => {
    const target = await loadTarget((_request, response) => response.end('{}'));
    const phases: string[] = [];
    const reported = new AbortController();
    await loadOf(
      target.url,
      { warmUpMs: 3000, maxRequests: null },
      {
        signal: reported.signal,
        onProgress: ({ phase, count }) => {
          if (count > 0 && phases.at(-1) !== phase) phases.push(phase);
          if (count > 0 && phase === 'measuring') reported.abort();
        },
      },
    );
    expect(phases).toEqual(['warm-up', 'measuring']);
  });
});
