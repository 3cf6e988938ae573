import type { ListingJudgement, ListingRow, TestResult } from 'probity/model';
import { describe, expect, it } from 'vitest';
import { missingOf, withPolicy } from '../../src/checking/apply-policy.ts';
import { DEFAULT_POLICY } from '../../src/settings/policy.ts';

const row = (
  requirement: ListingRow['requirement'],
  level: ListingRow['level'],
  outcome: ListingRow['outcome'] = 'passed',
): ListingRow => ({ requirement, level, outcome, evidence: [] });
const GOOD: ListingJudgement = {
  decision: 'list',
  rows: [row('listing/mcp-support', 'MUST'), row('listing/security-audit', 'MAY', 'failed')],
};

function resultOf(parts: Partial<TestResult> = {}): TestResult {
  return { verdict: 'pass', results: [], ...parts } as TestResult;
}

const SHOULD_FAILS = resultOf({
  results: [
    { id: 'documentation/function-descriptions', level: 'SHOULD', outcome: 'failed' },
  ] as unknown as TestResult['results'],
});
const HALF = resultOf({
  coverage: {
    ...{ listed: 5, excluded: 1, exercised: 2, needed: 0 },
    notExercised: [{ function: 'unlock', why: 'it refuses every input', remedy: 'Give a sample.' }],
  },
});

describe('the policy of an operator', () => {
  it('by default asks for no more than the specification', () => {
    for (const result of [resultOf(), SHOULD_FAILS, HALF])
      expect(withPolicy(GOOD, result, DEFAULT_POLICY).decision).toBe('list');
  });

  it('rejects for requirements of level SHOULD, and names them', () => {
    const judged = withPolicy(GOOD, SHOULD_FAILS, { ...DEFAULT_POLICY, rejectOn: 'should' });
    expect(judged.decision).toBe('reject');
    expect(JSON.stringify(judged.rows)).toContain('not met: documentation/function-descriptions');
  });

  it.each([
    [50, 'list'],
    [51, 'hold'],
  ] as const)('with a coverage of at least %s %% decides: %s', (minimumCoverage, decision) => {
    const judged = withPolicy(GOOD, HALF, { ...DEFAULT_POLICY, minimumCoverage });
    expect(judged.decision).toBe(decision);
    const missing = missingOf(HALF, judged).join(' ');
    if (decision === 'list') expect(missing).toBe('');
    else expect(missing).toMatch(/50 % of the functions.*asks for 51 %.*unlock: it refuses every input/);
  });

  it('lists only audited servers', () => {
    const rules = { ...DEFAULT_POLICY, requireAudit: true };
    expect(withPolicy(GOOD, resultOf(), rules).decision).toBe('reject');
    const audited = { ...GOOD, rows: [row('listing/security-audit', 'MAY')] };
    expect(withPolicy(audited, resultOf(), rules).decision).toBe('list');
  });

  it('says what a test that is incomplete did not decide', () => {
    const result = resultOf({
      verdict: 'incomplete',
      results: [
        { id: 'robustness/survives', level: 'MUST', outcome: 'undecided' },
      ] as unknown as TestResult['results'],
    });
    expect(missingOf(result, GOOD)).toEqual([expect.stringContaining('robustness/survives')]);
    // What failed beside it decides.
    expect(missingOf(result, { ...GOOD, decision: 'reject' })).toEqual([]);
  });
});
