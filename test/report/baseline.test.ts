import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import type { AcceptedFinding, Outcome, ReportedFinding, Verdict } from '../../src/model/judgement.ts';
import type { TestResult } from '../../src/model/report.ts';
import { applyBaseline, baselineOf, draftBaseline } from '../../src/report/baseline.ts';
import { fingerprintOfBlocked } from '../../src/report/fingerprint.ts';
import { renderFull } from './render-full.ts';
import { finding, ROW_KINDS, resultOf, row } from './results.ts';

const TERMS = { reason: 'known', until: '2026-12-31', all: false };
/** The results of these tests began on 31 January 2026. */
const TODAY = '2026-01-31';
const YESTERDAY = '2026-01-30';

const PRINT = '0123456789abcdef';
const OTHER = 'fedcba9876543210';

function entry(parts: Partial<AcceptedFinding> = {}): AcceptedFinding {
  return {
    requirement: 'a/b',
    outcome: 'failed',
    fingerprint: PRINT,
    reason: 'known',
    until: TODAY,
    ...parts,
  };
}

const at = (name: string): ReportedFinding['where'] => ({ ...finding('a/b').where, function: name });
const passing = row('a/good', 'passed');
const failing = resultOf([passing, row('a/b', 'failed')], { findings: [finding('a/b')] });

const summaryOf = ({ verdict, baseline, summary }: TestResult) => ({
  verdict,
  problems: baseline?.problems.map(({ kind }) => kind),
  accepted: summary.accepted ?? 0,
});

describe('an accepted failure', () => {
  test('does not fail the run and keeps its outcome', () => {
    const result = applyBaseline(failing, { entries: [entry()] });
    expect(summaryOf(result)).toEqual({ verdict: 'pass', problems: [], accepted: 1 });
    expect(result.results[1]).toMatchObject({ outcome: 'failed', accepted: true });
    expect(result.findings[0]?.accepted).toEqual({ reason: 'known', until: TODAY });
    expect(result.summary.failed).toBe(0);
  });

  test('is not a pass without a passed requirement', () => {
    const alone = resultOf([row('a/b', 'failed')], { findings: [finding('a/b')] });
    expect(summaryOf(applyBaseline(alone, { entries: [entry()] })).verdict).toBe('incomplete');
  });

  test.each([
    ['of another requirement', entry({ requirement: 'a/good' })],
    ['with other evidence', entry({ fingerprint: OTHER })],
    ['of another function', entry({ function: 'add' })],
    ['of another outcome', entry({ outcome: 'undecided' })],
  ])('%s is not accepted', (_, other) => {
    expect(applyBaseline(failing, { entries: [other] })).toMatchObject({
      verdict: 'fail',
      summary: { failed: 1 },
    });
  });

  test('does not accept other failures of the same requirement', () => {
    const two = resultOf([passing, row('a/b', 'failed')], {
      findings: [finding('a/b', { where: at('add') }), finding('a/b', { where: at('greet') })],
    });
    const result = applyBaseline(two, { entries: [entry({ function: 'add' })] });
    expect(result.verdict).toBe('fail');
    expect(result.results[1]?.accepted).toBeUndefined();
    expect(result.findings.map(({ accepted }) => accepted !== undefined)).toEqual([true, false]);
    expect(
      summaryOf(applyBaseline(two, { entries: [entry({ function: 'add' }), entry({ function: 'greet' })] }))
        .verdict,
    ).toBe('pass');
  });

  test('does not accept other undecided findings', () => {
    const half = resultOf([passing, row('a/b', 'failed')], {
      findings: [
        finding('a/b', { where: at('add') }),
        finding('a/b', { where: at('greet'), outcome: 'undecided', fingerprint: OTHER }),
      ],
    });
    const result = applyBaseline(half, { entries: [entry({ function: 'add' })] });
    expect(result).toMatchObject({ verdict: 'incomplete', summary: { failed: 0, undecided: 1 } });
    expect(applyBaseline(result, { entries: [] })).toMatchObject({ verdict: 'fail', summary: { failed: 1 } });
  });

  test('of a function with a generated name is the same in the next run', () => {
    const made = (seed: number): TestResult =>
      resultOf([passing, row('a/b', 'failed')], {
        findings: [finding('a/b', { where: at(`probity-unknown-${seed}`) })],
      });
    expect(summaryOf(applyBaseline(made(2), baselineOf(made(1), TERMS)))).toMatchObject({
      verdict: 'pass',
      problems: [],
    });
  });
});

describe('an accepted doubt', () => {
  const open = resultOf([passing, row('a/b', 'undecided'), row('a/c', 'blocked', { blockedBy: 'a/b' })], {
    findings: [finding('a/b', { outcome: 'undecided' })],
  });
  const doubt = entry({ outcome: 'undecided' });
  const block = entry({
    requirement: 'a/c',
    outcome: 'blocked',
    fingerprint: fingerprintOfBlocked('a/c', 'a/b'),
  });

  test('does not make the run incomplete, even if it blocks others', () => {
    expect(summaryOf(applyBaseline(open, { entries: [doubt, block] }))).toEqual({
      verdict: 'pass',
      problems: [],
      accepted: 2,
    });
    expect(summaryOf(applyBaseline(open, { entries: [doubt] })).verdict).toBe('incomplete');
    expect(renderFull(applyBaseline(open, { entries: [doubt, block] }))).toMatch(
      /ACCEPTED {2}a\/b {2}until 2026-01-31\n.*: known\nACCEPTED {2}1 blocked requirement\n {4}a\/c\n/,
    );
    expect(summaryOf(applyBaseline(open, { entries: [block] })).verdict).toBe('incomplete');
  });

  test('that is now blocked by another cause is not accepted, and its entry is no problem', () => {
    const otherwise = resultOf([passing, row('a/c', 'blocked', { blockedBy: 'a/x' })]);
    expect(summaryOf(applyBaseline(otherwise, { entries: [block] }))).toEqual({
      verdict: 'incomplete',
      problems: [],
      accepted: 0,
    });
  });

  test('that is decided now no longer occurs', () => {
    const decided = (outcome: Outcome): TestResult =>
      resultOf([passing, row('a/b', outcome), row('a/c', outcome)], {
        findings: outcome === 'failed' ? [finding('a/b'), finding('a/c')] : [],
      });
    expect(summaryOf(applyBaseline(decided('passed'), { entries: [doubt, block] })).problems).toEqual([
      'gone',
      'gone',
    ]);
    expect(summaryOf(applyBaseline(decided('failed'), { entries: [doubt, block] })).problems).toEqual([
      'changed',
      'gone',
    ]);
  });
});

describe('an entry', () => {
  test('is valid on its last day and expired on the next', () => {
    expect(summaryOf(applyBaseline(failing, { entries: [entry({ until: TODAY })] })).verdict).toBe('pass');
    const expired = applyBaseline(failing, { entries: [entry({ until: YESTERDAY })] });
    expect(summaryOf(expired)).toEqual({ verdict: 'fail', problems: ['expired'], accepted: 0 });
    expect(expired.baseline?.problems[0]?.message).toContain(YESTERDAY);
  });

  test('that has expired fails the run even for a warning', () => {
    const warning = resultOf([passing, row('a/b', 'failed', { level: 'SHOULD' })], {
      findings: [finding('a/b', { level: 'SHOULD' })],
    });
    expect(summaryOf(applyBaseline(warning, { entries: [] }))).toMatchObject({ verdict: 'pass' });
    expect(summaryOf(applyBaseline(warning, { entries: [entry({ until: YESTERDAY })] }))).toMatchObject({
      verdict: 'fail',
    });
  });

  test('that no longer occurs fails the run even if it has expired', () => {
    const fixed = resultOf([passing, row('a/b', 'passed')]);
    for (const until of [TODAY, YESTERDAY])
      expect(summaryOf(applyBaseline(fixed, { entries: [entry({ until })] }))).toEqual({
        verdict: 'fail',
        problems: ['gone'],
        accepted: 0,
      });
    const elsewhere = resultOf([passing, row('a/b', 'inapplicable')]);
    expect(summaryOf(applyBaseline(elsewhere, { entries: [entry()] })).problems).toEqual(['gone']);
  });

  test('has changed if another finding takes its place', () => {
    const result = applyBaseline(failing, { entries: [entry({ fingerprint: OTHER })] });
    expect(summaryOf(result)).toEqual({ verdict: 'fail', problems: ['changed'], accepted: 0 });
    expect(result.baseline?.problems[0]?.message).toContain('the status is 503; received status 503');
  });

  test('has not changed if a new finding appears beside it', () => {
    const more = resultOf([passing, row('a/b', 'failed')], {
      findings: [finding('a/b'), finding('a/b', { fingerprint: OTHER })],
    });
    expect(summaryOf(applyBaseline(more, { entries: [entry()] }))).toEqual({
      verdict: 'fail',
      problems: [],
      accepted: 0,
    });
  });

  test.each<[string, TestResult, Verdict]>([
    ['was not selected', resultOf([passing]), 'pass'],
    ['is blocked', resultOf([passing, row('a/b', 'blocked', { blockedBy: 'a/x' })]), 'incomplete'],
    [
      'is undecided',
      resultOf([passing, row('a/b', 'undecided')], {
        findings: [finding('a/b', { outcome: 'undecided', fingerprint: OTHER })],
      }),
      'incomplete',
    ],
    [
      'was not reached, because the server was down',
      resultOf([row('a/b', 'failed')], {
        reachable: false,
        findings: [finding('a/b', { fingerprint: OTHER })],
      }),
      'fail',
    ],
  ])('whose requirement %s is no problem', (_, result, verdict) => {
    expect(summaryOf(applyBaseline(result, { entries: [entry()] }))).toEqual({
      verdict,
      problems: [],
      accepted: 0,
    });
    expect(draftBaseline(result, TERMS, { entries: [entry()] })).toMatchObject({ kept: 1, dropped: [] });
  });

  test('of a function that is undecided, or fails in another way, is no problem', () => {
    const known = entry({ function: 'greet', fingerprint: OTHER });
    const addFails = finding('a/b', { where: at('add') });
    const having = (...more: readonly ReportedFinding[]): TestResult =>
      resultOf([passing, row('a/b', 'failed'), row('a/c', 'failed')], { findings: [addFails, ...more] });
    const accepted = [entry({ function: 'add' }), known];
    const kinds = (result: TestResult) => summaryOf(applyBaseline(result, { entries: accepted })).problems;
    expect(kinds(having())).toEqual(['gone']);
    expect(kinds(having(finding('a/b', { where: at('greet'), outcome: 'undecided' })))).toEqual([]);
    expect(kinds(having(finding('a/b', { outcome: 'undecided' })))).toEqual([]);
    expect(kinds(having(finding('a/c', { where: at('greet') })))).toEqual([]);
    expect(kinds(having(finding('a/c', { where: at('wait') })))).toEqual(['gone']);
  });

  test('of a function beyond the limit is no problem', () => {
    const result = resultOf([passing, row('a/b', 'passed')], {
      facts: [{ name: 'bound', text: '1 of 2 functions were called' }],
    });
    expect(summaryOf(applyBaseline(result, { entries: [entry({ function: 'add' })] })).problems).toEqual([]);
    expect(summaryOf(applyBaseline(result, { entries: [entry()] })).problems).toEqual(['gone']);
  });
});

describe('the level from which a failure fails the run', () => {
  const should = (failOn: 'must' | 'should'): TestResult =>
    resultOf([passing, row('a/b', 'failed', { level: 'SHOULD' })], {
      settings: settingsOf({ seed: 7, failOn }),
      findings: [finding('a/b', { level: 'SHOULD' })],
    });

  test('decides what is accepted, unless all findings are', () => {
    expect(baselineOf(should('must'), TERMS).entries).toEqual([]);
    expect(baselineOf(should('should'), TERMS).entries).toHaveLength(1);
    expect(baselineOf(should('must'), { ...TERMS, all: true }).entries).toHaveLength(1);
  });

  test('applies to findings that are not accepted', () => {
    expect(summaryOf(applyBaseline(should('should'), { entries: [] })).verdict).toBe('fail');
    expect(summaryOf(applyBaseline(should('should'), { entries: [entry()] })).verdict).toBe('pass');
    expect(applyBaseline(should('must'), { entries: [entry()] }).summary).toMatchObject({
      warnings: 0,
      accepted: 1,
    });
  });
});

describe('the entries of a result', () => {
  test('contain the reason, the end date and the finding', () => {
    expect(baselineOf(failing, TERMS).entries).toEqual([
      {
        requirement: 'a/b',
        outcome: 'failed',
        fingerprint: PRINT,
        evidence: 'the status is 503; expected status 200; received status 503',
        reason: 'known',
        until: '2026-12-31',
      },
    ]);
  });

  test('keep reason, end date and evidence of earlier entries, including accepted warnings', () => {
    const before = entry({ reason: 'mine', until: '2026-03-01', evidence: 'my words' });
    expect(baselineOf(failing, TERMS, { entries: [before] })).toEqual({ entries: [before] });
    const warning = resultOf([passing, row('a/b', 'failed', { level: 'MAY' })], {
      findings: [finding('a/b')],
    });
    expect(baselineOf(warning, TERMS, { entries: [before] })).toEqual({ entries: [before] });
  });

  test('keep an expired end date and report it', () => {
    const expired = entry({ until: YESTERDAY });
    expect(draftBaseline(failing, TERMS, { entries: [expired] })).toMatchObject({
      baseline: { entries: [expired] },
      expired: [expired],
    });
  });

  test('leave out and report entries that are gone or have changed', () => {
    const old = entry({ fingerprint: OTHER });
    const draft = draftBaseline(failing, TERMS, { entries: [old] });
    expect(draft).toMatchObject({ added: 1, kept: 0, dropped: [old] });
    expect(draft.baseline.entries).toMatchObject([{ fingerprint: PRINT }]);
    expect(draftBaseline(resultOf([row('a/b', 'passed')]), TERMS, { entries: [old] })).toMatchObject({
      baseline: { entries: [] },
      dropped: [old],
    });
  });

  test.each([
    ['the deadline', { received: 'none: deadline' }],
    ['a busy machine', { received: 'figures of an overloaded client' }],
    ['figures near a limit', { message: 'p95 is above its limit, but not beyond doubt' }],
  ])('leave out and report findings that are undecided for %s, and those that they block', (_, parts) => {
    const undecided = resultOf(
      [
        row('a/b', 'undecided'),
        row('a/c', 'blocked', { blockedBy: 'a/d' }),
        row('a/d', 'blocked', { blockedBy: 'a/b' }),
        row('a/e', 'undecided'),
      ],
      {
        findings: [
          finding('a/b', { outcome: 'undecided', ...parts }),
          finding('a/e', { outcome: 'undecided', received: 'status 400' }),
        ],
      },
    );
    const draft = draftBaseline(undecided, TERMS);
    expect(draft.baseline.entries).toMatchObject([{ requirement: 'a/e' }]);
    expect(draft.leftOpen.toSorted()).toEqual(['a/b', 'a/c', 'a/d']);
    expect(summaryOf(applyBaseline(undecided, draft.baseline))).toMatchObject({
      verdict: 'incomplete',
      accepted: 1,
    });
  });

  test('are shortened and without effect on a terminal', () => {
    const long = resultOf([row('a/b', 'failed')], {
      findings: [finding('a/b', { received: `\u001B[2J${'x'.repeat(1_000_000)}` })],
    });
    const [{ evidence = '' } = entry()] = baselineOf(long, TERMS).entries;
    expect(evidence.length).toBeLessThanOrEqual(400);
    expect(evidence).not.toContain('\u001B');
  });
});

const generatedRow = fc.record({
  kind: fc.constantFrom(...ROW_KINDS),
  level: fc.constantFrom('MUST', 'SHOULD', 'MAY'),
  found: fc.array(
    fc.record({
      outcome: fc.constantFrom('failed', 'undecided'),
      fingerprint: fc.constantFrom(PRINT, OTHER),
      name: fc.constantFrom(undefined, 'add', 'probity-unknown-1'),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
const anyResult = fc
  .record({ rows: fc.array(generatedRow, { maxLength: 6 }), failOn: fc.constantFrom('must', 'should') })
  .map(({ rows, failOn }): TestResult => {
    const outcomes = rows.map(({ kind, level, found }, index) => ({
      made: row(`a/r${index}`, kind, { level, ...(kind === 'blocked' ? { blockedBy: 'a/r0' } : {}) }),
      found: found
        .map((one, turn) => (turn === 0 && kind === 'failed' ? { ...one, outcome: kind } : one))
        .filter(
          (one) =>
            kind === 'failed' ||
            (kind !== 'passed' && kind !== 'inapplicable' && one.outcome === 'undecided'),
        ),
    }));
    return resultOf(
      outcomes.map(({ made }) => made),
      {
        settings: settingsOf({ seed: 7, failOn }),
        findings: outcomes.flatMap(({ made, found }) =>
          found.map(({ name, ...parts }) =>
            finding(made.id, {
              ...parts,
              level: made.level,
              where: { ...finding('a/b').where, ...(name === undefined ? {} : { function: name }) },
            }),
          ),
        ),
      },
    );
  });

const RANK: Readonly<Record<Verdict, number>> = { pass: 0, incomplete: 1, fail: 2 };

describe('the baseline of any result, applied to it', () => {
  test('never fails it and leaves only requirements without findings open', () => {
    fc.assert(
      fc.property(anyResult, fc.boolean(), (result, all) => {
        const baseline = baselineOf(result, { ...TERMS, all });
        const applied = applyBaseline(result, baseline);
        expect(applied.baseline?.problems).toEqual([]);
        expect(applied.verdict).not.toBe('fail');
        expect(RANK[applied.verdict]).toBeLessThanOrEqual(RANK[result.verdict]);
        expect(applied.summary).toMatchObject({ failed: 0 });
        if (all) expect(applied.summary.warnings).toBe(0);
        expect(applyBaseline(applied, baseline)).toEqual(applied);
        expect(applyBaseline(applied, { entries: [] })).toMatchObject({
          verdict: result.verdict,
          summary: result.summary,
          results: result.results,
        });
        expect(baselineOf(applied, { ...TERMS, all, reason: 'another' }, baseline)).toEqual(baseline);
      }),
      { numRuns: 500 },
    );
  });
});
