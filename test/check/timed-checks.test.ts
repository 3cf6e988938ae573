import { afterEach, describe, expect, test } from 'vitest';
import { checkServer } from '../../src/check/threads/check-server.ts';
import { Deadline } from '../../src/check/threads/deadline.ts';
import { isMeasurement } from '../../src/model/measurement.ts';
import type { Clock } from '../../src/model/probe.ts';
import { systemClock } from '../../src/probe/system-clock.ts';
import { createReference } from '../../src/reference/contract.ts';
import type { Lock } from '../../src/run/state/run-input.ts';
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

/**
 * @param seen receives what the run does with the lock; that it wants again what it holds is left out
 * @param onWait called when the run waits for others
 */
function watchedLock(seen: string[], onWait: () => void = () => undefined): Lock {
  return {
    acquire: async (mode) => {
      if (seen.at(-1) === mode) return;
      onWait();
      seen.push(mode);
    },
    release: () => void seen.push('released'),
  };
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

describe('the wait for the lock', () => {
  test('is not counted in the deadline of the run', async () => {
    const target = await watched();
    let waitedMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + waitedMs };
    const seen: string[] = [];
    const { results, exchanges } = await checkHere(
      target.url,
      { ...TIMED, only: ['performance/health-latency', 'health/uptime-monotonic'] },
      {
        signal: new AbortController().signal,
        clock,
        lock: watchedLock(seen, () => {
          waitedMs += 10 * PATIENT.deadlineMs;
        }),
      },
    );
    // So few requests come in full before any call is timed.
    expect(seen).toEqual(['released', 'shared', 'exclusive', 'released', 'shared']);
    expect(target.timed.length).toBeGreaterThanOrEqual(10);
    expect(results.map(kindOf)).not.toContain('blocked');
    // A read whose repetition waits for the timed calls may be sent after them.
    expect(exchanges.find(({ request }) => request.key === 'health/read#1')).toMatchObject({
      kind: 'answered',
    });
  });

  test('comes once for all timed calls of a target', async () => {
    const target = await watched();
    const seen: string[] = [];
    // A clock that stands still, because a long turn is given up for a moment.
    const clock: Clock = { ...systemClock, monotonicMs: () => 0 };
    const { responseTimes } = await checkHere(target.url, TIMED, {
      signal: new AbortController().signal,
      clock,
      lock: watchedLock(seen),
    });
    expect(responseTimes.filter(isMeasurement)).toHaveLength(8);
    expect(seen).toEqual(['released', 'shared', 'exclusive', 'released', 'shared']);
  });

  test('is short if nothing is timed', async () => {
    const target = await watched();
    const seen: string[] = [];
    await checkHere(
      target.url,
      { ...PATIENT, only: ['health/*'] },
      {
        signal: new AbortController().signal,
        lock: watchedLock(seen),
      },
    );
    expect(seen).toEqual(['released', 'shared']);
  });

  test('pauses the deadline of the check', async () => {
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
    const deadline = new Deadline(10_000, clock);
    expect(sleeps).toEqual([]);
    deadline.resume();
    // The report of a stopped check takes the rest.
    expect(sleeps[0]?.durationMs).toBe(9900);
    nowMs = 400;
    deadline.pause();
    nowMs = 5000;
    sleeps[0]?.wake();
    await Promise.resolve();
    expect(deadline.over.aborted).toBe(false);
    expect(deadline.spentMs).toBe(400);
    deadline.resume();
    expect(sleeps[1]?.durationMs).toBe(9500);
    sleeps[1]?.wake();
    await Promise.resolve();
    expect(deadline.over.aborted).toBe(true);
  });

  test('leave out how long a thread waits for a start, and not how long it computes meanwhile', async () => {
    const sleeps: { readonly durationMs: number; readonly wake: () => void }[] = [];
    const sleep = (durationMs: number) =>
      new Promise<void>((wake) => {
        sleeps.push({ durationMs, wake });
      });
    let idleMs = 300;
    const deadline = new Deadline(10_000, { ...systemClock, sleep });
    deadline.resume();
    deadline.onOpening('begins', () => idleMs);
    deadline.onOpening('begins', () => idleMs);
    idleMs = 1000;
    deadline.onOpening('over', () => idleMs);
    idleMs = 1500;
    sleeps[0]?.wake();
    await Promise.resolve();
    expect(sleeps[1]?.durationMs).toBe(1200);
    expect(deadline.over.aborted).toBe(false);
    sleeps[1]?.wake();
    await Promise.resolve();
    expect(deadline.over.aborted).toBe(true);
  });
});
