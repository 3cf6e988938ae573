import { describe, expect, test } from 'vitest';
import { renderFormat } from '../../../src/check/render/render-format.ts';
import { judgementView } from '../../../src/report/view/judgement-view.ts';
import { reportView } from '../../../src/report/view/report-view.ts';
import { visibleResult } from '../../../src/report/view/visible-result.ts';
import { measurement } from '../../checks/example.ts';
import { BENCH, failingOnShould, UNREACHABLE, WHOLE } from '../formats/cells.ts';
import { renderFull } from '../render-full.ts';
import { finding, type RowKind, resultOf, row } from '../results.ts';

const ACCEPTED = { reason: 'known', until: '2026-12-31' };

describe('the requirements to fix', () => {
  test('are failures, warnings, undecided and blocked ones, each MUST first, and none that is accepted', () => {
    expect(reportView(WHOLE).toFix.map(({ id }) => id.replace('health/', ''))).toEqual([
      ...['failed-must', 'failed-should', 'failed-may'],
      ...['undecided-must', 'undecided-should', 'undecided-may'],
      ...['blocked-must', 'blocked-should', 'blocked-may'],
    ]);
  });

  test('of a run that is incomplete are what decided it, and warnings last', () => {
    const { verdict, results } = resultOf(
      WHOLE.results.filter(({ outcome, accepted }) => outcome !== 'failed' || accepted),
    );
    expect(verdict).toBe('incomplete');
    const warning = row('health/failed-may', 'failed', { level: 'MAY' });
    expect(
      reportView(resultOf([warning, ...results])).toFix.map(({ id }) => id.replace('health/', '')),
    ).toEqual([
      ...['undecided-must', 'undecided-should', 'undecided-may'],
      ...['blocked-must', 'blocked-should', 'blocked-may'],
      'failed-may',
    ]);
  });

  test('have the deciding finding first, and no accepted one', () => {
    const result = resultOf([row('a/b', 'failed')], {
      findings: [
        finding('a/b', { message: 'accepted', accepted: ACCEPTED }),
        finding('a/b', { message: 'undecided', outcome: 'undecided' }),
        finding('a/b', { message: 'broken' }),
      ],
    });
    const { requirements, toFix, accepted } = reportView(result);
    expect(requirements[0]?.findings.map(({ message }) => message)).toEqual([
      'broken',
      'undecided',
      'accepted',
    ]);
    expect(toFix[0]?.findings.map(({ message }) => message)).toEqual(['broken', 'undecided']);
    expect(accepted).toMatchObject([{ id: 'a/b', count: 1, words: 'accepted: known' }]);
  });

  test('that are blocked and have a finding show both', async () => {
    const result = resultOf([row('a/b', 'failed'), row('a/c', 'blocked', { blockedBy: 'a/b' })], {
      findings: [finding('a/b'), finding('a/c', { outcome: 'undecided', message: 'no answer in time' })],
    });
    const files = await Promise.all([renderFormat(result, 'markdown'), renderFormat(result, 'html')]);
    for (const text of [renderFull(result), ...files.map(([file]) => file?.text ?? '')]) {
      expect(text).toContain('blocked by a/b, which is not met');
      expect(text).toContain('no answer in time');
    }
  });

  test('use the same words as the run', () => {
    const text = renderFull(failingOnShould(WHOLE));
    expect(text).toMatch(/^FAIL health /m);
    expect(text).toMatch(/^FAILED {2}health\/failed-should/m);
    expect(text).toMatch(/^WARNING {2}health\/failed-may/m);
  });
});

test('a blocked requirement says whether its cause is broken or undecided itself', () => {
  const reasonOf = (kind: RowKind): string | undefined =>
    reportView(resultOf([row('a/b', kind), row('a/c', 'blocked', { blockedBy: 'a/b' })])).requirements[1]
      ?.reason;
  expect(reasonOf('failed')).toBe('blocked by a/b, which is not met');
  expect(reasonOf('undecided')).toBe('blocked by a/b, which is undecided');
  expect(reasonOf('blocked')).toBe('blocked by a/b, which is undecided');
  expect(reasonOf('inapplicable')).toBe('blocked by a/b, which does not apply');
});

test('a requirement that is blocked by one that was not selected does not say that it is not met', () => {
  const { requirements } = reportView(resultOf([row('a/c', 'blocked', { blockedBy: 'a/b' })]));
  expect(requirements[0]?.reason).toBe('blocked by a/b, which was not decided in this run');
});

test('entries of the baseline that changed in the same way have names of their own', () => {
  const problem = { kind: 'changed', requirement: 'a/b', function: 'add', message: 'it changed' } as const;
  const result = resultOf([row('a/b', 'failed')], {
    findings: [finding('a/b')],
    baseline: { entries: [], problems: [problem, { ...problem, message: 'so did this' }, problem] },
  });
  expect(reportView(result).problems.map(({ name }) => name)).toEqual([
    'changed: a/b, function "add"',
    'changed: a/b, function "add" (2)',
    'changed: a/b, function "add" (3)',
  ]);
});

test('the counts of the areas add up to those of the summary', () => {
  const { areas, summary } = reportView(WHOLE);
  const sum = (wanted: string): number =>
    areas
      .flatMap(({ counts }) => counts)
      .reduce((all, { state, count }) => all + (state === wanted ? count : 0), 0);
  expect({
    passed: sum('passed'),
    failed: sum('failed'),
    warnings: sum('warning'),
    inapplicable: sum('inapplicable'),
    undecided: sum('undecided'),
    accepted: sum('accepted'),
  }).toEqual(summary);
});

test('a load and an unreachable target have a separate verdict', () => {
  expect(reportView(BENCH)).toMatchObject({ mark: 'measured', word: 'MEASURED', needsVerdict: false });
  expect(reportView(UNREACHABLE)).toMatchObject({ mark: 'unreachable', word: 'UNREACHABLE' });
});

test('commands are complete, other long texts are shortened', () => {
  const long = `curl ${'x'.repeat(5000)}`;
  const result = resultOf([row('a/b', 'failed')], {
    findings: [finding('a/b', { curl: long, received: long })],
  });
  const [first] = judgementView(visibleResult(result)).toFix[0]?.findings ?? [];
  expect(first?.curl).toBe(long);
  expect(first?.received).toHaveLength(2000);
});

test('operations that were timed are not shown as single requests too', () => {
  const single = { operation: 'health', count: 2, errors: 0, intervals: {} } as const;
  const { measured, single: others } = reportView(
    resultOf([], { responseTimes: [measurement(), single, { ...single, operation: 'execute' }] }),
  );
  expect(measured.map(({ operation }) => operation)).toEqual(['health']);
  expect(others.map(({ operation }) => operation)).toEqual(['execute']);
});
