import { isMeasurement } from '../model/measurement.ts';
import type { Sampler } from '../model/probe.ts';
import type { TestResult } from '../model/report.ts';

/** Answers with the measurements of a saved report; a missing one counts as not measured for lack of time. */
export function createReplayingSampler({ responseTimes }: Pick<TestResult, 'responseTimes'>): Sampler {
  const byKey = new Map(responseTimes.filter(isMeasurement).map((one) => [one.key, one]));
  return { measure: async ({ key }) => byKey.get(key) ?? null };
}
