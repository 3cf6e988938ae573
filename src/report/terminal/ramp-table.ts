import { MIN_SAMPLES } from '../../latency/percentiles.ts';
import type { BenchFigures } from '../../model/bench.ts';
import { inMs } from '../view/figures.ts';
import { wrap } from '../view/wrap.ts';
import type { Layout } from './layout.ts';

type RampFigures = NonNullable<BenchFigures['ramp']>;

export function rampTable(ramp: RampFigures, { palette, width }: Layout): string {
  const header = `${'rate/s'.padStart(10)}${'calls'.padStart(9)}${'errors'.padStart(8)}${'p50'.padStart(12)}${'p99'.padStart(12)}`;
  const rows = ramp.steps.map((step) => {
    const cells = `${String(step.ratePerSecond).padStart(10)}${String(step.count).padStart(9)}${String(step.errors).padStart(8)}`;
    const times = [step.p50Ms, step.p99Ms]
      .map((value) => (value === null ? '–' : inMs(value)).padStart(12))
      .join('');
    const outcome = step.holds ? palette.good('holds') : palette.bad(`breaks: ${step.because ?? ''}`);
    return `${cells}${times}  ${outcome}`;
  });
  return [
    ...wrap(
      `ramp ${ramp.lowPerSecond} to ${ramp.highPerSecond} requests a second; the limit breaks at a p99 over ${inMs(ramp.maxP99Ms)}, at over ${100 * ramp.maxErrorShare} % of errors, or when requests find no connection in time`,
      width,
    ),
    header,
    ...rows,
    ...(ramp.steps.some(({ p99Ms }) => p99Ms === null)
      ? wrap(
          `– where there are too few calls: a p50 needs ${MIN_SAMPLES.p50}, a p99 ${MIN_SAMPLES.p99}; without a p99, the slowest call is compared with its limit`,
          width,
        ).map(palette.faint)
      : []),
    ...wrap(rampOutcome(ramp), width),
  ].join('\n');
}

function rampOutcome({ heldPerSecond, brokePerSecond, highPerSecond, stoppedBy }: RampFigures): string {
  const rate = (value: number): string => `${Math.round(value * 10) / 10} requests a second`;
  const found =
    heldPerSecond === null
      ? brokePerSecond === null
        ? 'nothing was decided'
        : `the limit broke at the lowest rate, ${rate(brokePerSecond)}`
      : brokePerSecond === null
        ? `it held at ${rate(heldPerSecond)}${heldPerSecond >= highPerSecond ? ', the highest rate of the ramp' : ''}`
        : `it held up to ${rate(heldPerSecond)} and broke at ${rate(brokePerSecond)}`;
  return stoppedBy === null ? found : `${found}; ended early: ${stoppedBy}`;
}
