import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type CheckPool,
  checkServer,
  createCheckPool,
  WorkerPool,
} from '../../src/check/threads/check-server.ts';
import { SharedWorkers } from '../../src/check/threads/sharing.ts';
import type { Json } from '../../src/json/json.ts';
import { OptionError } from '../../src/model/arguments.ts';
import type { TestResult } from '../../src/model/report.ts';
import { overHttp } from '../../src/model/sent.ts';
import { createReference } from '../../src/reference/contract.ts';
import { loadSuites } from '../../src/suite/load-suites.ts';
import { tiresomeCapabilities } from '../check/tiresome-capabilities.ts';
import { type Answering, type ServedTarget, serve } from '../conforming/serve.ts';
import { startMalformedServer } from '../malformed-responses/malformed-server.ts';
import { allPlays } from '../malformed-responses/plays.ts';
import { FAMILIES, type Family, mutantsInForms, skippedFor } from '../mutants/all-mutants.ts';
import { startMutantServer } from '../mutants/mutant-server.ts';
import { allServers } from '../natural/all-servers.ts';
import { PATIENT } from '../patience.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const UNTIMED = { ...PATIENT, seed: 7, latency: { off: true } } as const;

function pool(checksPerThread = 16): CheckPool {
  const made = createCheckPool({ threads: 1, checksPerThread });
  closing.push(made.close);
  return made;
}

async function server(answer: Answering = createReference({ form: 'B' }).answer): Promise<ServedTarget> {
  const target = await serve(answer);
  closing.push(target.close);
  return target;
}

/** Conforming, but its capabilities take many seconds to judge. */
function tiresome(): Promise<ServedTarget> {
  const reference = createReference({ form: 'B' });
  const body = tiresomeCapabilities();
  return server(async (request) => {
    const answer = await reference.answer(request);
    return request.path === '/capabilities' ? { ...answer, body } : answer;
  });
}

function callsOf({ exchanges }: TestResult): readonly string[] {
  return exchanges.map(overHttp).flatMap(({ request }) => (request.method === 'POST' ? [request.key] : []));
}

function callsTo({ arrived }: ServedTarget): number {
  return arrived.filter(({ method }) => method === 'POST').length;
}

function failedIn({ results }: TestResult): readonly string[] {
  return results.flatMap(({ id, outcome }) => (outcome === 'failed' ? [id] : []));
}

interface Started {
  readonly url: string;
  readonly close: () => Promise<void>;
}

interface Case {
  readonly name: string;
  readonly start: () => Promise<Started>;
  readonly options?: Parameters<typeof checkServer>[1];
}

/** Every so many of a list, always the same ones. */
function some<One>(list: readonly One[], count: number): readonly One[] {
  const step = Math.max(1, Math.floor(list.length / count));
  return list.filter((_, index) => index % step === 0).slice(0, count);
}

/** Long enough for any answer, however busy the machine is, and short for a server that does not answer. */
const REQUEST_TIMEOUT_MS = 10_000;

const families = FAMILIES.filter((name): name is Family => name !== 'directory' && name !== 'listing');

const CASES: readonly Case[] = [
  ...families
    .filter((family) => family !== 'performance')
    .flatMap((family) =>
      some(mutantsInForms(family), 2).map(
        ({ mutant, form }): Case => ({
          name: `mutant ${mutant.name} ${form}`,
          start: () => startMutantServer(form, mutant),
          options: { ...mutant.options, skip: skippedFor(family) },
        }),
      ),
    ),
  ...some(allServers, 4).map(
    (record, index): Case => ({
      name: `natural server ${index}`,
      start: () => record.start('A', () => undefined),
    }),
  ),
  ...some(
    allPlays().filter(
      ({ behaviour: { id, hangs, deadlineSeconds } }) =>
        // What a server writes after an answer arrives sooner or later, whoever checks it.
        hangs !== true && deadlineSeconds === undefined && !id.startsWith('connections/'),
    ),
    8,
  ).map(
    ({ behaviour, endpoint }): Case => ({
      name: `${behaviour.id} on ${endpoint}`,
      start: () => startMalformedServer(behaviour, endpoint),
    }),
  ),
];

describe('checks in a pool', () => {
  test('decide every requirement like checkServer', { timeout: 600_000 }, async () => {
    const { check } = pool();
    const rowsOf = async (checking: CheckPool['check'], { name, start, options }: Case) => {
      const started = await start();
      try {
        const { results, findings } = await checking(started.url, {
          ...UNTIMED,
          requestTimeoutMs: REQUEST_TIMEOUT_MS,
          ...options,
        });
        return {
          name,
          rows: results.map(({ id, outcome }) => `${id} ${outcome}`),
          findings: findings.map(({ id, outcome, fault }) => `${id} ${outcome} ${fault}`),
        };
      } finally {
        await started.close();
      }
    };
    const few = pLimit(4);
    const [pooled, alone] = await Promise.all([
      Promise.all(CASES.map((one) => rowsOf(check, one))),
      Promise.all(CASES.map((one) => few(() => rowsOf(checkServer, one)))),
    ]);
    expect(pooled).toEqual(alone);
    expect(CASES.length).toBeGreaterThan(25);
  });

  test('share nothing: a token appears only in the check that it was given to', async () => {
    const { check } = pool();
    const tokens = ['first-token-81f2', 'second-token-93ab', 'third-token-55cd'];
    const reference = createReference({ form: 'B' });
    const echoing = await server(async (request) => {
      const answer = await reference.answer(request);
      return { ...answer, headers: { ...answer.headers, 'x-seen': String(request.headers.authorization) } };
    });
    const results = await Promise.all(
      tokens.map((bearerToken) => check(echoing.url, { ...UNTIMED, bearerToken })),
    );
    expect(echoing.arrived.filter(({ headers }) => headers.authorization).length).toBeGreaterThan(100);
    for (const result of results) {
      const text = JSON.stringify(result);
      for (const token of tokens) expect(text).not.toContain(token);
    }
  });

  test('leave the others alone when judging takes long, and send no call twice', {
    timeout: 600_000,
  }, async () => {
    const { check } = pool();
    const targets = await Promise.all(Array.from({ length: 5 }, () => server()));
    const hostile = await tiresome();
    const options = { ...UNTIMED, deadlineMs: 60_000, skip: ['documentation/*'] };
    const [judged, ...others] = await Promise.all([
      check(hostile.url, options),
      ...targets.map(({ url }) => check(url, options)),
    ]);
    for (const [index, result] of others.entries()) {
      expect(result.verdict).toBe('pass');
      expect(targets[index]?.arrived.length).toBeLessThanOrEqual(result.exchanges.length);
    }
    expect(judged.results.length).toBeGreaterThan(50);
    // Both are true: its record has no description, and the reference behind it knows none of its functions.
    const known = ['capabilities/server-info', 'execute/status-200'];
    expect(failedIn(judged).filter((id) => !known.includes(id))).toEqual([]);
    expect(callsTo(hostile)).toBeLessThanOrEqual(callsOf(judged).length);
  });

  test('continue in another thread if a check blocks theirs, and send no call twice', {
    timeout: 600_000,
  }, async () => {
    const { check } = pool();
    const targets = await Promise.all(Array.from({ length: 3 }, () => server()));
    const blocking = await server(async (request) => {
      const answer = await createReference({ form: 'B' }).answer(request);
      return request.path === '/health' ? { ...answer, body: MANY_VALUES } : answer;
    });
    const { suites } = await loadSuites([path.join(import.meta.dirname, '../check/blocking.suite.yaml')]);
    const [blocked, ...others] = await Promise.all([
      check(blocking.url, {
        ...UNTIMED,
        suites: suites.filter(({ id }) => id === 'blocking'),
        deadlineMs: 20_000,
      }),
      ...targets.map(({ url }) => check(url, UNTIMED)),
    ]);
    expect(blocked.facts[0]).toMatchObject({ name: 'stopped', text: expect.stringContaining('20 s') });
    expect(blocked.verdict).toBe('incomplete');
    expectUnharmed(others, targets);
  });

  test('continue in another thread if a check uses up the memory of theirs, and send no call twice', {
    timeout: 600_000,
  }, async () => {
    const ends: string[] = [];
    const watch = (worker: Worker): void => {
      let end = 'ended by the pool';
      worker.on('error', (error: NodeJS.ErrnoException) => {
        end = error.code ?? error.message;
      });
      worker.on('exit', () => ends.push(end));
    };
    process.on('worker', watch);
    closing.push(async () => void process.off('worker', watch));
    const small = new WorkerPool(1, new SharedWorkers({ threads: 1, checksPerThread: 4, heapMb: 48 }));
    closing.push(() => small.close());
    const targets = await Promise.all(Array.from({ length: 3 }, () => server()));
    const hostile = await server(async (request) => {
      const answer = await createReference({ form: 'B' }).answer(request);
      return request.path === '/health' ? { ...answer, body: DEEP_VALUES } : answer;
    });
    const { suites } = await loadSuites([path.join(import.meta.dirname, '../check/memory.suite.yaml')]);
    const [stopped, ...others] = await Promise.all([
      small.check(hostile.url, { ...UNTIMED, suites: suites.filter(({ id }) => id === 'memory') }),
      ...targets.map(({ url }) => small.check(url, UNTIMED)),
    ]);
    // Of the shared worker, and of the one in which the hostile check continued. The first may be ended before its memory
    // is used up, because it answers nobody meanwhile.
    expect(ends.length).toBeGreaterThanOrEqual(2);
    expect(ends).toContain('ERR_WORKER_OUT_OF_MEMORY');
    expect(stopped.facts[0]).toMatchObject({ name: 'stopped', text: expect.stringContaining('256 MB') });
    expect(stopped.verdict).toBe('incomplete');
    expectUnharmed(others, targets);
  });

  test('end at their deadline, and the others go on', async () => {
    const { check } = pool();
    const hanging = await server(() => new Promise(() => undefined));
    const good = await server();
    const [hung, passed] = await Promise.all([
      check(hanging.url, { ...UNTIMED, deadlineMs: 1500 }),
      check(good.url, UNTIMED),
    ]);
    expect(hung.verdict).not.toBe('pass');
    expect(passed.verdict).toBe('pass');
  });

  test('wait for a place, and the deadline does not count that', async () => {
    const { check } = pool(2);
    let answered = 0;
    const held = await server(async (request) => {
      answered += 1;
      return createReference({ form: 'B' }).answer(request);
    });
    const options = { ...UNTIMED, only: ['health/*'], deadlineMs: 20_000 };
    const results = await Promise.all(Array.from({ length: 9 }, () => check(held.url, options)));
    expect(results.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 9 }, () => 'pass'));
    expect(answered).toBe(results.flatMap(({ exchanges }) => exchanges).length);
  });

  test('are refused for an invalid option', async () => {
    expect(() => createCheckPool({ threads: 0 })).toThrow(OptionError);
    const { check } = pool();
    const good = await server();
    await expect(check(good.url, { ...UNTIMED, only: ['health/reachible'] })).rejects.toThrow(
      'Did you mean "health/reachable"?',
    );
    await expect(check(good.url, { ...UNTIMED, headers: { 'X-Bad': 'a\nb' } })).rejects.toThrow('X-Bad');
    const thrown = new Error('the listener’s own');
    const onProgress = (): void => {
      throw thrown;
    };
    await expect(check(good.url, { ...UNTIMED, onProgress })).rejects.toBe(thrown);
    expect((await check(good.url, UNTIMED)).verdict).toBe('pass');
  });

  test('are interrupted when the pool closes', async () => {
    const { check, close } = createCheckPool();
    let isCalled: () => void = () => undefined;
    const called = new Promise<void>((resolve) => {
      isCalled = resolve;
    });
    const hanging = await server(() => {
      isCalled();
      return new Promise(() => undefined);
    });
    const checked = check(hanging.url, UNTIMED);
    await called;
    await close();
    expect((await checked).verdict).toBe('incomplete');
  });
});

/** Expects that the checks that shared a thread with a hostile one blame nobody for that, and sent no call twice. */
function expectUnharmed(results: readonly TestResult[], targets: readonly ServedTarget[]): void {
  for (const [index, result] of results.entries()) {
    expect(failedIn(result)).toEqual([]);
    expect(result.findings.every(({ fault }) => fault === 'harness' || fault === null)).toBe(true);
    const calls = callsOf(result);
    expect(new Set(calls).size).toBe(calls.length);
    const target = targets[index];
    expect(target === undefined ? 0 : callsTo(target)).toBeLessThanOrEqual(calls.length);
  }
}

/** So deep that the paths between its values need hundreds of megabytes. */
const DEEP_VALUES = JSON.stringify({
  value: Array.from({ length: 2000 }, () => [...'x'.repeat(40)].reduce<Json>((inner) => [inner], 0)),
});

/** Long enough that a selector which looks at every pair of values takes minutes. */
const MANY_VALUES = JSON.stringify({ value: Array.from({ length: 20_000 }, (_, index) => index) });
