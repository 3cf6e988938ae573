import { scaleLinear } from 'd3-scale';
import type { VNode } from 'preact';
import { inMs } from '../view/figures.ts';
import type { LatencyLine } from '../view/trend-view.ts';
import { HEIGHT, LEFT, RIGHT, round, TOP, WIDTH } from './picture-frame.ts';

/** The median of each run, oldest on the left. A bar is its 95 % interval; unreliable figures have none. */
export function TrendPicture({ line }: { readonly line: LatencyLine }): VNode {
  const { name, p50Ms, intervalMs } = line;
  const highs = intervalMs.flatMap((interval) => (interval === null ? [] : [interval[1]]));
  const maxMs = Math.max(0.001, ...p50Ms.filter((value) => value !== null), ...highs);
  const x = scaleLinear([0, Math.max(1, p50Ms.length - 1)], [LEFT + 4, RIGHT - 4]);
  const y = scaleLinear([0, maxMs * 1.05], [HEIGHT, TOP]);
  const ticks = y.ticks(4);
  const shown = p50Ms.map((value) => (value === null ? 'none' : inMs(value))).join(', ');
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 18}`} role="img" aria-label={`p50 of ${name} by run: ${shown}`}>
      <g class="grid">
        <path d={ticks.map((tick) => `M${LEFT} ${round(y(tick))}H${RIGHT}`).join('')} />
        {ticks.map((tick) => (
          <text key={tick} x={LEFT - 4} y={round(y(tick)) + 3}>
            {Number(tick.toPrecision(3))}
          </text>
        ))}
      </g>
      <text x={LEFT} y={HEIGHT + 14}>
        p50 in ms by run, bars: 95 % intervals
      </text>
      <g class="intervals">
        <path
          d={intervalMs
            .map((interval, index) =>
              interval === null || p50Ms[index] === null
                ? ''
                : `M${round(x(index))} ${round(y(interval[0]))}V${round(y(interval[1]))}`,
            )
            .join('')}
        />
        {p50Ms.map((value, index) =>
          value === null ? null : <circle key={index} cx={round(x(index))} cy={round(y(value))} />,
        )}
      </g>
    </svg>
  );
}
