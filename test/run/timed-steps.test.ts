import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import { planRequests } from '../../src/check/plan-requests.ts';
import { isMeasurement, type Measurement } from '../../src/model/measurement.ts';
import type { Clock } from '../../src/model/probe.ts';
import type { TestResult } from '../../src/model/report.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { createReference } from '../../src/reference/contract.ts';
import { REFERENCE_SAMPLES } from '../../src/reference/functions.ts';
import type { OfferLoad } from '../../src/run/timing/load-attempt.ts';
import { checkHere } from '../check/check-here.ts';
import { described, echoing, offering, Refusal } from '../conforming/offering.ts';
import {
  type Answering,
  jsonAnswer,
  referenceWith,
  type ServedTarget,
  serve,
  type Writing,
  writePlainly,
} from '../conforming/serve.ts';
import { createTestTime, offerInTestTime, type ServerTime } from '../latency/test-time.ts';
import { loadText, suiteOf } from '../suite/loading.ts';

let served: ServedTarget | undefined;
afterEach(async () => {
  await served?.close();
});

/** The figures may be unreliable on a busy machine; these tests do not depend on that. */
const offerLoad = offerInTestTime(createTestTime());

const FEW = 8;

async function check(
  answer: Answering,
  options: CheckOptions = {},
  offer: OfferLoad = offerLoad,
  clock: Clock = systemClock,
): Promise<TestResult> {
  served = await serve(answer);
  return checkHere(
    served.url,
    {
      seed: 1,
      samples: REFERENCE_SAMPLES,
      only: ['performance/*'],
      ...options,
      latency: { samples: FEW, ...options.latency },
    },
    { signal: new AbortController().signal, offerLoad: offer, clock },
  );
}

const outcomesOf = ({ results }: TestResult): Readonly<Record<string, string>> =>
  Object.fromEntries(results.map(({ id, outcome }) => [id.replace('performance/', ''), outcome]));

const measuredIn = ({ responseTimes }: TestResult): readonly Measurement[] =>
  responseTimes.filter(isMeasurement);

const keysOf = (result: TestResult): readonly string[] => measuredIn(result).map(({ key }) => key);

/** Requests over a connection that stays open; each request of the probe closes its connection. */
const timedRequests = (): readonly string[] =>
  (served?.arrived ?? []).filter(({ headers }) => headers.connection !== 'close').map(({ path }) => path);

/** Without it, so few requests are sent in full before any call is timed. */
const withManyRequestsLeft: Writing = (response, answer, request) => {
  response.setHeader('ratelimit-remaining', '100000');
  return writePlainly(response, answer, request);
};

const reference = (form: 'A' | 'B' = 'B'): Answering => createReference({ form }).answer;

describe('timed calls', () => {
  test('are as many as requested for each operation, and stored as measurements', async () => {
    const result = await check(reference());
    const measured = measuredIn(result);
    expect(measured.map(({ operation, function: name }) => name ?? operation)).toEqual([
      'health',
      'capabilities',
      'current-time',
      'add',
      'divide',
      'greet',
      'price-order',
      'wait',
    ]);
    for (const one of measured) {
      expect(one).toMatchObject({ count: FEW, errors: 0, samples: FEW, unreliable: [], errorKinds: [] });
      expect(one.load).toMatchObject({ planned: FEW, transport: 'lean', stoppedBy: null });
      expect(Object.keys(one.intervals)).toEqual(['p50']);
    }
    expect(timedRequests()).toHaveLength(measured.length * FEW);
    // None of them is an exchange; only the ordinary call is.
    expect(result.exchanges.filter(({ request }) => request.key.startsWith('performance/'))).toHaveLength(
      measured.length,
    );
    expect(outcomesOf(result)).toEqual({
      'health-latency': 'passed',
      'capabilities-latency': 'passed',
      'execute-latency': 'passed',
      'error-rate': 'passed',
      'claimed-response-time': 'inapplicable',
    });
  });

  test('are judged identically again from the report', async () => {
    const result = await check(reference('A'), {
      claimedResponseTimeMs: 0,
      latency: { budgets: ['health.p50=1ms', 'execute.p99=1s', 'execute:nothing.p50=2x'] },
    });
    const saved = JSON.parse(JSON.stringify(result)) as TestResult;
    expect(JSON.stringify(await judgeReport(saved))).toBe(JSON.stringify(result));
  });

  test('run alone, one item at a time: while repeated reads wait, before negative steps', async () => {
    served = await serve(reference(), { write: withManyRequestsLeft });
    const own = loadText(
      suiteOf(`- { id: negative, phase: negative, request: { get: /negative }, expect: { status: { is: 404, id: negative } } }
- { id: first, request: { get: /health }, experiment: { timed-calls: 6 }, expect: { budget: { maxMs: 9000, id: one }, status: { is: 200, id: first } } }
- { id: second, request: { get: /capabilities }, experiment: { timed-calls: 6 }, expect: { budget: { maxMs: 9000, id: two }, status: { is: 200, id: second } } }
- { id: after, needs: [first], request: { get: /after }, expect: { status: { is: 404, id: after } } }
- { id: slow, request: { get: /slow }, repeat: { times: 3, apartMs: 50 }, expect: { status: { is: 404, id: slow } } }`),
    );
    const result = await checkHere(
      served.url,
      { suites: [own] },
      { signal: new AbortController().signal, offerLoad },
    );
    expect(result.verdict).toBe('pass');
    const paths = served.arrived.map(({ path }) => path);
    expect(paths.filter((each, index) => each !== paths[index - 1])).toEqual([
      '/slow',
      '/health',
      '/capabilities',
      '/after',
      '/slow',
      '/negative',
    ]);
  });

  test('that end the target leave a repeated read unsent, which is then no failure', async () => {
    let calls = 0;
    served = await serve(reference(), {
      write: withManyRequestsLeft,
      beforeBody: ({ url, socket }) => {
        if (url === '/capabilities') calls += 1;
        if (calls > 3) socket.destroy();
        return calls > 3;
      },
    });
    const own = loadText(
      suiteOf(`- { id: read, request: { get: /health }, repeat: { times: 2, apartMs: 50 }, expect: { status: { is: 200, id: read } } }
- { id: timed, request: { get: /capabilities }, experiment: { timed-calls: 6 }, expect: { budget: { maxMs: 9000, id: one }, status: { is: 200, id: timed } } }`),
    );
    const result = await checkHere(
      served.url,
      { suites: [own] },
      { signal: new AbortController().signal, offerLoad },
    );
    const outcomes = Object.fromEntries(result.results.map(({ id, outcome }) => [id, outcome]));
    expect(outcomes).toMatchObject({ 'mine/read': 'passed' });
    expect(result.exchanges.map(({ request }) => request.key)).not.toContain('mine/read#1');
  });

  test('have the content of the ordinary call and the headers of the user', async () => {
    const result = await check(reference(), {
      bearerToken: 'c4nary-0123456789',
      headers: { 'User-Agent': 'mine' },
      only: ['performance/execute-latency'],
    });
    expect(keysOf(result)).toHaveLength(6);
    const timed = (served?.arrived ?? []).filter(({ headers }) => headers.connection !== 'close');
    expect(timed).toHaveLength(6 * FEW);
    for (const { headers, method } of timed) {
      expect(headers).toMatchObject({
        authorization: 'Bearer c4nary-0123456789',
        'user-agent': 'mine',
        accept: 'application/json',
        'content-type': 'application/json',
      });
      expect(method).toBe('POST');
    }
    expect(JSON.stringify(result)).not.toContain('c4nary');
  });

  test('are left out with latency off, and so are their requirements', async () => {
    const result = await check(reference(), {
      only: [],
      skip: ['robustness/*', 'execute/*', 'errors/*', 'transport/*'],
      latency: { off: true },
    });
    expect(result.results.filter(({ id }) => id.startsWith('performance/'))).toEqual([]);
    expect(measuredIn(result)).toEqual([]);
    expect(timedRequests()).toEqual([]);
    await expect(check(reference(), { latency: { off: true } })).rejects.toThrow('`latency.off`');
  });

  test('are not added by a step that judges every answer', async () => {
    const result = await check(reference(), {
      only: ['security/no-stack-trace'],
      skip: ['robustness/*', 'transport/*'],
    });
    expect(outcomesOf(result)).toEqual({ 'security/no-stack-trace': 'passed' });
    expect(timedRequests()).toEqual([]);
  });

  test('of a run that only reads call no function', async () => {
    const result = await check(reference(), { readOnly: true });
    expect(keysOf(result)).toEqual(['performance/health', 'performance/capabilities']);
    expect(Object.keys(outcomesOf(result)).toSorted()).toEqual([
      'capabilities-latency',
      'error-rate',
      'health-latency',
    ]);
  });

  test('are counted by a plan, but not sent', async () => {
    served = await serve(reference());
    const plan = await planRequests(served.url, { latency: { samples: FEW } });
    expect(plan.timed.map(({ calls }) => calls)).toEqual(Array.from({ length: 8 }, () => FEW));
    expect(plan.timed[0]).toMatchObject({ key: 'performance/health', url: `${served.url}/health` });
    expect(served.arrived.map(({ path }) => path)).toEqual(['/capabilities']);
  });
});

describe('functions that cannot be called repeatedly', () => {
  const once = (name: string) => {
    let calls = 0;
    return {
      name,
      descriptor: described('B', [], ['done']),
      run: () => {
        calls += 1;
        if (calls > 1) throw new Refusal(409);
        return { done: 'yes' };
      },
    };
  };

  test('are not timed if the configuration names them, by name or glob', async () => {
    const offered = offering('B', [echoing('B', 'echo'), echoing('B', 'pay-now'), echoing('B', 'pay-later')]);
    const result = await check(offered, { samples: {}, mutating: { once: ['pay-*'] } });
    expect(keysOf(result).slice(2)).toEqual(['performance/execute[echo]@B']);
    const calls = (served?.arrived ?? []).filter(({ body }) => Buffer.from(body).includes('pay-'));
    // The one call of each that every check makes.
    expect(calls).toHaveLength(2);
    expect(outcomesOf(result)['execute-latency']).toBe('passed');
  });

  test('are inapplicable if the configuration names all of them', async () => {
    const offered = offering('B', [echoing('B', 'echo')]);
    const result = await check(offered, { samples: {}, mutating: { once: ['*'] } });
    expect(outcomesOf(result)).toMatchObject({ 'execute-latency': 'inapplicable', 'error-rate': 'passed' });
  });

  test('are not called again if they refuse that, without a finding', async () => {
    const result = await check(offering('B', [once('ballot'), echoing('B', 'echo')]), { samples: {} });
    expect(keysOf(result).slice(2)).toEqual(['performance/execute[echo]@B']);
    expect(outcomesOf(result)).toMatchObject({ 'execute-latency': 'passed', 'error-rate': 'passed' });
    expect(result.facts).toContainEqual({
      name: 'restraint',
      text: expect.stringContaining('ballot (may change something, as observed): at most 10 calls of each'),
    });
    const saved = JSON.parse(JSON.stringify(result)) as TestResult;
    expect(await judgeReport(saved)).toEqual(result);
  });

  test('with some refused timed calls leave the error rate undecided, with advice', async () => {
    let calls = 0;
    const limited = {
      name: 'ballot',
      descriptor: described('B', [], ['done']),
      run: () => {
        calls += 1;
        if (calls > 5) throw new Refusal(409);
        return { done: 'yes' };
      },
    };
    const result = await check(offering('B', [limited]), {
      samples: {},
      mutating: { allow: ['*'] },
      only: ['performance/error-rate'],
    });
    expect(outcomesOf(result)).toEqual({ 'error-rate': 'undecided' });
    expect(result.findings[0]).toMatchObject({
      fault: 'harness',
      fix: expect.stringContaining('mutating: once'),
      where: { function: 'ballot' },
    });
  });

  test('whose sample is expected to fail are not timed', async () => {
    const failing = {
      name: 'explode',
      descriptor: described('B', ['fuse'], ['bang']),
      run: (input: Readonly<Record<string, unknown>>) => {
        if (input.fuse === 'lit')
          throw new Refusal(500, { error: { code: 'EXECUTION_ERROR', message: 'Bang.' } });
        return { bang: 'no' };
      },
    };
    const result = await check(offering('B', [failing]), {
      mutating: { allow: ['*'] },
      samples: { explode: [{ input: { fuse: 'lit' }, fails: true }, { input: { fuse: 'out' } }] },
    });
    expect(outcomesOf(result)).toMatchObject({ 'error-rate': 'passed', 'execute-latency': 'passed' });
    const bodies = (served?.arrived ?? [])
      .filter(({ headers, path }) => headers.connection !== 'close' && path === '/execute')
      .map(({ body }) => Buffer.from(body).toString());
    expect(bodies).toHaveLength(FEW);
    expect(bodies.filter((body) => body.includes('lit'))).toEqual([]);
  });
});

describe('a target with a rate limiter', () => {
  test('gets no more calls after the first 429, and nothing is decided', async () => {
    let timed = 0;
    const limiting = referenceWith('B', (answer, { headers, path }) => {
      if (headers.connection === 'close' || path !== '/health') return answer;
      timed += 1;
      return timed > 2 ? jsonAnswer(429, { error: { code: 'RATE_LIMITED', message: 'Slower.' } }) : answer;
    });
    const result = await check(limiting, { latency: { samples: 200 }, only: ['performance/health-latency'] });
    expect(outcomesOf(result)).toEqual({ 'health-latency': 'undecided' });
    expect(result.findings[0]).toMatchObject({ fault: 'server', received: 'status 429' });
    const [health] = measuredIn(result);
    expect(health?.load.stoppedBy).toContain('429');
    expect(timedRequests()).toHaveLength(3);
  });

  test('gets no more requests a second than the user allows', async () => {
    const options = { requestsPerSecond: 10, only: ['performance/capabilities-latency'] };
    const result = await check(reference(), options);
    // A server on a busy machine is timed at less.
    const ratePerSecond = expect.toSatisfy((rate: number) => rate <= 10);
    expect(measuredIn(result)[0]?.load.model).toMatchObject({ ratePerSecond, maxConnections: 1 });
  });
});

describe('unreliable figures', () => {
  const doubtful =
    (failingAttempts: number, calls: { count: number }): OfferLoad =>
    async (plan, options, signal) => {
      const result = await offerLoad(plan, options, signal);
      if (plan.model.kind === 'closed') return result;
      calls.count += 1;
      return { ...result, doubts: calls.count <= failingAttempts ? ['the client was late'] : [] };
    };

  test('are measured again up to twice', async () => {
    const calls = { count: 0 };
    const only = ['performance/health-latency'];
    // A busy machine has no time for three of them.
    const result = await check(reference(), { only }, doubtful(2, calls), clockOf(createTestTime()));
    expect(calls.count).toBe(3);
    expect(outcomesOf(result)).toEqual({ 'health-latency': 'passed' });
    expect(measuredIn(result)[0]).toMatchObject({ unreliable: [], load: { attempts: 3 } });
  });

  test('of a target that falls behind are replaced by few calls when the time for repetitions is over', async () => {
    const planned: (number | null)[] = [];
    const behind: OfferLoad = async (plan, options, signal) => {
      if (plan.model.kind === 'open') {
        planned.push(plan.maxRequests);
        // Two repetitions take longer than all of a check may.
        await delay(800);
      }
      return { ...(await offerLoad(plan, options, signal)), fellBehind: true };
    };
    const result = await check(reference(), { readOnly: true }, behind);
    expect(planned.slice(-3)).toEqual([FEW, 6, 6]);
    expect(measuredIn(result).map(({ load }) => load.attempts)).toEqual([3, 3]);
  });

  test('that stay unreliable leave budgets of the user undecided, with the reason', async () => {
    const calls = { count: 0 };
    const options = { only: ['performance/*'], readOnly: true, latency: { budgets: ['health.p50=1ms'] } };
    const result = await check(reference(), options, doubtful(99, calls), clockOf(createTestTime()));
    expect(calls.count).toBe(6);
    expect(outcomesOf(result)).toEqual({
      'health-latency': 'undecided',
      // Even late figures are well within the default.
      'capabilities-latency': 'passed',
      // Whether calls were answered does not depend on their times.
      'error-rate': 'passed',
    });
    expect(result.findings[0]).toMatchObject({
      fault: 'harness',
      message: expect.stringContaining('the client was late'),
    });
    expect(result.verdict).toBe('incomplete');
  });

  test('after an error of the engine decide nothing and do not end the run', async () => {
    const result = await check(reference(), { readOnly: true }, async () => {
      throw new Error('no more sockets');
    });
    expect(outcomesOf(result)).toEqual({
      'health-latency': 'undecided',
      'capabilities-latency': 'undecided',
      'error-rate': 'undecided',
    });
    expect(JSON.stringify(result.findings)).toContain('no more sockets');
  });
});

/** A clock that only a slow server advances, so that the deadline comes after a number of answers. */
function clockOf(time: ServerTime): Clock {
  const startedAtMs = Date.now();
  return {
    nowMs: () => startedAtMs + time.nowMs(),
    monotonicMs: time.nowMs,
    sleep: (durationMs) => time.pass(durationMs),
  };
}

const MINUTE_MS = 60_000;
const TIMED_MS = 400;

describe('the end of the run', () => {
  test('leaves steps without time undecided, and is judged identically again', async () => {
    // The server can handle two calls in a minute, so six are too many for the deadline.
    const suites = [
      loadText(
        suiteOf(`- id: slow
  request: { get: /health }
  experiment: timed-calls
  expect: { budget: { of: health, id: fast }, status: { is: 200, id: well } }`),
      ),
    ];
    const time = createTestTime();
    const slow = referenceWith('B', async (answer) => {
      await time.pass(MINUTE_MS);
      return answer;
    });
    const options = { suites, only: [], deadlineMs: 3.5 * MINUTE_MS };
    const result = await check(slow, options, offerInTestTime(time), clockOf(time));
    expect(outcomesOf(result)).toEqual({ 'mine/well': 'passed', 'mine/fast': 'undecided' });
    expect(measuredIn(result)).toEqual([]);
    expect(result.findings[0]).toMatchObject({
      fault: 'harness',
      fix: expect.stringContaining('--deadline'),
    });
    expect(result.facts).toContainEqual({ name: 'not timed', text: 'mine/slow: there was no time left' });
    const saved = JSON.parse(JSON.stringify(result)) as TestResult;
    expect(await judgeReport(saved, suites)).toEqual(result);
  });

  test('leaves out and reports the last of many functions, and decides the others', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
    const offered = offering(
      'B',
      names.map((name) => echoing('B', name)),
    );
    const time = createTestTime();
    const slow: Answering = async (request) => {
      const answer = await offered(request);
      const isTimed = request.headers.connection !== 'close';
      if (request.path === '/execute') await time.pass(isTimed ? TIMED_MS : MINUTE_MS);
      return answer;
    };
    const result = await check(
      slow,
      {
        samples: {},
        mutating: { allow: ['*'] },
        only: ['performance/execute-latency', 'performance/error-rate'],
        // Each function gets two ordinary calls, the second just before its timed ones. Timing starts only if six calls
        // of that duration still fit, which is true for the first few functions.
        deadlineMs: 31.5 * MINUTE_MS,
        concurrency: 1,
        latency: { budgets: [] },
      },
      offerInTestTime(time),
      clockOf(time),
    );
    const timed = measuredIn(result).flatMap((one) => one.function ?? []);
    expect(timed.length).toBeGreaterThan(0);
    expect(timed.length).toBeLessThan(names.length);
    expect(outcomesOf(result)).toEqual({ 'execute-latency': 'passed', 'error-rate': 'passed' });
    const left = names.filter((name) => !timed.includes(name)).join(', ');
    expect(result.facts).toContainEqual({ name: 'not timed', text: `${left}: there was no time left` });
    const saved = JSON.parse(JSON.stringify(result)) as TestResult;
    expect(await judgeReport(saved)).toEqual(result);
  });
});
