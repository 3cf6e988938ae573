import type { ResultOutline, TestResult } from 'probity/model';

/** What the details operation shows of a result, besides its summary. Pure. */
export function outlineOf(result: TestResult): ResultOutline {
  const { results, findings, responseTimes, errors, samples, facts, harness } = result;
  return { results, findings, responseTimes, errors, samples, facts, harness };
}
