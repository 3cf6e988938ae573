import { describe, expect, test } from 'vitest';
import { checkProgress } from '../../src/cli/terminal/live-line.ts';
import type { Exchange, Header, TransportFailureCode } from '../../src/model/exchange.ts';
import type { Clock, PlannedHttp, PlannedRequest } from '../../src/model/probe.ts';
import type { Retry } from '../../src/model/request-template.ts';
import { type HttpExchange, overHttp, wholeBody } from '../../src/model/sent.ts';
import { createReplayingProbe } from '../../src/probe/replaying-probe.ts';
import type { ScheduledRequest } from '../../src/run/requests/instance-request.ts';
import { RequestScheduler } from '../../src/run/requests/request-scheduler.ts';
import type { Progress } from '../../src/run/state/run-input.ts';
import { answer, noAnswer } from '../checks/example.ts';

const NOW_MS = Date.parse('2026-01-31T12:00:00Z');

/** A clock that advances only by waits and requests. */
interface TestClock extends Clock {
  readonly waits: readonly number[];
  pass(ms: number): void;
}

function testClock(): TestClock {
  let elapsedMs = 0;
  const waits: number[] = [];
  return {
    waits,
    pass: (ms) => {
      elapsedMs += ms;
    },
    nowMs: () => NOW_MS + elapsedMs,
    monotonicMs: () => 5000 + elapsedMs,
    sleep: async (durationMs) => {
      waits.push(durationMs);
      elapsedMs += durationMs;
    },
  };
}

const planned = (key: string): Omit<PlannedHttp, 'timeoutMs'> => ({
  key,
  method: 'GET',
  url: 'http://target.example/health',
  headers: [],
  body: null,
  abortAfterBytes: null,
  feedsLaterSteps: false,
  anonymous: false,
  connection: null,
  upgrade: null,
});

const keyed = (exchange: HttpExchange, key: string): Exchange => ({
  ...exchange,
  request: { ...exchange.request, key },
});
const answered = (key: string, status: number, headers: readonly Header[] = []): Exchange =>
  keyed(answer({ status, headers }), key);
const failing = (key: string, code: TransportFailureCode): Exchange =>
  keyed(noAnswer({ code, fault: 'server', message: code }), key);

interface Setting {
  readonly recorded: readonly Exchange[];
  readonly deadlineMs?: number;
  readonly requestTimeoutMs?: number;
  readonly concurrency?: number;
  readonly requestsPerSecond?: number;
  /** How long each request takes. */
  readonly takesMs?: number;
}

function setUp({
  recorded,
  deadlineMs = 60_000,
  requestTimeoutMs = 10_000,
  concurrency = 4,
  requestsPerSecond = 1000,
  takesMs = 0,
}: Setting) {
  const clock = testClock();
  const controller = new AbortController();
  const replaying = createReplayingProbe(recorded);
  const sent: PlannedRequest[] = [];
  const progress: Progress[] = [];
  const created = new RequestScheduler({
    probe: {
      send: async (request) => {
        sent.push(request);
        const exchange = await replaying.send(request);
        clock.pass(takesMs);
        return exchange;
      },
      close: () => undefined,
    },
    clock,
    signal: controller.signal,
    settings: { deadlineMs, requestsPerSecond, requestTimeoutMs, concurrency },
    onProgress: (one) => progress.push(one),
  });
  const endsAtMs = clock.monotonicMs() + deadlineMs;
  const scheduler = {
    exchanges: () => created.exchanges(),
    during: created.during.bind(created),
    send: (request: Omit<PlannedHttp, 'timeoutMs'> & Partial<ScheduledRequest>, retry: Retry | null) =>
      created.send({ endsAtMs, ...request }, retry),
    reserve: (count: number, ratePerSecond: number) => created.reserve(count, ratePerSecond, endsAtMs),
  };
  return { scheduler, clock, controller, sent, progress, keys: () => sent.map(({ key }) => key) };
}

const NO_PROGRESS: Progress = { kind: 'sent', key: '', sent: 0, answered: 0, waitingFor: null };

const statusOf = (exchange: Exchange): number | string => {
  const over = overHttp(exchange);
  return over.kind === 'answered' ? over.response.status : over.reason.code;
};

describe('a request', () => {
  test('is sent once, even if requested repeatedly', async () => {
    const { scheduler, keys, progress } = setUp({ recorded: [answered('a#0', 200)] });
    const [first, second] = await Promise.all([
      scheduler.send(planned('a#0'), null),
      scheduler.send(planned('a#0'), null),
    ]);
    expect(first).toBe(second);
    expect(await scheduler.send(planned('a#0'), null)).toBe(first);
    expect(keys()).toEqual(['a#0']);
    expect(progress).toEqual([
      { kind: 'sent', key: 'a#0', sent: 1, answered: 0, waitingFor: null },
      { kind: 'answered', key: 'a#0', sent: 1, answered: 1, waitingFor: null },
    ]);
  });

  test('that is answered during a wait reports what the run still waits for', async () => {
    const { scheduler, progress } = setUp({ recorded: ['a#0', 'b#0'].map((key) => answered(key, 200)) });
    await scheduler.during('repeated-read', 'c#1', () => scheduler.send(planned('a#0'), null));
    await scheduler.send(planned('b#0'), null);
    expect(progress.map(({ kind, waitingFor }) => [kind, waitingFor])).toEqual([
      ['waiting', 'repeated-read'],
      ['sent', 'repeated-read'],
      ['answered', 'repeated-read'],
      ['sent', null],
      ['answered', null],
    ]);
    expect(checkProgress(progress[2] ?? NO_PROGRESS)).toBe(
      '1 of 1 answered, waiting before the next read  a#0',
    );
    expect(checkProgress(progress[1] ?? NO_PROGRESS)).toBe('0 of 1 answered  a#0');
  });

  test('has the time-out of a request, or the rest of the run', async () => {
    const { scheduler, sent } = setUp({
      recorded: ['a', 'b', 'c'].map((key) => answered(key, 200)),
      deadlineMs: 12_000,
      requestTimeoutMs: 5000,
      takesMs: 4000,
    });
    for (const key of ['a', 'b', 'c']) await scheduler.send(planned(key), null);
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([5000, 5000, 4000]);
  });

  test('ends early enough for later ones', async () => {
    const { scheduler, clock, sent } = setUp({
      recorded: ['a', 'b', 'c'].map((key) => answered(key, 200)),
      requestTimeoutMs: 5000,
      takesMs: 2000,
    });
    const endsAtMs = clock.monotonicMs() + 2000;
    await scheduler.send({ ...planned('a'), endsAtMs }, null);
    expect(statusOf(await scheduler.send({ ...planned('b'), endsAtMs }, null))).toBe('deadline');
    expect(statusOf(await scheduler.send(planned('c'), null))).toBe(200);
    expect(sent.map(({ key, timeoutMs }) => [key, timeoutMs])).toEqual([
      ['a', 2000],
      ['c', 5000],
    ]);
  });

  test('never exceeds the allowed concurrency', async () => {
    let underWay = 0;
    let highest = 0;
    const waiting: (() => void)[] = [];
    const clock = testClock();
    const scheduler = new RequestScheduler({
      probe: {
        send: async ({ key }) => {
          underWay += 1;
          highest = Math.max(highest, underWay);
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            queueMicrotask(() => queueMicrotask(() => waiting.shift()?.()));
          });
          underWay -= 1;
          return answered(key, 200);
        },
        close: () => undefined,
      },
      clock,
      signal: new AbortController().signal,
      settings: { deadlineMs: 1000, requestTimeoutMs: 1000, concurrency: 3, requestsPerSecond: 1000 },
    });
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        scheduler.send({ ...planned(`a#${index}`), endsAtMs: clock.monotonicMs() + 1000 }, null),
      ),
    );
    expect(highest).toBe(3);
  });

  test('waits for the limit of starts within a second', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `a${index}`);
    const { scheduler, clock } = setUp({
      recorded: names.map((name) => answered(name, 200)),
      requestsPerSecond: 3,
      concurrency: 1,
      takesMs: 100,
    });
    const startedMs: number[] = [];
    const firstMs = clock.monotonicMs();
    for (const name of names) {
      await scheduler.send(planned(name), null);
      startedMs.push(clock.monotonicMs() - firstMs - 100);
    }
    expect(startedMs).toEqual([0, 100, 200, 1000, 1100, 1200, 2000]);
  });

  test('is recorded with its answer, in the order of sending', async () => {
    const { scheduler } = setUp({ recorded: ['a', 'b'].map((key) => answered(key, 200)) });
    await Promise.all(['b', 'a', 'gone'].map((key) => scheduler.send(planned(key), null)));
    expect(scheduler.exchanges().map(({ request }) => request.key)).toEqual(['b', 'a', 'gone']);
    expect(scheduler.exchanges().map(statusOf)).toEqual([200, 200, 'not-recorded']);
  });
});

describe('status 429', () => {
  test('is repeated under another key after the wait that the target requires', async () => {
    const { scheduler, clock, keys } = setUp({
      recorded: [
        answered('a#0', 429, [['Retry-After', '2']]),
        answered('a#0!1', 429, [['retry-after', 'Sat, 31 Jan 2026 12:00:07 GMT']]),
        answered('a#0!2', 200),
      ],
    });
    expect(statusOf(await scheduler.send(planned('a#0'), null))).toBe(200);
    expect(clock.waits).toEqual([2000, 5000]);
    expect(keys()).toEqual(['a#0', 'a#0!1', 'a#0!2']);
    expect(scheduler.exchanges()).toHaveLength(3);
  });

  test('is repeated up to ten times', async () => {
    const waits = Array.from({ length: 12 }, (_, index) => `a!${index + 1}`);
    const recorded = ['a', ...waits].map((key) => answered(key, 429));
    const { scheduler, clock, keys } = setUp({ recorded });
    expect(statusOf(await scheduler.send(planned('a'), null))).toBe(429);
    expect(clock.waits).toEqual(Array(10).fill(1000));
    expect(keys()).toEqual(['a', ...waits.slice(0, 10)]);
  });

  test('is not repeated beyond the deadline', async () => {
    const { scheduler, clock, keys } = setUp({
      recorded: [answered('a', 429, [['retry-after', '3600']])],
      deadlineMs: 60_000,
    });
    expect(statusOf(await scheduler.send(planned('a'), null))).toBe(429);
    expect(clock.waits).toEqual([]);
    expect(keys()).toEqual(['a']);
  });

  test('stays the answer if the record ends there', async () => {
    const { scheduler } = setUp({ recorded: [answered('a', 429)] });
    expect(statusOf(await scheduler.send(planned('a'), null))).toBe(429);
  });

  test('takes precedence over the retries of the step', async () => {
    const retry: Retry = { attempts: 3, waitMs: 50, on: [503] };
    const { scheduler, clock, keys } = setUp({
      recorded: [answered('a', 429), answered('a!1', 503), answered('a?2', 503), answered('a?3', 200)],
    });
    expect(statusOf(await scheduler.send(planned('a'), retry))).toBe(200);
    expect(keys()).toEqual(['a', 'a!1', 'a?2', 'a?3']);
    expect(clock.waits).toEqual([1000, 50, 50]);
  });
});

describe('timed calls, which the load engine sends,', () => {
  const askMany = async (count: number) => {
    const keys = Array.from({ length: count }, (_, index) => `a${index}`);
    const setup = setUp({ recorded: keys.map((key) => answered(key, 200)), requestsPerSecond: 10 });
    for (const key of keys) await setup.scheduler.send(planned(key), null);
    return setup;
  };

  test.each([
    // Starts of the last second, and the wait after which one call every 100 ms keeps to ten in a second.
    [0, []],
    [1, [100]],
    [5, [500]],
    [10, [1000]],
  ])('wait for the pace: after %i requests', async (count, waits) => {
    const { scheduler, clock } = await askMany(count);
    await scheduler.reserve(30, 10);
    expect(clock.waits).toEqual(waits);
  });

  test('wait less if they are further apart, and not at all after a second', async () => {
    const slow = await askMany(5);
    await slow.scheduler.reserve(30, 5);
    expect(slow.clock.waits).toEqual([]);
    const later = await askMany(10);
    later.clock.pass(1000);
    await later.scheduler.reserve(30, 10);
    expect(later.clock.waits).toEqual([]);
  });

  test('count as starts for later requests', async () => {
    const { scheduler, clock } = setUp({ recorded: [answered('a', 200)], requestsPerSecond: 10 });
    await scheduler.reserve(12, 10);
    // The last one starts eleven intervals later; the oldest of the last ten started 900 ms before it.
    clock.pass(1100);
    await scheduler.send(planned('a'), null);
    expect(clock.waits).toEqual([100]);
  });
});

describe('trying again', () => {
  const retry: Retry = { attempts: 3, waitMs: 200, on: [503, 'unanswered'] };

  test('ends with the first other answer', async () => {
    const { scheduler, clock, keys } = setUp({
      recorded: [answered('a', 503), failing('a?2', 'connection-reset'), answered('a?3', 404)],
    });
    expect(statusOf(await scheduler.send(planned('a'), retry))).toBe(404);
    expect(keys()).toEqual(['a', 'a?2', 'a?3']);
    expect(clock.waits).toEqual([200, 200]);
  });

  test('ends with the last attempt', async () => {
    const { scheduler, keys } = setUp({
      recorded: ['a', 'a?2', 'a?3', 'a?4'].map((key) => answered(key, 503)),
    });
    expect(statusOf(await scheduler.send(planned('a'), retry))).toBe(503);
    expect(keys()).toEqual(['a', 'a?2', 'a?3']);
  });

  test('is not done for other answers, nor without a setting', async () => {
    const { scheduler, keys } = setUp({ recorded: [answered('a', 500), answered('b', 503)] });
    await scheduler.send(planned('a'), retry);
    await scheduler.send(planned('b'), null);
    expect(keys()).toEqual(['a', 'b']);
  });
});

describe('the end of a run', () => {
  test('after the deadline nothing is sent, with the fault of the harness', async () => {
    const { scheduler, keys } = setUp({
      recorded: [answered('a', 200), answered('b', 200)],
      deadlineMs: 1500,
      takesMs: 1500,
    });
    await scheduler.send(planned('a'), null);
    const late = await scheduler.send(planned('b'), null);
    expect(late).toEqual({
      kind: 'unanswered',
      request: { key: 'b', method: 'GET', url: 'http://target.example/health', headers: [], body: null },
      reason: { code: 'deadline', fault: 'harness', message: 'the run’s deadline of 1.5 s was over' },
      timing: { startedAtMs: NOW_MS + 1500, connectMs: null, firstByteMs: null, durationMs: 0 },
    });
    expect(keys()).toEqual(['a']);
    expect(scheduler.exchanges()).toHaveLength(2);
  });

  describe('is not used up by slow functions:', () => {
    const ask = async (calls: readonly string[]) => {
      const keys = calls.map((name, index) => `${name}#${index}`);
      const setup = setUp({
        recorded: keys.map((key) => answered(key, 200)),
        deadlineMs: 60_000,
        takesMs: 6000,
      });
      const exchanges: Exchange[] = [];
      for (const [index, functionName] of calls.entries())
        exchanges.push(
          await setup.scheduler.send({ ...planned(keys[index] ?? ''), functionName, sentOnce: true }, null),
        );
      return { ...setup, codes: exchanges.map(statusOf), last: exchanges.at(-1) };
    };

    test('the calls of one end when they took two thirds of the deadline', async () => {
      const { codes, last } = await ask(Array(8).fill('report'));
      expect(codes).toEqual([...Array(7).fill(200), 'deadline']);
      expect(last).toMatchObject({
        reason: {
          fault: 'harness',
          message: 'the earlier calls of "report" used up its share of the run’s deadline of 60 s',
        },
      });
    });

    test('several share it', async () => {
      const { codes } = await ask(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a']);
      expect(codes).toEqual([...Array(8).fill(200), 'deadline']);
    });

    test('another function is still called', async () => {
      const { codes } = await ask([...Array(7).fill('report'), 'report', 'add']);
      expect(codes.slice(-2)).toEqual(['deadline', 200]);
    });
  });

  test.each<[TransportFailureCode, string]>([
    ['timeout', 'deadline'],
    ['connect-timeout', 'deadline'],
    ['connection-reset', 'connection-reset'],
  ])('%s within a time that the deadline shortened is %s', async (code, shown) => {
    const { scheduler } = setUp({ recorded: [failing('a', code)], deadlineMs: 3000, requestTimeoutMs: 5000 });
    expect(statusOf(await scheduler.send(planned('a'), null))).toBe(shown);
  });

  test('a time-out within its full time is the server’s', async () => {
    const { scheduler } = setUp({
      recorded: [failing('a', 'timeout')],
      deadlineMs: 6000,
      requestTimeoutMs: 5000,
    });
    expect(await scheduler.send(planned('a'), null)).toMatchObject({
      reason: { code: 'timeout', fault: 'server' },
    });
  });

  test('after an interruption nothing is sent', async () => {
    const { scheduler, controller, keys } = setUp({ recorded: [answered('a', 200)] });
    controller.abort();
    const exchange = await scheduler.send({ ...planned('a'), body: wholeBody(Buffer.from('x')) }, null);
    expect(exchange).toMatchObject({
      request: { body: { text: 'x' } },
      reason: { code: 'interrupted', fault: 'harness', message: 'the run was interrupted' },
    });
    expect(keys()).toEqual([]);
  });
});
