import type { LoadPlan } from './load-plan.ts';

/** Gives the loops their calls, until the load is over. */
export interface CallSource {
  /** Whether a call that is due then is sent at all, and whether it is measured. */
  next(dueMs: number): 'measured' | 'unmeasured' | 'over';
  taken(measured: boolean): void;
  sent(measured: boolean, nowMs: number): void;
  /** A call that is due finds every connection busy; `waiting` calls wait now. */
  waits(measured: boolean, waiting: number): void;
  /** Place of the next request of the mix. */
  pick(): number;
}

/** When measuring begins and ends, and how many of its calls were sent and answered. */
export interface Span {
  fromMs: number;
  /** Nothing that is due later is sent. */
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

/** Of the calls that were answered while the load lasted; those answered after its end say nothing of the rate. */
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
  };
}

/** Picks the next request of a mix by weight and at random: a fixed order could be in step with the target's own. */
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
