import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import { encodeHistogram } from '../../src/latency/encoded-histogram.ts';
import type { Measurement } from '../../src/model/measurement.ts';
import type { TestResult } from '../../src/model/report.ts';
import { diffResults } from '../../src/report/compare/diff-results.ts';
import { renderDiff } from '../../src/report/terminal/diff-terminal.ts';
import { histogramOf } from '../latency/histogram-of.ts';
import { finding, resultOf, row } from './results.ts';

const kinds = (before: TestResult, after: TestResult) =>
  diffResults(before, after).rows.map(({ kind, id }) => [kind, id]);

const of = (outcome: Parameters<typeof row>[1]): TestResult => resultOf([row('a/b', outcome)]);

describe('rows', () => {
  test.each([
    ['passed', 'failed', 'worse'],
    ['inapplicable', 'failed', 'worse'],
    ['failed', 'passed', 'better'],
    ['passed', 'blocked', 'undecided-now'],
    ['failed', 'undecided', 'undecided-now'],
    ['undecided', 'failed', 'decided-now'],
    ['blocked', 'passed', 'decided-now'],
    ['failed', 'inapplicable', 'applies-otherwise'],
    ['passed', 'inapplicable', 'applies-otherwise'],
    ['inapplicable', 'passed', 'applies-otherwise'],
  ] as const)('from %s to %s are %s', (was, is, kind) => {
    const diff = diffResults(of(was), of(is));
    expect(diff.rows).toMatchObject([
      { kind, id: 'a/b', before: { outcome: row('', was).outcome }, after: { outcome: row('', is).outcome } },
    ]);
    expect([diff.isWorse, diff.isBetter]).toEqual([kind === 'worse', kind === 'better']);
  });

  test.each([
    ['blocked', 'undecided'],
    ['undecided', 'blocked'],
    ['not-exercised', 'blocked'],
    ['failed', 'failed'],
    ['passed', 'passed'],
  ] as const)('from %s to %s are no change', (was, is) => {
    expect(kinds(of(was), of(is))).toEqual([]);
  });

  test('in only one of the two are new or vanished, but not worse', () => {
    const before = resultOf([row('a/b', 'passed'), row('a/old', 'passed')]);
    const after = resultOf([row('a/b', 'passed'), row('a/new', 'failed')]);
    expect(kinds(before, after)).toEqual([
      ['new', 'a/new'],
      ['vanished', 'a/old'],
    ]);
    expect(diffResults(before, after).isWorse).toBe(false);
  });

  test('of another level are listed', () => {
    const after = resultOf([row('a/b', 'passed', { level: 'SHOULD' })]);
    expect(kinds(of('passed'), after)).toEqual([['level', 'a/b']]);
    expect(renderDiff(diffResults(of('passed'), after))).toContain('MUST → SHOULD');
  });
});

describe('findings of a requirement that fails in both', () => {
  const failing = (...prints: readonly (readonly [print: string, name?: string])[]): TestResult =>
    resultOf([row('a/b', 'failed')], {
      findings: prints.map(([fingerprint, name]) =>
        finding('a/b', {
          fingerprint,
          message: `found ${fingerprint}`,
          where: { ...finding('a/b').where, ...(name === undefined ? {} : { function: name }) },
        }),
      ),
    });
  const changes = (before: TestResult, after: TestResult) => {
    const { findings, isWorse, isBetter } = diffResults(before, after);
    return {
      findings: findings.map(({ kind, function: name }) => [kind, name]),
      isWorse,
      isBetter,
    };
  };

  test('make it worse if one is new, and better if one is gone', () => {
    const one = failing(['1', 'add']);
    const two = failing(['1', 'add'], ['2', 'greet']);
    expect(changes(one, two)).toEqual({ findings: [['new', 'greet']], isWorse: true, isBetter: false });
    expect(changes(two, one)).toEqual({ findings: [['gone', 'greet']], isWorse: false, isBetter: true });
    expect(changes(two, two)).toEqual({ findings: [], isWorse: false, isBetter: false });
  });

  test('are changed, neither worse nor better, if another takes the same place', () => {
    expect(changes(failing(['1', 'add']), failing(['2', 'add']))).toEqual({
      findings: [['changed', 'add']],
      isWorse: false,
      isBetter: false,
    });
    expect(changes(failing(['1']), failing(['2']))).toMatchObject({ findings: [['changed', undefined]] });
    expect(changes(failing(['1', 'add']), failing(['2', 'greet'])).findings).toEqual([
      ['new', 'greet'],
      ['gone', 'add'],
    ]);
    const text = renderDiff(diffResults(failing(['1', 'add']), failing(['2', 'add'])));
    expect(text).toMatch(
      /CHANGED {2}a\/b {2}fails differently\n {2}before: found 1 .*\n(.*\n)? {2}now: found 2/,
    );
  });

  test('about a function with a generated name are the same', () => {
    expect(
      changes(failing(['1', 'probity-unknown-1']), failing(['2', 'probity-unknown-2'])).findings,
    ).toEqual([['changed', undefined]]);
  });
});

/** Calls of about this time, and every fifth one held up by other work on the machine. */
function histogramAround(p50Ms: number, count: number): string {
  const us = Array.from(
    { length: count },
    (_, index) => p50Ms * (950 + (index % 100)) + (index % 5 === 4 ? 9000 : 0),
  );
  return encodeHistogram(histogramOf(us));
}

function measured(p50Ms: number, parts: Partial<Measurement> = {}): Measurement {
  const { samples = 75 } = parts;
  return {
    key: 'performance/health',
    operation: 'health',
    count: 75,
    errors: 0,
    p50Ms,
    intervals: { p50: [p50Ms * 0.99, p50Ms * 1.01] },
    samples,
    load: {
      model: { kind: 'open', ratePerSecond: 50, arrivals: 'constant', maxConnections: 1 },
      transport: 'lean',
      planned: 75,
      attempts: 1,
      stoppedBy: null,
    },
    throughputPerSecond: 50,
    client: null,
    histogram: histogramAround(p50Ms, samples),
    unreliable: [],
    errorKinds: [],
    ...parts,
  };
}

describe('response times', () => {
  const timed = (...responseTimes: readonly Measurement[]): TestResult =>
    resultOf([row('a/b', 'passed')], { responseTimes });

  test('are worse or better beyond noise only', () => {
    const slower = diffResults(timed(measured(10)), timed(measured(20)));
    expect(slower).toMatchObject({
      isWorse: false,
      isSlower: true,
      isFaster: false,
      latency: { compared: 1 },
    });
    expect(slower.latency.moved).toMatchObject([{ fastest: 'tenth', outcome: 'worse' }]);
    expect(renderDiff(slower)).toMatch(
      /SLOWER {2}health {2}9\.\d+ ms → 19\.\d+ ms, 2\.\d+ times, for the fastest tenth of its calls/,
    );
    expect(renderDiff(slower)).toContain('No outcome or finding changed. Some calls are slower.');
    expect(diffResults(timed(measured(20)), timed(measured(10)))).toMatchObject({
      isSlower: false,
      isFaster: true,
    });
    const same = diffResults(timed(measured(10)), timed(measured(10.1)));
    expect(same).toMatchObject({ isSlower: false, latency: { moved: [], compared: 1 } });
    expect(renderDiff(same)).toContain('1 figure of response times compared, no difference shown');
    const failing = { ...timed(measured(10)), results: [row('a/b', 'failed')] };
    expect(renderDiff(diffResults(timed(measured(10)), failing))).toContain(
      '1 other call: no difference shown',
    );
  });

  test.each([
    ['less than a fifth', 10, 11.8],
    ['less than 0.4 ms', 0.2, 0.5],
  ])('are the same if they differ by %s', (_, beforeMs, afterMs) => {
    expect(diffResults(timed(measured(beforeMs)), timed(measured(afterMs))).latency.moved).toEqual([]);
    expect(diffResults(timed(measured(afterMs)), timed(measured(beforeMs))).latency.moved).toEqual([]);
  });

  test('of few calls are compared by the faster half, on both sides', () => {
    const few = (ms: number): Measurement => measured(ms, { samples: 12 });
    const slower = diffResults(timed(few(10)), timed(measured(20)));
    expect(slower.latency.moved).toMatchObject([{ fastest: 'half', outcome: 'worse' }]);
    const none = diffResults(timed(measured(10, { samples: 5 })), timed(measured(20)));
    expect(none.latency).toMatchObject({
      moved: [],
      compared: 0,
      notes: ['health: there are too few samples'],
    });
  });

  const OVERLOADED = {
    pacing: 'spin',
    latenessMs: { p50Ms: 0.2, p99Ms: 9, maxMs: 9 },
    loopDelayP99Ms: 9,
    loopUtilisation: 1,
    waitedForCpu: 0.4,
    achievedShare: 0.99,
    waitedForConnection: 0.5,
    cpuMicrosecondsPerRequest: 100,
  } as const;
  const doubtful = (ms: number, parts: Partial<Measurement> = {}): Measurement =>
    measured(ms, { client: OVERLOADED, unreliable: ['the client was late'], ...parts });

  test('of an overloaded client are compared if enough calls found the connection free', () => {
    expect(diffResults(timed(measured(10)), timed(doubtful(20)))).toMatchObject({
      isSlower: true,
      latency: { compared: 1, notes: [] },
    });
    expect(diffResults(timed(doubtful(10)), timed(doubtful(10.1)))).toMatchObject({
      isSlower: false,
      latency: { compared: 1 },
    });
  });

  test.each<[what: string, parts: Partial<Measurement>]>([
    ['most calls waited for others', { client: { ...OVERLOADED, waitedForConnection: 0.6 } }],
    [
      'most calls were sent late',
      { client: { ...OVERLOADED, latenessMs: { p50Ms: 0.3, p99Ms: 9, maxMs: 9 } } },
    ],
    ['there are few', { samples: 34 }],
    [
      'there were several connections',
      {
        load: {
          ...measured(1).load,
          model: { kind: 'open', ratePerSecond: 50, arrivals: 'constant', maxConnections: 2 },
        },
      },
    ],
    ['nothing is known about the client', { client: null }],
  ])('of an overloaded client are not compared if %s', (_, parts) => {
    expect(diffResults(timed(measured(10)), timed(doubtful(20, parts)))).toMatchObject({
      isSlower: false,
      latency: {
        compared: 0,
        notes: ['health: the figures of this run cannot be relied on: the client was late'],
      },
    });
  });

  test('that could not be compared are named, with the reason', () => {
    const unknown = doubtful(10, { client: null });
    expect(diffResults(timed(measured(10)), timed(unknown)).latency.notes).toEqual([
      'health: the figures of this run cannot be relied on: the client was late',
    ]);
    expect(diffResults(timed(unknown), timed(measured(10))).latency.notes).toEqual([
      'health: the figures of the older result cannot be relied on: the client was late',
    ]);
    expect(diffResults(timed(), timed(measured(10))).latency.notes).toEqual([
      'health: the older result has no figures for it',
    ]);
    expect(diffResults(timed(measured(10)), timed()).latency.notes).toEqual([
      'health: the newer result has no figures for it',
    ]);
  });
});

describe('what else changed', () => {
  const base = of('passed');

  test.each<[string, Partial<TestResult>, string, string]>([
    ['the version of the server', { target: { ...base.target, version: '2.0.0' } }, 'target', 'version'],
    [
      'its form',
      { target: { ...base.target, form: { capabilities: 'A', execute: 'A' } } },
      'target',
      'form of the descriptors',
    ],
    ['a suite', { suites: [{ id: 'health', digest: 'sha256:1' }] }, 'suites', 'health'],
    ['another suite', { suites: [...base.suites, { id: 'mine', digest: 'sha256:1' }] }, 'suites', 'mine'],
    ['probity', { harness: { name: 'probity', version: '10.0.0' } }, 'harness', 'version'],
    ['a setting', { settings: settingsOf({ seed: 7, failOn: 'should' }) }, 'settings', 'failOn'],
    [
      'samples',
      { settings: settingsOf({ seed: 7, samples: { add: [{ input: { a: 1 } }] } }) },
      'settings',
      'samples.add',
    ],
    ['a baseline', { baseline: { entries: [], problems: [] } }, 'baseline', 'entries'],
  ])('%s is listed', (_, parts, of_, name) => {
    const diff = diffResults(base, { ...base, ...parts });
    expect(diff.runs.map((one) => [one.of, one.name])).toContainEqual([of_, name]);
    expect(diff.isWorse).toBe(false);
    expect(renderDiff(diff)).toContain('Other changes, which may be the cause:');
  });

  test('another seed, time and id are no difference', () => {
    const again = resultOf([row('a/b', 'passed')], {
      id: 'another',
      seed: 8,
      settings: settingsOf({ seed: 8 }),
      startedAt: '2026-02-01T00:00:00.000Z',
    });
    const diff = diffResults(base, again);
    expect(diff).toMatchObject({ runs: [], rows: [], findings: [], isWorse: false, isBetter: false });
    const text = renderDiff(diff);
    expect(text).toBe('Nothing changed: http://127.0.0.1:3000, PASS both times.\n');
  });

  test('two targets are named at the top', () => {
    const other = { ...base, target: { ...base.target, url: 'http://127.0.0.1:4000' } };
    const diff = diffResults(base, other);
    expect(diff.sameTarget).toBe(false);
    expect(renderDiff(diff).split('\n')[1]).toContain('two targets: http://127.0.0.1:3000');
  });

  test('a target that no longer answers is worse', () => {
    const silent = { ...base, reachable: false };
    expect(diffResults(base, silent).isWorse).toBe(true);
    expect(renderDiff(diffResults(base, silent))).toContain('The target no longer answers.');
    expect(diffResults(silent, base).isBetter).toBe(true);
  });
});

test('text from a target is shown without effect', () => {
  const live = '\u001B[31m\u202E##[group]\n::error::';
  const before = resultOf([row('a/b', 'passed')]);
  const after = resultOf([row('a/b', 'failed')], {
    findings: [
      finding('a/b', {
        message: live,
        expected: live,
        received: live,
        where: { ...finding('a/b').where, function: live },
      }),
    ],
    target: { ...before.target, name: live },
  });
  const text = renderDiff(diffResults(before, after));
  expect(text).not.toMatch(/[\u001B\u202E]|##\[|^\s*::error/m);
});
