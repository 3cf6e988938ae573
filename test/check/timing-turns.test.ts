import { afterEach, describe, expect, test } from 'vitest';
import { checkServer } from '../../src/check/check-server.ts';
import { startCountdown } from '../../src/check/threads/countdown.ts';
import { isMeasurement } from '../../src/model/measurement.ts';
import type { Clock } from '../../src/model/probe.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { createReference } from '../../src/reference/contract.ts';
import { createRunTurns, type Turns } from '../../src/run/run-turns.ts';
import { type Answering, type ArrivedRequest, type ServedTarget, serve } from '../conforming/serve.ts';
import { PATIENT } from '../patience.ts';
import { kindOf } from '../row-kind.ts';
import { checkHere } from './check-here.ts';

const served: ServedTarget[] = [];
afterEach(async () => {
  for (const { close } of served.splice(0)) await close();
});

interface Watched {
  readonly url: string;
  /** The timed calls, in the order of their arrival. */
  readonly timed: readonly string[];
}

/** Each request of the probe closes its connection; those of the load engine keep it open. */
function isTimed({ headers }: ArrivedRequest): boolean {
  return headers.connection !== 'close';
}

/** @param timed receives the timed calls */
async function watched(
  answer: Answering = createReference({ form: 'B' }).answer,
  timed: string[] = [],
): Promise<Watched> {
  const target = await serve((request) => {
    if (isTimed(request)) timed.push(`${target.url} ${request.method} ${request.path} ${request.body}`);
    return answer(request);
  });
  served.push(target);
  return { url: target.url, timed };
}

function signal(): readonly [signalled: Promise<void>, give: () => void] {
  let give: () => void = () => undefined;
  const signalled = new Promise<void>((resolve) => {
    give = resolve;
  });
  return [signalled, give];
}

/** @param onWait called when the run waits for others */
function watchedTurns(seen: string[], onWait: () => void = () => undefined): Turns {
  const wait = async (what: string): Promise<void> => {
    onWait();
    seen.push(what);
  };
  return { rest: () => void seen.push('rests'), work: () => wait('works'), time: () => wait('times') };
}

const TIMED = { ...PATIENT, only: ['performance/*'], latency: { samples: 10 } } as const;

describe('several checks in one process', () => {
  test('time their targets one after another', async () => {
    const timed: string[] = [];
    const targets = await Promise.all([1, 2, 3].map(() => watched(undefined, timed)));
    await Promise.all(targets.map(({ url }) => checkServer(url, TIMED)));
    for (const { url } of targets)
      expect(timed.filter((call) => call.startsWith(`${url} `)).length).toBeGreaterThan(20);
    const changes = timed.filter((call, index) => index > 0 && call !== timed[index - 1]);
    expect(changes).toHaveLength(new Set(timed).size - 1);
  });

  test('a target that hangs while it is timed lets the others be timed, and is judged by the call that hung', async () => {
    const reference = createReference({ form: 'B' });
    const [isHanging, hang] = signal();
    const [othersAreDone, release] = signal();
    const hanging = await watched(async (request) => {
      if (isTimed(request)) {
        hang();
        await othersAreDone;
      }
      return reference.answer(request);
    });
    const others = await Promise.all([watched(), watched(), watched()]);
    const only = ['performance/health-latency'];
    const ended: string[] = [];
    const hung = checkServer(hanging.url, { ...TIMED, only, deadlineMs: 60_000 }).finally(() =>
      ended.push('hanging'),
    );
    await isHanging;
    const checked = await Promise.all(
      others.map(({ url }) => checkServer(url, { ...TIMED, only }).finally(() => ended.push('other'))),
    );
    release();
    const { results, responseTimes } = await hung;
    expect(ended).toEqual(['other', 'other', 'other', 'hanging']);
    for (const { timed } of others) expect(timed.length).toBeGreaterThanOrEqual(10);
    for (const one of checked) expect(one.results.map(kindOf)).not.toContain('blocked');
    expect(results.map(kindOf)).not.toContain('blocked');
    const [measured] = responseTimes.filter(({ operation }) => operation === 'health');
    expect(measured).toMatchObject({ errors: 0 });
    expect(measured?.maxMs).toBeGreaterThanOrEqual(1000);
  });

  test('a target that hangs while it is timed spends only its own deadline', async () => {
    const reference = createReference({ form: 'B' });
    const hanging = await watched((request) =>
      request.headers.connection === 'close' ? reference.answer(request) : new Promise(() => undefined),
    );
    const other = await watched();
    const only = ['performance/health-latency'];
    const [hung, timed] = await Promise.all([
      checkServer(hanging.url, { ...TIMED, only, deadlineMs: 3000 }),
      checkServer(other.url, { ...TIMED, only }),
    ]);
    expect(hung.verdict).not.toBe('pass');
    expect(timed.results.map(kindOf)).not.toContain('blocked');
    expect(other.timed.length).toBeGreaterThanOrEqual(10);
  });

  test('an interrupted check does not wait for its turn', async () => {
    const reference = createReference({ form: 'B' });
    const [hasBegun, begin] = signal();
    const slow = await watched(async (request) => {
      if (request.headers.connection === 'close') return reference.answer(request);
      begin();
      return new Promise(() => undefined);
    });
    const interrupt = new AbortController();
    const first = checkServer(slow.url, { ...TIMED, signal: interrupt.signal });
    await hasBegun;
    const second = await watched();
    const waiting = checkServer(second.url, {
      ...TIMED,
      signal: interrupt.signal,
      onProgress: ({ answered }) => {
        if (answered > 0) interrupt.abort();
      },
    });
    const results = await Promise.all([first, waiting]);
    for (const { verdict } of results) expect(verdict).toBe('incomplete');
    expect(second.timed).toEqual([]);
  });
});

describe('the wait for a turn', () => {
  test('is not counted in the deadline of the run', async () => {
    const target = await watched();
    let waitedMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + waitedMs };
    const turns: string[] = [];
    const { results, exchanges } = await checkHere(
      target.url,
      { ...TIMED, only: ['performance/health-latency', 'health/uptime-monotonic'] },
      {
        signal: new AbortController().signal,
        clock,
        turns: watchedTurns(turns, () => {
          waitedMs += 10 * PATIENT.deadlineMs;
        }),
      },
    );
    // So few requests come in full before any call is timed.
    expect(turns).toEqual(['rests', 'works', 'rests', 'times', 'rests', 'works']);
    expect(target.timed.length).toBeGreaterThanOrEqual(10);
    expect(results.map(kindOf)).not.toContain('blocked');
    // A read whose repetition waits for the timed calls may be sent after them.
    expect(exchanges.find(({ request }) => request.key === 'health/read#1')).toMatchObject({
      kind: 'answered',
    });
  });

  test('comes once for all timed calls of a target', async () => {
    const target = await watched();
    const turns: string[] = [];
    // A clock that stands still, because a long turn is given up for a moment.
    const clock: Clock = { ...systemClock, monotonicMs: () => 0 };
    const { responseTimes } = await checkHere(target.url, TIMED, {
      signal: new AbortController().signal,
      clock,
      turns: watchedTurns(turns),
    });
    expect(responseTimes.filter(isMeasurement)).toHaveLength(8);
    expect(turns).toEqual(['rests', 'works', 'rests', 'times', 'rests', 'works']);
  });

  test('lets others be timed after two seconds', async () => {
    let nowMs = 0;
    const seen: string[] = [];
    const waited: number[] = [];
    const taking = watchedTurns(seen, () => {
      nowMs += 100;
    });
    const turns = createRunTurns(taking, { ...systemClock, monotonicMs: () => nowMs }, (ms) =>
      waited.push(ms),
    );
    await turns.time();
    nowMs += 1999;
    await turns.time();
    expect(seen).toEqual(['rests', 'times']);
    nowMs += 1;
    await turns.time();
    expect(seen).toEqual(['rests', 'times', 'rests', 'times']);
    turns.giveWay();
    turns.giveWay();
    await Promise.all([turns.work(), turns.work()]);
    expect(seen.slice(4)).toEqual(['rests', 'works']);
    expect(waited).toEqual([100, 100, 100]);
  });

  test('is left out if nothing is timed', async () => {
    const target = await watched();
    const turns: string[] = [];
    await checkHere(
      target.url,
      { ...PATIENT, only: ['health/*'] },
      {
        signal: new AbortController().signal,
        turns: watchedTurns(turns),
      },
    );
    expect(turns).toEqual(['rests', 'works']);
  });

  test('stops the deadline of the thread', async () => {
    let nowMs = 0;
    const sleeps: { readonly durationMs: number; readonly wake: () => void }[] = [];
    const clock: Clock = {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      sleep: (durationMs) =>
        new Promise((wake) => {
          sleeps.push({ durationMs, wake });
        }),
    };
    const ends: string[] = [];
    const countdown = startCountdown(1000, clock, new AbortController().signal, () => ends.push('over'));
    nowMs = 400;
    countdown.pause();
    nowMs = 5000;
    sleeps[0]?.wake();
    await Promise.resolve();
    expect(ends).toEqual([]);
    countdown.resume();
    expect(sleeps[1]?.durationMs).toBe(600);
    sleeps[1]?.wake();
    await Promise.resolve();
    expect(ends).toEqual(['over']);
  });
});
