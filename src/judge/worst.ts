import type { Finding } from '../model/judgement.ts';

/** The first of these outcomes that occurs decides a requirement. */
export const OUTCOME_ORDER = [
  'failed',
  'blocked',
  'undecided',
  'passed',
  'inapplicable',
] as const satisfies readonly Finding['outcome'][];

/** One failure fails a requirement; without one it is undecided as long as any part of it is. */
export function worst<T extends { readonly outcome: Finding['outcome'] }>(
  findings: readonly T[],
): T | undefined {
  for (const outcome of OUTCOME_ORDER) {
    const found = findings.find((finding) => finding.outcome === outcome);
    if (found !== undefined) return found;
  }
  return undefined;
}
