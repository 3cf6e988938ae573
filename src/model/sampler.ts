import type { PlannedRequest } from './probe.ts';
import type { Measurement, ResponseTimes } from './report.ts';

/** A request that is to be timed, and how. */
export interface SamplingPlan {
  /** Names the step and item, as the key of an exchange does without its attempt. Unique within a run. */
  readonly key: string;
  readonly operation: ResponseTimes['operation'];
  readonly functionName: string | null;
  readonly request: Pick<PlannedRequest, 'method' | 'url' | 'headers' | 'body' | 'anonymous'>;
  readonly calls: number;
  readonly ratePerSecond: number;
  readonly connections: number;
  readonly timeoutMs: number;
  /** Measuring ends after this, whatever was measured until then. */
  readonly withinMs: number;
  /** A measurement that cannot be relied on is made again only as long as all attempts take no longer than this. */
  readonly repeatWithinMs: number;
  readonly seed: number;
}

/**
 * Times a request again and again. Never rejects: what goes wrong is part of the measurement. Null where there was no
 * time for it, or the run was interrupted before it began.
 */
export interface Sampler {
  measure(plan: SamplingPlan): Promise<Measurement | null>;
}
