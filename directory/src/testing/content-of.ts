import { createHash } from 'node:crypto';
import type { TestResult } from 'probity/model';

/**
 * A digest of what a result says about its target, equal for two results that say the same: the outcome of every
 * requirement, with its findings and errors, from the same suites, of the same version of the target. Times, measured
 * values and texts of answers are not part of it, because they differ in each run. Pure.
 */
export function contentOf({
  harness,
  suites,
  target,
  verdict,
  reachable,
  results,
  findings,
  errors,
}: TestResult): Buffer {
  const { form, name, version } = target;
  const content = {
    harness,
    suites,
    target: { form, name, version },
    verdict,
    reachable,
    results: results.map(({ id, level, outcome }) => [id, level, outcome]),
    findings: findings.map(({ fingerprint, outcome, level }) => [fingerprint, outcome, level]),
    errors: errors.map(({ operation, code, status }) => [operation, code, status]),
  };
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
