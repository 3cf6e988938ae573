import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import type { TestResult } from '../../src/model/report.ts';
import { MergeError, mergeReports, type NamedReport } from '../../src/report/merge-reports.ts';
import { CLIENT_VIEW } from './client-view.ts';
import { fullResult } from './full-result.ts';
import { finding, resultOf, row } from './results.ts';

function part(file: string, result: TestResult, only: readonly string[] = []): NamedReport {
  return { file, result: { ...result, id: file, settings: { ...result.settings, only } } };
}

const health = (parts: Partial<TestResult> = {}): TestResult =>
  resultOf([row('health/status-200', 'passed')], {
    startedAt: '2026-01-31T12:00:00.000Z',
    finishedAt: '2026-01-31T12:00:10.000Z',
    responseTimes: [{ operation: 'health', count: 3, errors: 0, intervals: {}, p50Ms: 1 }],
    errors: [{ operation: 'health', code: 'time-out', message: 'no answer', count: 1 }],
    facts: [{ name: 'access', text: 'open' }],
    ...parts,
  });

const errors = (parts: Partial<TestResult> = {}): TestResult =>
  resultOf([row('errors/error-body', 'failed'), row('errors/hidden', 'blocked', { blockedBy: 'a/b' })], {
    startedAt: '2026-01-31T12:00:05.000Z',
    finishedAt: '2026-01-31T12:00:20.000Z',
    findings: [finding('errors/error-body')],
    responseTimes: [{ operation: 'health', count: 9, errors: 0, intervals: {}, p50Ms: 2 }],
    errors: [{ operation: 'health', code: 'time-out', message: 'no answer', count: 2 }],
    facts: [{ name: 'access', text: 'open' }],
    ...parts,
  });

function mergedOf(...parts: readonly NamedReport[]): TestResult {
  const { results } = mergeReports(parts);
  const [only, ...more] = results;
  expect(more).toEqual([]);
  if (only === undefined) throw new Error('nothing was merged');
  return only;
}

describe('parts of one check', () => {
  const parts = [part('a.json', health(), ['health/*']), part('b.json', errors(), ['errors/*'])];

  test('are one report with the requirements, findings and settings of all', () => {
    const merged = mergedOf(...parts);
    expect(merged.results.map(({ id }) => id)).toEqual([
      'health/status-200',
      'errors/error-body',
      'errors/hidden',
    ]);
    expect(merged.summary).toMatchObject({ passed: 1, failed: 1, undecided: 1 });
    expect(merged.verdict).toBe('fail');
    expect(merged.findings.map(({ id }) => id)).toEqual(['errors/error-body']);
    expect(merged.settings.only).toEqual(['health/*', 'errors/*']);
    expect(merged).toMatchObject({
      startedAt: '2026-01-31T12:00:00.000Z',
      finishedAt: '2026-01-31T12:00:20.000Z',
      durationMs: 20_000,
      responseTimes: [{ operation: 'health', count: 9 }],
      errors: [{ operation: 'health', count: 3 }],
      facts: [{ name: 'merged', text: expect.stringContaining('from 2 reports') }, { name: 'access' }],
    });
  });

  test('show what clients see, of the part that compared it with a contract', () => {
    const { changes: _, ...uncompared } = CLIENT_VIEW;
    const whole = [
      part('a.json', health(), ['health/*']),
      part('b.json', errors({ clientView: uncompared }), ['errors/*']),
      part('c.json', resultOf([row('contract/unbroken', 'passed')], { clientView: CLIENT_VIEW }), [
        'contract/*',
      ]),
    ];
    expect(mergedOf(...whole.slice(0, 2)).clientView).toEqual(uncompared);
    expect(mergedOf(...whole).clientView).toEqual(CLIENT_VIEW);
    expect(mergedOf(...parts).clientView).toBeUndefined();
  });

  test('have the same id in any order, and another one with other parts', () => {
    const [a, b] = parts as [NamedReport, NamedReport];
    expect(mergedOf(b, a).id).toBe(mergedOf(a, b).id);
    expect(mergedOf(a, { ...b, result: { ...b.result, id: 'c.json' } }).id).not.toBe(mergedOf(a, b).id);
  });

  test('may repeat what they decided alike, and counts it once', () => {
    const merged = mergedOf(part('a.json', errors()), part('b.json', errors()));
    expect(merged.results).toHaveLength(2);
    expect(merged.findings).toHaveLength(1);
  });

  test('that contradict each other are refused, with the requirement and both files', () => {
    const other = health({
      ...resultOf([row('health/status-200', 'failed')]),
      findings: [finding('health/status-200')],
    });
    expect(() => mergeReports([part('a.json', health()), part('b.json', other)])).toThrow(
      'health/status-200 of http://127.0.0.1:3000 is passed in a.json and failed in b.json.',
    );
    const elsewhere = errors({
      findings: [finding('errors/error-body', { fingerprint: 'fedcba9876543210' })],
    });
    expect(() => mergeReports([part('a.json', errors()), part('b.json', elsewhere)])).toThrow(
      'errors/error-body of http://127.0.0.1:3000 is failed in a.json and in b.json, with different findings.',
    );
  });

  test('with different levels that fail the run are refused, and so is a load', () => {
    const strict = errors({ settings: settingsOf({ failOn: 'should' }) });
    expect(() => mergeReports([part('a.json', health()), part('b.json', strict)])).toThrow(
      'a.json was made with --fail-on must, and b.json with should.',
    );
    const load = { ...health(), bench: {} } as unknown as TestResult;
    expect(() => mergeReports([part('load.json', load)])).toThrow(MergeError);
  });

  test('of different versions are merged, which is said', () => {
    const newer = errors({
      harness: { name: 'probity', version: '9.9.9' },
      suites: [{ id: 'health', digest: 'sha256:bbbb' }],
    });
    const older = health({ suites: [{ id: 'health', digest: 'sha256:aaaa' }] });
    const { notes } = mergeReports([part('a.json', older), part('b.json', newer)]);
    expect(notes).toEqual([
      expect.stringMatching(/different versions of Probity: \S+ \(a\.json\), 9\.9\.9 \(b\.json\)\.$/),
      expect.stringContaining(
        'different versions of the suite health: sha256:aaaa (a.json), sha256:bbbb (b.json).',
      ),
    ]);
  });
});

describe('reports of several targets', () => {
  test('stay separate, also those with the same address and another name', () => {
    const named = (name: string): TestResult => ({
      ...health(),
      settings: { ...health().settings, targetName: name },
    });
    const { results, notes } = mergeReports([
      part('a.json', named('one')),
      part('b.json', named('two')),
      part('c.json', fullResult()),
    ]);
    expect(results).toHaveLength(3);
    expect(results[0]).toMatchObject({ id: 'a.json', settings: { targetName: 'one' } });
    expect(notes.every((note) => note.includes('different versions'))).toBe(true);
  });
});
