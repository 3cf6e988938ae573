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
  const shown = p50Ms.map((value) => (value === null ? 'none' : inMs(value))).join(', ');
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`} role="img" aria-label={`p50 of ${name} by run: ${shown}`}>
      {y.ticks(4).map((tick) => (
        <g key={tick} class="tick">
          <line x1={LEFT} x2={RIGHT} y1={round(y(tick))} y2={round(y(tick))} />
          <text x={LEFT - 4} y={round(y(tick)) + 3} text-anchor="end">
            {Number(tick.toPrecision(3))}
          </text>
        </g>
      ))}
      <text class="axis" x={LEFT} y={HEIGHT + 14}>
        p50 in ms by run, bars: 95 % intervals
      </text>
      {p50Ms.map((value, index) => {
        const interval = intervalMs[index] ?? null;
        return value === null ? null : (
          <g key={index} class="interval-bar">
            {interval === null ? null : (
              <line
                x1={round(x(index))}
                x2={round(x(index))}
                y1={round(y(interval[0]))}
                y2={round(y(interval[1]))}
              />
            )}
            <circle cx={round(x(index))} cy={round(y(value))} r="2.5" />
          </g>
        );
      })}
    </svg>
  );
}
