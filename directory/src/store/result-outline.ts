import type { ResultOutline, TestResult } from 'probity/model';

/** The part of a result that the details operation shows besides its summary. Pure. */
export function outlineOf(result: TestResult): ResultOutline {
  const { results, findings, responseTimes, errors, samples, facts, harness } = result;
  return { results, findings, responseTimes, errors, samples, facts, harness };
}
