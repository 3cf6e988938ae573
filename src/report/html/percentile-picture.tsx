import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import type { VNode } from 'preact';
import { type Histogram, valueAtRankUs } from '../../latency/histogram.ts';
import { QUANTILE } from '../../latency/percentiles.ts';
import { PERCENTILES } from '../../model/percentile.ts';
import type { Measurement } from '../../model/report.ts';
import { inMs } from '../view/figures.ts';
import { HEIGHT, LEFT, RIGHT, round, type TimeAxis, TOP, WIDTH } from './picture-frame.ts';

const POINTS = 60;
const TICKS = [
  [0, 'min'],
  [0.5, 'p50'],
  [0.9, 'p90'],
  [0.95, 'p95'],
  [0.99, 'p99'],
  [0.999, 'p99.9'],
] as const;
const MAX_TICKS = 6;
/** Beyond this ratio, a linear scale would flatten all but the slowest calls. */
const LARGEST_LINEAR_RATIO = 20;

/**
 * Latency by percentile, stretched to show the slowest calls: each step to the right has a tenth of the calls of the
 * step before. A bar is the 95 % interval of a percentile.
 */
export function PercentilePicture({
  times,
  histogram,
  label,
  axis,
}: {
  readonly times: Measurement;
  readonly histogram: Histogram;
  readonly label: string;
  readonly axis: TimeAxis;
}): VNode {
  const count = histogram.totalCount;
  const valueMs = (quantile: number): number =>
    valueAtRankUs(histogram, Math.max(1, Math.min(count, Math.ceil(quantile * count)))) / 1000;
  const x = scaleLog([1, Math.max(10, count)], [LEFT, RIGHT]);
  const given = PERCENTILES.filter((percentile) => times.intervals[percentile] !== undefined);
  const { minMs, maxMs } = axis;
  const y =
    maxMs > LARGEST_LINEAR_RATIO * axis.typicalMs
      ? scaleLog([minMs * 0.8, maxMs * 1.1], [HEIGHT, TOP])
      : scaleLinear([0, maxMs * 1.05], [HEIGHT, TOP]);
  const quantiles = Array.from({ length: POINTS + 1 }, (_, index) => 1 - count ** (-index / POINTS));
  const path = line<number>(
    (quantile) => round(x(1 / (1 - quantile))),
    // The last point is the slowest call.
    (quantile) => round(y(Math.max(minMs, valueMs(quantile === quantiles.at(-1) ? 1 : quantile)))),
  )(quantiles);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT + 26}`}
      role="img"
      aria-label={`Latency by percentile of ${label}: ${given.map((name) => `${name} ${inMs(times[`${name}Ms`] ?? 0)}`).join(', ')}`}
    >
      {readable(y.ticks(4)).map((tick) => (
        <g key={tick} class="tick">
          <path d={`M${LEFT} ${round(y(tick))}H${RIGHT}`} />
          <text x={LEFT - 4} y={round(y(tick)) + 3}>
            {Number(tick.toPrecision(3))}
          </text>
        </g>
      ))}
      {TICKS.filter(([quantile]) => 1 / (1 - quantile) <= Math.max(10, count)).map(([quantile, name]) => (
        <text key={name} class="axis" x={round(x(1 / (1 - quantile)))} y={HEIGHT + 12}>
          {name}
        </text>
      ))}
      <text x={LEFT} y={HEIGHT + 24}>
        ms by percentile, bars: 95 % intervals
      </text>
      <path class="curve" d={path ?? ''} />
      {given.map((percentile) => {
        const at = round(x(1 / (1 - QUANTILE[percentile])));
        const [low, high] = times.intervals[percentile] ?? [0, 0];
        return (
          <g key={percentile} class="interval-bar">
            <path d={`M${at} ${round(y(Math.max(minMs, low)))}V${round(y(Math.max(minMs, high)))}`} />
            <circle cx={at} cy={round(y(Math.max(minMs, times[`${percentile}Ms`] ?? 0)))} />
          </g>
        );
      })}
    </svg>
  );
}

/** A logarithmic scale has more ticks than there is room for. */
function readable(ticks: readonly number[]): readonly number[] {
  if (ticks.length <= MAX_TICKS) return ticks;
  const leading = (digits: readonly number[]): readonly number[] =>
    ticks.filter((tick) => digits.includes(Math.round(tick / 10 ** Math.floor(Math.log10(tick) + 1e-9))));
  const some = leading([1, 2, 5]);
  return some.length <= MAX_TICKS ? some : leading([1]);
}
