import type { Measurement } from '../model/measurement.ts';
import { decodeHistogram } from './encoded-histogram.ts';
import { rangeOfQuantileUs, valueAtRankUs } from './histogram.ts';

type Range = readonly [low: number, high: number];

/**
 * The time of the faster calls of a run: other work on the machine delays many calls, but rarely the fastest ones. So
 * two runs of one server agree in it, even where their medians do not.
 */
export interface FastestCalls {
  /** The fastest tenth; with few samples, the fastest half. */
  readonly of: 'tenth' | 'half';
  readonly withinMs: number;
  /** 95 % interval, in milliseconds. */
  readonly intervalMs: Range;
}

const QUANTILE = { tenth: 0.1, half: 0.5 } as const;
/** With fewer, the smallest sample is inside the 95 % interval. */
const MIN_SAMPLES = { tenth: 35, half: 6 } as const;

/** The part by which measurements are compared, of which the smallest has this number of samples. */
export function partOf(samples: number): FastestCalls['of'] {
  return samples < MIN_SAMPLES.tenth ? 'half' : 'tenth';
}

/** If more calls waited for others, even the fastest tenth may contain waiting. */
const MAX_WAITED = 0.5;
/** Of the client’s own writes, in the median: a client that is late by more also reads all answers late. */
const MAX_LATENESS_MS = 0.2;

/**
 * Why the time of the fastest calls cannot be relied on; null if it can. What makes figures unreliable lengthens medians
 * and tails, but not the fastest tenth, if calls go one by one over a single connection, at least half of them found it
 * free, and at least half were sent on time. Pure.
 */
export function doubtOf({ unreliable, load, client }: Measurement, of: FastestCalls['of']): string | null {
  const [doubt] = unreliable;
  if (doubt === undefined) return null;
  const { model } = load;
  const isKnown =
    of === 'tenth' &&
    model.kind === 'open' &&
    model.maxConnections === 1 &&
    client !== null &&
    (client.latenessMs?.p50Ms ?? Number.POSITIVE_INFINITY) <= MAX_LATENESS_MS &&
    (client.waitedForConnection ?? 1) <= MAX_WAITED;
  return isKnown ? null : doubt;
}

/** Null if there are too few samples, or no figures that can be relied on. Pure. */
export function fastestCalls(
  measurement: Measurement,
  of: FastestCalls['of'] = partOf(measurement.samples),
): FastestCalls | null {
  const { histogram } = measurement;
  if (histogram === null || doubtOf(measurement, of) !== null) return null;
  const decoded = decodeHistogram(histogram);
  if (decoded === null || decoded.totalCount < MIN_SAMPLES[of]) return null;
  const [lowUs, highUs] = rangeOfQuantileUs(decoded, QUANTILE[of]);
  const withinUs = valueAtRankUs(decoded, Math.ceil(QUANTILE[of] * decoded.totalCount));
  return { of, withinMs: withinUs / 1000, intervalMs: [lowUs / 1000, highUs / 1000] };
}

/** By which even the fastest calls of an unchanged server rarely differ between two runs. */
const MIN_RATIO = 1.2;
/** The same for calls of less than a few milliseconds, in which the machine’s own share is large. */
const MIN_DIFFERENCE_MS = 0.4;

/** How the intervals of later runs, all of them, lie to an earlier one. Pure. */
export function compareFastest(
  beforeMs: Range,
  laterMs: readonly Range[],
): 'worse' | 'better' | 'no-difference-shown' {
  if (laterMs.every((after) => isSlower(beforeMs, after))) return 'worse';
  return laterMs.every((after) => isSlower(after, beforeMs)) ? 'better' : 'no-difference-shown';
}

function isSlower([, fastHighMs]: Range, [slowLowMs]: Range): boolean {
  return slowLowMs >= fastHighMs * MIN_RATIO && slowLowMs - fastHighMs >= MIN_DIFFERENCE_MS;
}
