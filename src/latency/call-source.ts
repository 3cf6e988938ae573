import type { LoadPlan } from './load-plan.ts';

/** Provides the loops with calls until the load is over. */
export interface CallSource {
  /** Whether a call with this due time is sent, and whether it is measured. */
  next(dueMs: number): 'measured' | 'unmeasured' | 'over';
  taken(measured: boolean): void;
  sent(measured: boolean, nowMs: number): void;
  /** Called if all connections are busy when a call is due; `waiting` calls now wait. */
  waits(measured: boolean, waiting: number): void;
  /** Index of the next request of the mix. */
  pick(): number;
  /** Whether the load was stopped: then even calls that were taken are not sent. */
  isStopped(): boolean;
}

/** When measuring begins and ends, and how many of its calls were sent and answered. */
export interface Span {
  fromMs: number;
  /** Calls that are due later are not sent. */
  endMs: number;
  /** By then every call that was due should have been sent. */
  timeMs: number;
  issued: number;
  sentInTime: number;
  waited: number;
  answeredInTime: number;
  lastEndMs: number;
  fellBehind: boolean;
}

export function createSpan(): Span {
  return {
    fromMs: Infinity,
    endMs: Infinity,
    timeMs: Infinity,
    issued: 0,
    sentInTime: 0,
    waited: 0,
    answeredInTime: 0,
    lastEndMs: 0,
    fellBehind: false,
  };
}

/** The rate of the calls that were answered during the load; answers after its end are not counted. */
export function throughputOf({ fromMs, endMs, lastEndMs, answeredInTime }: Span): number {
  const durationMs = Math.min(endMs, lastEndMs) - fromMs;
  return durationMs > 0 ? (answeredInTime * 1000) / durationMs : 0;
}

export function createCallSource(
  { requests, maxRequests, maxWaiting }: LoadPlan,
  span: Span,
  random: () => number,
  isStopped: () => boolean,
  stop: (because: string) => void,
): CallSource {
  return {
    next: (dueMs) => {
      if (isStopped() || dueMs >= span.endMs) return 'over';
      if (dueMs < span.fromMs) return 'unmeasured';
      return span.issued >= (maxRequests ?? Infinity) ? 'over' : 'measured';
    },
    taken: (isMeasured) => {
      if (isMeasured) span.issued += 1;
    },
    sent: (isMeasured, nowMs) => {
      if (isMeasured && nowMs <= span.timeMs) span.sentInTime += 1;
    },
    waits: (isMeasured, waiting) => {
      if (isMeasured) span.waited += 1;
      if (maxWaiting === null || waiting <= maxWaiting) return;
      span.fellBehind = true;
      stop('the target fell behind the rate');
    },
    pick: createMix(
      requests.map(({ weight }) => weight),
      random,
    ),
    isStopped,
  };
}

/**
 * Picks the next request of a mix by weight and at random, because a fixed order could coincide with a cycle of the
 * target.
 */
export function createMix(weights: readonly number[], random: () => number): () => number {
  if (weights.length < 2) return () => 0;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return () => {
    let left = random() * total;
    const index = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return index === -1 ? weights.length - 1 : index;
  };
}
