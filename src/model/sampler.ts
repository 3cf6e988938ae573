import type { PlannedHttp, PlannedMessage } from './probe.ts';
import type { Measurement, ResponseTimes } from './report.ts';

/** What is sent again and again. */
export type TimedRequest =
  | Pick<PlannedHttp, 'method' | 'url' | 'headers' | 'body' | 'anonymous'>
  | Pick<PlannedMessage, 'conversation' | 'sends' | 'headers' | 'anonymous'>;

export interface SamplingPlan {
  /** Names the step and item, as the key of an exchange does without its attempt. Unique within a run. */
  readonly key: string;
  readonly operation: ResponseTimes['operation'];
  readonly functionName: string | null;
  readonly request: TimedRequest;
  readonly calls: number;
  readonly ratePerSecond: number;
  readonly connections: number;
  readonly timeoutMs: number;
  /** Maximum time of one measurement. */
  readonly withinMs: number;
  /** An unreliable measurement is repeated only while all attempts together take no longer than this. */
  readonly repeatWithinMs: number;
  readonly seed: number;
}

/**
 * Times repeated calls of a request. Never rejects: failures are part of the measurement. Null if there was no time for
 * it, or the run was interrupted before it began.
 */
export interface Sampler {
  /** Prepares the client for its first measurement; a sampler that sends nothing needs none. */
  warmUp?(): Promise<void>;
  /**
   * @param onStall called when the target has not answered for much longer than before; the measurement then ends with
   *   the next answer or time-out, which it includes
   */
  measure(plan: SamplingPlan, onStall?: () => void): Promise<Measurement | null>;
}
