import { expect } from 'vitest';
import type { FirstFailure } from '../../src/judge/first-failure.ts';
import type { TestResult } from '../../src/model/report.ts';

/** What is told while a check goes on is never taken back; the report may have better words for it. */
export function expectTold(told: readonly FirstFailure[], { findings }: TestResult): void {
  const failed = findings.filter(({ outcome, level }) => outcome === 'failed' && level === 'MUST');
  for (const { requirement } of told) expect(failed.map(({ id }) => id)).toContain(requirement);
}
