import { failedCalls, type LatencySummary, type LoadResult } from '../../model/load.ts';
import type { Measurement, ResponseTimes } from '../../model/measurement.ts';

export interface Measured {
  readonly key: string;
  readonly operation: ResponseTimes['operation'];
  readonly functionName: string | null;
  /** Planned calls; 0 if a duration was planned. */
  readonly planned: number;
}

/** What counts of the result of a load; no client without a load. */
export type MeasuredLoad = Pick<
  LoadResult,
  'model' | 'transport' | 'series' | 'throughputPerSecond' | 'stoppedBy' | 'doubts'
> &
  Pick<Measurement, 'client'>;

/** The stored figures of one request in a load: texts without secrets, times rounded to microseconds. */
export function measurementOf(
  { key, operation, functionName, planned }: Measured,
  result: MeasuredLoad,
  place: number,
  redact: (text: string) => string,
): Measurement {
  const series = result.series[place];
  const latency = series?.latency ?? null;
  const errorKinds = (series?.errors ?? []).map((error) => ({
    ...error,
    code: redact(error.code),
    message: redact(error.message),
  }));
  const { model, transport, stoppedBy } = result;
  return {
    key,
    operation,
    ...(functionName === null ? {} : { function: functionName }),
    count: series?.count ?? 0,
    errors: failedCalls({ errors: errorKinds }),
    samples: latency?.count ?? 0,
    ...timesOf(latency),
    load: {
      model,
      transport,
      planned,
      attempts: 1,
      stoppedBy: stoppedBy === null ? null : redact(stoppedBy),
    },
    throughputPerSecond: throughputOf(result, place),
    client: result.client,
    histogram: latency?.histogram ?? null,
    unreliable: result.doubts.map(redact),
    errorKinds,
  };
}

/** The share of one request in the throughput of a mix. */
function throughputOf({ series, throughputPerSecond }: MeasuredLoad, place: number): number {
  const served = series.map((one) => one.count - failedCalls(one));
  const all = served.reduce((sum, count) => sum + count, 0);
  return all === 0 ? 0 : rounded((throughputPerSecond * (served[place] ?? 0)) / all);
}

function timesOf(
  latency: LatencySummary | null,
): Omit<Partial<Measurement>, 'intervals'> & Pick<Measurement, 'intervals'> {
  if (latency === null) return { intervals: {} };
  const { minMs, meanMs, maxMs, percentiles } = latency;
  return {
    minMs: rounded(minMs),
    meanMs: rounded(meanMs),
    ...Object.fromEntries(
      percentiles.map(({ percentile, valueMs }) => [`${percentile}Ms`, rounded(valueMs)]),
    ),
    maxMs: rounded(maxMs),
    intervals: Object.fromEntries(
      percentiles.map(({ percentile, intervalMs: [low, high] }) => [
        percentile,
        [rounded(low), rounded(high)],
      ]),
    ),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
