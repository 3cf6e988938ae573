import { scaleLinear, scaleLog } from 'd3-scale';
import type { VNode } from 'preact';
import { bucketsOf, type Histogram, valueAtRankUs } from '../../latency/histogram.ts';
import { QUANTILE } from '../../latency/percentiles.ts';
import type { BudgetedFigure } from '../../model/budget.ts';
import { PERCENTILES } from '../../model/load.ts';
import type { Measurement } from '../../model/measurement.ts';
import type { BudgetView } from '../view/figures.ts';
import { inMs } from '../view/figures.ts';
import type { Labelled } from '../view/report-view.ts';
import {
  HEIGHT,
  LEFT,
  lineThrough,
  RIGHT,
  readable,
  round,
  type TimeAxis,
  TOP,
  WIDTH,
} from './picture-frame.ts';

interface Pictured {
  readonly times: Labelled<Measurement>;
  readonly histogram: Histogram;
  readonly axis: TimeAxis;
}

const BARS = 28;

/**
 * The distribution of durations on a logarithmic scale: each bar covers durations a constant factor longer than the bar
 * before.
 */
export function HistogramPicture({ times, histogram, axis: { minMs, maxMs } }: Pictured): VNode {
  const values = [...bucketsOf(histogram)].map(([us, count]) => [Math.max(1, us) / 1000, count] as const);
  const x = scaleLog([minMs, maxMs], [LEFT, RIGHT]);
  const barWidth = (RIGHT - LEFT) / BARS;
  const bars = Array.from({ length: BARS }, () => 0);
  for (const [ms, count] of values) {
    const bar = Math.min(BARS - 1, Math.max(0, Math.floor((x(ms) - LEFT) / barWidth)));
    bars[bar] = (bars[bar] ?? 0) + count;
  }
  const y = scaleLinear([0, Math.max(...bars)], [0, HEIGHT - TOP]);
  // One path of thick lines for all is a fifth of the size of elements.
  const barPath = (count: number, index: number): string =>
    count === 0
      ? ''
      : `M${round(LEFT + (index + 0.5) * barWidth)} ${HEIGHT}v${-round(Math.max(1, y(count)))}`;
  const median = times.p50Ms === undefined ? null : round(x(Math.min(maxMs, Math.max(minMs, times.p50Ms))));
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`}
      role="img"
      aria-label={`Distribution of the times of ${times.label}: from ${inMs(times.minMs ?? 0)} to ${inMs(times.maxMs ?? 0)}`}
    >
      <line class="base" x1={LEFT} x2={RIGHT} y1={HEIGHT} y2={HEIGHT} />
      <path class="bar" d={bars.map((count, index) => barPath(count, index)).join('')} />
      {median === null ? null : <line class="median" x1={median} x2={median} y1={TOP} y2={HEIGHT} />}
      <g class="scale">
        {ticksOf(x.ticks(), maxMs / minMs).map((tick) => (
          <text key={tick} x={round(x(tick))} y={HEIGHT + 12}>
            {Number(tick.toPrecision(2))}
          </text>
        ))}
      </g>
    </svg>
  );
}

/** The ticks of a scale that covers a small part of a power of ten are close together at its end. */
function ticksOf(ticks: readonly number[], ratio: number): readonly number[] {
  return ratio < 3 ? ticks.filter((_, index) => index % Math.ceil(ticks.length / 5) === 0) : readable(ticks);
}

export function Grid({
  ticks,
  y,
}: Readonly<{ ticks: readonly number[]; y: (value: number) => number }>): VNode {
  return (
    <g class="grid">
      <path d={ticks.map((tick) => `M${LEFT} ${round(y(tick))}H${RIGHT}`).join('')} />
      {ticks.map((tick) => (
        <text key={tick} x={LEFT - 4} y={round(y(tick)) + 3}>
          {Number(tick.toPrecision(3))}
        </text>
      ))}
    </g>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly bar: readonly number[] | undefined;
}

export function Intervals({ points }: { readonly points: readonly Point[] }): VNode {
  return (
    <g class="intervals">
      <path d={points.map(({ x, bar }) => (bar ? `M${x} ${bar.join('V')}` : '')).join('')} />
      {points.map(({ x, y }, index) => (
        <circle key={index} cx={x} cy={y} />
      ))}
    </g>
  );
}

const POINTS = 40;
const TICKS = [
  [0, 'min'],
  [0.5, 'p50'],
  [0.9, 'p90'],
  [0.95, 'p95'],
  [0.99, 'p99'],
  [0.999, 'p99.9'],
] as const;
/** Beyond this ratio, a linear scale would flatten all but the slowest calls. */
const LARGEST_LINEAR_RATIO = 20;
const BUDGET_WIDTH = 36;

/**
 * Latency by percentile, stretched to show the slowest calls: each step to the right has a tenth of the calls of the
 * step before. A bar is the 95 % interval of a percentile, a line across it the budget.
 */
export function PercentilePicture({
  times,
  histogram,
  axis,
  budgets,
}: Pictured & {
  /** All of them in the range of the axis. */
  readonly budgets: readonly BudgetView[];
}): VNode {
  const count = histogram.totalCount;
  const valueMs = (quantile: number): number =>
    valueAtRankUs(histogram, Math.max(1, Math.min(count, Math.ceil(quantile * count)))) / 1000;
  const x = scaleLog([1, Math.max(10, count)], [LEFT, RIGHT]);
  const xOf = (figure: BudgetedFigure): number =>
    figure === 'max' ? RIGHT : round(x(1 / (1 - QUANTILE[figure])));
  const given = PERCENTILES.filter((percentile) => times.intervals[percentile] !== undefined);
  const { minMs, maxMs } = axis;
  const y =
    maxMs > LARGEST_LINEAR_RATIO * axis.typicalMs
      ? scaleLog([minMs * 0.8, maxMs * 1.1], [HEIGHT, TOP])
      : scaleLinear([0, maxMs * 1.05], [HEIGHT, TOP]);
  const yOf = (ms: number): number => round(y(Math.max(minMs, ms)));
  const quantiles = Array.from({ length: POINTS + 1 }, (_, index) => 1 - count ** (-index / POINTS));
  const curve = quantiles.map((quantile, index): readonly [number, number] => [
    x(1 / (1 - quantile)),
    // The last point is the slowest call.
    yOf(valueMs(index === POINTS ? 1 : quantile)),
  ]);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`}
      role="img"
      aria-label={`Latency by percentile of ${times.label}: ${given.map((name) => `${name} ${inMs(times[`${name}Ms`] ?? 0)}`).join(', ')}`}
    >
      <Grid ticks={readable(y.ticks(4))} y={y} />
      <g class="scale">
        {TICKS.filter(([quantile]) => 1 / (1 - quantile) <= Math.max(10, count)).map(([quantile, name]) => (
          <text key={name} x={round(x(1 / (1 - quantile)))} y={HEIGHT + 12}>
            {name}
          </text>
        ))}
      </g>
      <path class="curve" d={lineThrough(curve)} />
      <Intervals
        points={given.map((name) => ({
          x: xOf(name),
          y: yOf(times[`${name}Ms`] ?? 0),
          bar: times.intervals[name]?.map(yOf),
        }))}
      />
      {budgets.map(({ figure, limitMs, short, isOver }) => {
        const middle = Math.min(xOf(figure), RIGHT - BUDGET_WIDTH / 2);
        const top = yOf(limitMs);
        return (
          <g key={figure} class={isOver ? 'budget over' : 'budget'}>
            <path d={`M${middle - BUDGET_WIDTH / 2} ${top}h${BUDGET_WIDTH}`} />
            <text x={middle} y={top < TOP + 12 ? top + 11 : top - 4}>
              {short}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
