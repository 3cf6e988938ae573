import { expect } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { type KindOfRow, kindOf } from '../row-kind.ts';
import { familyOf } from './all-mutants.ts';
import { LISTING_FILE } from './listed.ts';
import type { MutantClaims } from './mutant.ts';
import type { MutantLine } from './mutant-table.ts';

export function idsWith(result: TestResult, ...kinds: readonly KindOfRow[]): readonly string[] {
  return result.results.filter((row) => kinds.includes(kindOf(row))).map(({ id }) => id);
}

export function lineOf(mutant: MutantClaims, form: string, result: TestResult): MutantLine {
  const failed = idsWith(result, 'failed');
  return {
    row: mutant.row,
    form,
    name: mutant.name,
    killed: failed.includes(mutant.row),
    alsoFailed: failed.filter((id) => id !== mutant.row),
    blocked: idsWith(result, 'blocked').length,
  };
}

/** The broken row fails, and of the other rows only those that the mutant names. */
export function expectKilled(mutant: MutantClaims, result: TestResult): void {
  const { row, alsoFails = {}, mayFail, fault = 'server' } = mutant;
  const failed = idsWith(result, 'failed');
  expect(failed, inWords(result, [row])).toContain(row);
  const others = failed.filter((id) => id !== row && !mayFail?.test(id));
  expect(others.toSorted(), inWords(result, others)).toEqual(Object.keys(alsoFails).toSorted());
  const findings = result.findings.filter(({ id, outcome }) => id === row && outcome === 'failed');
  expect(findings).not.toEqual([]);
  for (const finding of findings) {
    expect(finding.fault).toBe(fault);
    // Findings about a listing have no exchange.
    if (familyOf(row) === 'listing') expect(finding.where.suite).toBe(LISTING_FILE);
    else expect(finding.curl).toMatch(/^(curl|printf|\{) /);
    for (const key of ['message', 'expected', 'received', 'why', 'fix', 'check'] as const)
      expect(finding[key]?.trim() ?? '', key).not.toBe('');
  }
}

/** The findings of these rows, for the message of a failed test. */
export function inWords({ findings }: TestResult, ids: readonly string[]): string {
  return findings
    .filter(({ id }) => ids.includes(id))
    .map(
      ({ id, where, message, received }) =>
        `${id} (${where.exchange ?? where.step}): ${message}; received ${received}`,
    )
    .join('\n');
}

/** Every row is decided once, an undecided row gives a reason, and the verdict follows from the rows. */
export function expectHonest(
  { leavesOpen = {} }: Pick<MutantClaims, 'leavesOpen'>,
  result: TestResult,
  plannedRows: readonly string[],
): void {
  expect(result.results.map(({ id }) => id).toSorted()).toEqual(plannedRows);
  const undecidedFor = result.results.flatMap(({ blockedBy }) => blockedBy ?? []);
  const open = idsWith(result, 'failed', 'undecided');
  expect([...new Set(undecidedFor)].filter((id) => !open.includes(id))).toEqual([]);
  expect(idsWith(result, 'undecided').toSorted()).toEqual(Object.keys(leavesOpen).toSorted());
  const failsMust = result.results.some(({ outcome, level }) => outcome === 'failed' && level === 'MUST');
  const isOpen = result.results.some(
    ({ outcome, because }) => outcome === 'undecided' && because !== 'not-exercised',
  );
  const { exercised, needed } = result.coverage ?? { exercised: 0, needed: 0 };
  expect(result.verdict).toBe(failsMust ? 'fail' : isOpen || exercised < needed ? 'incomplete' : 'pass');
}
