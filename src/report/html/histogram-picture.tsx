import { scaleLinear, scaleLog } from 'd3-scale';
import type { VNode } from 'preact';
import { bucketsOf, type Histogram } from '../../latency/histogram.ts';
import type { Measurement } from '../../model/report.ts';
import { inMs } from '../view/figures.ts';
import { HEIGHT, LEFT, RIGHT, readable, round, type TimeAxis, TOP, WIDTH } from './picture-frame.ts';

const BARS = 28;

/**
 * The distribution of durations on a logarithmic scale: each bar covers durations a constant factor longer than the bar
 * before.
 */
export function HistogramPicture({
  times,
  histogram,
  label,
  axis: { minMs, maxMs },
}: {
  readonly times: Measurement;
  readonly histogram: Histogram;
  readonly label: string;
  readonly axis: TimeAxis;
}): VNode {
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
      aria-label={`Distribution of the times of ${label}: from ${inMs(times.minMs ?? 0)} to ${inMs(times.maxMs ?? 0)}`}
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
