import { afterAll, describe, expect, test } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import { judgeReport } from '../../src/check/judge-report.ts';
import { planRequests } from '../../src/check/plan-requests.ts';
import { isMeasurement } from '../../src/model/measurement.ts';
import type { TestResult } from '../../src/model/report.ts';
import { transientDoubts } from '../../src/report/baseline-standing.ts';
import { checkHere } from '../check/check-here.ts';
import { described, echoing, type OfferedFunction, offering, Refusal } from '../conforming/offering.ts';
import { type Answering, type Members, type ServedTarget, serve } from '../conforming/serve.ts';
import { createTestTime, offerInTestTime } from '../latency/test-time.ts';
import { PATIENT } from '../patience.ts';

const servers: ServedTarget[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
});

async function served(answer: Answering): Promise<ServedTarget> {
  const server = await serve(answer);
  servers.push(server);
  return server;
}

const SAMPLES = 8;

interface Checked {
  readonly result: TestResult;
  /** Received calls of a function, including those with invalid input. */
  readonly callsOf: (name: string) => number;
}

async function check(answer: Answering, options: CheckOptions = {}): Promise<Checked> {
  const { url, arrived } = await served(answer);
  const result = await checkHere(
    url,
    { seed: 7, latency: { samples: SAMPLES }, ...PATIENT, ...options },
    // Which functions are timed, and how often, does not depend on the pace of the calls.
    { signal: new AbortController().signal, offerLoad: offerInTestTime(createTestTime()) },
  );
  const callsOf = (name: string): number =>
    arrived.filter(({ path, body }) => {
      if (path !== '/execute') return false;
      return (
        Buffer.from(body).includes(`"function":"${name}"`) ||
        Buffer.from(body).includes(`"function": "${name}"`)
      );
    }).length;
  return { result, callsOf };
}

function outcomesOf({ results }: TestResult, ...ids: readonly string[]): readonly string[] {
  return ids.map((id) => results.find((row) => row.id === id)?.outcome ?? 'missing');
}

const failedIn = ({ results }: TestResult): readonly string[] =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);

/** Without findings that a busy machine leaves undecided: these tests are about calls, not times. */
const undecidedIn = (result: TestResult): readonly string[] => {
  const doubts = transientDoubts(result);
  return result.results
    .filter(({ id, outcome }) => outcome === 'undecided' && !doubts.has(id))
    .map(({ id }) => id);
};

const factOf = ({ facts }: TestResult): string | undefined =>
  facts.find(({ name }) => name === 'restraint')?.text;

/** Stores a line and answers with all lines. */
function diary(form: 'A' | 'B', name: string, parts: Partial<OfferedFunction> = {}): OfferedFunction {
  const lines: string[] = [];
  return {
    name,
    descriptor: described(form, ['text'], ['lines']),
    run: ({ text }) => {
      lines.push(String(text));
      return { lines: lines.join('\n') };
    },
    ...parts,
  };
}

// Mostly they wait, for the repeated reads of a check.
describe.concurrent.each(['A', 'B'] as const)('a function that changes something, form %s', (form) => {
  test('is called up to ten times and never timed, which the report explains', async () => {
    const { result, callsOf } = await check(
      offering(form, [diary(form, 'addLine'), echoing(form, 'getEcho')]),
    );
    expect(callsOf('addLine')).toBeLessThanOrEqual(10);
    expect(callsOf('getEcho')).toBeGreaterThan(SAMPLES);
    expect(failedIn(result)).toEqual(['documentation/examples']);
    const timed = result.responseTimes.filter(isMeasurement).map((one) => one.function);
    expect(timed).toContain('getEcho');
    expect(timed).not.toContain('addLine');
    expect(factOf(result)).toContain(
      'addLine (may change something, by name, description or annotations): at most 10 calls of each',
    );
    expect(factOf(result)).toContain('--mutating allow');
    const saved = JSON.parse(JSON.stringify(result)) as TestResult;
    expect(await judgeReport(saved)).toEqual(result);
  });

  test('is called only that often even if it is the only function', async () => {
    const { result, callsOf } = await check(offering(form, [diary(form, 'addLine')]));
    expect(callsOf('addLine')).toBeLessThanOrEqual(10);
    expect(failedIn(result)).toEqual(['documentation/examples']);
    expect(undecidedIn(result)).toEqual([]);
    expect(outcomesOf(result, 'execute/concurrent-isolation', 'performance/execute-latency')).toEqual([
      'inapplicable',
      'inapplicable',
    ]);
    expect(outcomesOf(result, 'execute/status-200', 'execute/authorization-tolerated')).toEqual([
      'passed',
      'passed',
    ]);
  });

  test('is not called, or called without limits, if configured', async () => {
    const functions = (): readonly OfferedFunction[] => [diary(form, 'addLine'), echoing(form, 'getEcho')];
    const never = await check(offering(form, functions()), { mutating: { default: 'never' } });
    expect(never.callsOf('addLine')).toBe(0);
    expect(factOf(never.result)).toContain('not called');
    const allowed = await check(offering(form, functions()), { mutating: { allow: ['add*'] } });
    expect(allowed.callsOf('addLine')).toBeGreaterThan(SAMPLES);
    expect(factOf(allowed.result)).toBeUndefined();
  });

  test('follows the strictest policy, whatever its name', async () => {
    const functions = [echoing(form, 'getEcho'), echoing(form, 'getOther')];
    const { result, callsOf } = await check(offering(form, functions), {
      mutating: { never: ['getO*'], once: ['get*'], allow: ['*'] },
    });
    expect(callsOf('getOther')).toBe(0);
    expect(callsOf('getEcho')).toBeLessThanOrEqual(10);
    expect(factOf(result)).toContain('getEcho (named in the configuration): at most 10 calls');
  });

  test('is recognised by its annotations', async () => {
    const hinted = (name: string, readOnlyHint: boolean): OfferedFunction => {
      const fn = echoing(form, name);
      return { ...fn, descriptor: { ...fn.descriptor, annotations: { readOnlyHint } } };
    };
    const { callsOf } = await check(
      offering(form, [hinted('deleteNothing', true), hinted('getAndBill', false)]),
    );
    expect(callsOf('deleteNothing')).toBeGreaterThan(SAMPLES);
    expect(callsOf('getAndBill')).toBeLessThanOrEqual(10);
  });

  test('is recognised by its answers, and by those of a function that reads', async () => {
    let kept = 'nothing';
    const keeping: OfferedFunction = {
      name: 'blorb',
      descriptor: described(form, ['text'], ['said']),
      run: ({ text }) => {
        kept += '.';
        return { said: String(text) };
      },
    };
    const reading: OfferedFunction = {
      name: 'getKept',
      descriptor: described(form, [], ['kept']),
      run: () => ({ kept }),
    };
    const { result, callsOf } = await check(offering(form, [keeping, reading, diary(form, 'frobnicate')]));
    expect(callsOf('blorb')).toBeLessThanOrEqual(10);
    expect(callsOf('frobnicate')).toBeLessThanOrEqual(10);
    expect(factOf(result)).toContain('blorb, frobnicate (may change something, as observed)');
  });

  test('is any function that does not show that it only reads; one that computes from its input is harmless', async () => {
    const pushing: OfferedFunction = {
      name: 'blorb',
      descriptor: described(form, ['text'], ['done']),
      run: () => ({ done: 'yes' }),
    };
    const { result, callsOf } = await check(offering(form, [pushing, echoing(form, 'slugify')]));
    expect(callsOf('blorb')).toBeLessThanOrEqual(10);
    expect(callsOf('slugify')).toBeGreaterThan(SAMPLES);
    expect(factOf(result)).toContain('blorb (nothing shows that it only reads)');
  });

  test('is shown by a plan', async () => {
    const { url } = await served(offering(form, [diary(form, 'addLine'), echoing(form, 'getEcho')]));
    const plan = await planRequests(url, {});
    expect(plan.restrained).toEqual([{ functionName: 'addLine', policy: 'once', because: 'looks' }]);
    expect(plan.timed.map(({ key }) => key)).toEqual([
      'performance/health',
      'performance/capabilities',
      `performance/execute[getEcho]@${form}`,
    ]);
    expect(plan.requests.filter(({ body }) => body?.includes('addLine')).length).toBeLessThanOrEqual(10);
  });
});

const MAX_WAIT_MS = 200;

/** Holds each call until another one arrives, so that they overlap on any machine. Returns how many overlapped. */
function overlapping(answering: Answering): { readonly answer: Answering; readonly most: () => number } {
  const waiting = new Set<() => void>();
  let [inFlight, most] = [0, 0];
  return {
    most: () => most,
    answer: async (request) => {
      if (request.path !== '/execute') return answering(request);
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, MAX_WAIT_MS);
        for (const pass of waiting) pass();
        waiting.clear();
        if (inFlight > 1) {
          clearTimeout(timer);
          return resolve();
        }
        waiting.add(resolve);
      });
      inFlight -= 1;
      return answering(request);
    },
  };
}

describe.concurrent('a function that creates something', () => {
  const only = { only: ['execute/concurrent-isolation'] };
  const notes = (name: string): OfferedFunction => {
    let count = 0;
    return {
      name,
      descriptor: described('B', ['text'], ['id', 'text']),
      run: ({ text }) => {
        count += 1;
        return { id: `note-${count}`, text };
      },
    };
  };

  test('is called twice at the same moment, each time with another input', async () => {
    const { answer, most } = overlapping(offering('B', [notes('createNote')]));
    const { result, callsOf } = await check(answer, only);
    expect(most()).toBe(2);
    expect(callsOf('createNote')).toBeLessThanOrEqual(10);
    expect(outcomesOf(result, 'execute/concurrent-isolation')).toEqual(['passed']);
    expect(await judgeReport(JSON.parse(JSON.stringify(result)) as TestResult)).toEqual(result);
  });

  test.each([
    ['is limited by name', 'createNote', { mutating: { once: ['createNote'] } }],
    ['may not be called', 'createNote', { mutating: { default: 'never' } }],
    ['is called with a concurrency of one', 'createNote', { concurrency: 1 }],
    ['may replace what exists', 'putNote', {}],
    ['changes what exists', 'updateNote', {}],
  ] as const)('is not if it %s', async (_, name, options) => {
    const { answer, most } = overlapping(offering('B', [notes(name)]));
    const { result } = await check(answer, { ...only, ...options });
    expect(most()).toBeLessThanOrEqual(1);
    expect(outcomesOf(result, 'execute/concurrent-isolation')).toEqual(['inapplicable']);
  });
});

describe.concurrent('a call that succeeded before and is refused', () => {
  const taken = (form: 'A' | 'B', name: string): OfferedFunction => {
    const names = new Set<string>();
    return {
      name,
      descriptor: described(form, ['name'], ['name'], [{ input: { name: 'ada' } }]),
      run: ({ name: wanted }) => {
        if (names.has(String(wanted)))
          throw new Refusal(409, { error: { code: 'NAME_TAKEN', message: `${wanted} is taken.` } });
        names.add(String(wanted));
        return { name: String(wanted) };
      },
    };
  };

  test.each(['A', 'B'] as const)(
    'because the name is taken is repeated with another name, form %s',
    async (form) => {
      const answer = offering(form, [taken(form, 'createAccount')]);
      for (const seed of [7, 8]) {
        const { result, callsOf } = await check(answer, { seed });
        expect([failedIn(result), undecidedIn(result)]).toEqual([[], []]);
        expect(callsOf('createAccount')).toBeLessThanOrEqual(10);
      }
    },
  );

  test('because its supply is used up is undecided, with advice', async () => {
    let left = 1;
    const stock: OfferedFunction = {
      name: 'redeemCoupon',
      descriptor: described('B', ['code'], ['value'], [{ input: { code: 'WELCOME' } }]),
      run: ({ code }) => {
        if (code !== 'WELCOME' || left === 0)
          throw new Refusal(409, { error: { code: 'USED_UP', message: 'Not any more.' } });
        left -= 1;
        return { value: '10' };
      },
    };
    const { result, callsOf } = await check(offering('B', [stock]));
    expect(failedIn(result)).toEqual([]);
    expect(outcomesOf(result, 'execute/request-id-optional', 'execute/authorization-tolerated')).toEqual([
      'undecided',
      'undecided',
    ]);
    expect(result.findings.map(({ message }) => message)).toContain(
      '"redeemCoupon" was answered once, but refuses further calls',
    );
    expect(result.findings.find(({ id }) => id === 'execute/request-id-optional')?.fix).toContain(
      'redeemCoupon',
    );
    expect(callsOf('redeemCoupon')).toBeLessThanOrEqual(10);
  });

  test.each([
    [
      'a requestId that is not optional',
      'execute/request-id-optional',
      (body: Members) => body.requestId === undefined,
    ],
  ])('because of %s is a failure, even of a function that changes something', async (_what, row, refuses) => {
    const answer = offering('B', [taken('B', 'createAccount')]);
    const { result, callsOf } = await check(async (request) => {
      const body = request.path === '/execute' ? (parsed(request.body) ?? {}) : {};
      if (request.path === '/execute' && body.function === 'createAccount' && refuses(body))
        return {
          status: 400,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ error: { code: 'INVALID', message: 'No requestId.' } }),
        };
      return answer(request);
    });
    expect(failedIn(result)).toEqual([row]);
    expect(callsOf('createAccount')).toBeLessThanOrEqual(10);
  });

  function parsed(body: Uint8Array): Members | null {
    try {
      return JSON.parse(Buffer.from(body).toString()) as Members;
    } catch {
      return null;
    }
  }
});

describe.concurrent('an input of short numbers', () => {
  test('whose answer only repeats it may have stored it: it is called up to ten times', async () => {
    const parameters = {
      type: 'object',
      properties: {
        room: { type: 'integer', minimum: 1, maximum: 2, description: 'the room' },
        degrees: { type: 'number', minimum: 5, maximum: 30, description: 'the temperature' },
      },
      required: ['room', 'degrees'],
    };
    const { result, callsOf } = await check(
      offering('B', [
        {
          name: 'thermostat',
          description: 'Target temperature for a room.',
          descriptor: { parameters, returns: parameters },
          run: ({ room, degrees }) => ({ room, degrees }),
        },
      ]),
    );
    expect(failedIn(result)).toEqual(['documentation/examples']);
    expect(callsOf('thermostat')).toBeLessThanOrEqual(10);
    expect(result.responseTimes.filter(isMeasurement).map((one) => one.function)).not.toContain('thermostat');
  });
});

describe.concurrent('timed calls that fail', () => {
  const failing = (fails: (call: number) => boolean): OfferedFunction => {
    let calls = 0;
    return {
      name: 'getTicket',
      descriptor: described('B', ['show'], ['seat'], [{ input: { show: 'Hamlet' } }]),
      run: ({ show }) => {
        calls += 1;
        if (fails(calls))
          throw new Refusal(500, { error: { code: 'EXECUTION_ERROR', message: 'Sold out.' } });
        return { seat: `${show}` };
      },
    };
  };

  test('because the supply of the function is used up are undecided', async () => {
    const { result } = await check(offering('B', [failing((call) => call > 40)]), {
      latency: { samples: 75 },
      only: ['performance/error-rate'],
    });
    expect(outcomesOf(result, 'performance/error-rate')).toEqual(['undecided']);
    expect(await judgeReport(JSON.parse(JSON.stringify(result)) as TestResult)).toEqual(result);
  });

  test('occasionally are failures', async () => {
    const { result } = await check(offering('B', [failing((call) => call > 30 && call % 3 === 0)]), {
      latency: { samples: 75 },
      only: ['performance/error-rate'],
    });
    expect(outcomesOf(result, 'performance/error-rate')).toEqual(['failed']);
  });
});
