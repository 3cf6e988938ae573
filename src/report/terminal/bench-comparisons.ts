import { MIN_SAMPLES } from '../../latency/percentiles.ts';
import type { Baseline, BenchFigures, Comparison, FigureComparison } from '../../model/bench.ts';
import { callName } from '../../model/report.ts';
import { changeWords, inMs } from '../view/figures.ts';
import { hanging, wrap } from '../view/wrap.ts';
import type { Layout } from './layout.ts';
import type { Palette } from './palette.ts';

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

const COMPARED: Readonly<Record<Comparison, string>> = {
  better: 'better',
  worse: 'worse',
  'no-difference-shown': 'no difference shown',
};

function compared(outcome: Comparison, palette: Palette): string {
  if (outcome === 'better') return palette.good(COMPARED.better);
  return outcome === 'worse' ? palette.bad(COMPARED.worse) : COMPARED[outcome];
}

export function againstLines(
  { url, runsOfEach, outcome, p50, p99, doubts: reasons }: NonNullable<BenchFigures['against']>,
  ownUrl: string,
  { palette, width }: Layout,
): string {
  const figure = (name: string, one: FigureComparison): readonly string[] => {
    const ratio = one.ratio === null ? '' : `${one.ratio.toFixed(3)} times`;
    const interval =
      one.intervalRatio === null
        ? ''
        : ` (95 % ${one.intervalRatio.map((value) => value.toFixed(3)).join(' to ')})`;
    const chance = one.pValue === null ? '' : `, p ${one.pValue.toFixed(4)}`;
    const why = one.because === null ? '' : `: ${one.because}`;
    return hanging(`${name}  ${ratio}${interval}${chance}  ${COMPARED[one.outcome]}${why}`, width);
  };
  return [
    ...wrap(`${url} against ${ownUrl}, ${runsOfEach} alternating runs of each`, width),
    `the other is: ${compared(outcome, palette)}`,
    ...figure('p50', p50),
    ...(p99 === null ? [] : figure('p99', p99)),
    ...reasons.flatMap((reason) => hanging(`- some runs: ${reason}`, width)),
  ].join('\n');
}

export function baselineLines({ startedAt, rows, notes }: Baseline, { palette, width }: Layout): string {
  return [
    `compared with the result of ${startedAt}`,
    ...rows.flatMap((row) => [
      ...hanging(
        `${callName(row)}  ${changeWords(row)}, for the fastest ${row.fastest} of its calls  ${compared(row.outcome, palette)}`,
        width,
      ),
      ...row.percentiles.map(
        (figure) =>
          `    ${figure.percentile.padEnd(6)}${inMs(figure.beforeMs).padStart(12)} → ${inMs(figure.afterMs)}`,
      ),
    ]),
    ...(rows.length === 0 ? [] : wrap(WHY_FASTEST, width)),
    ...notes.flatMap((note) => hanging(`- ${note}`, width)),
  ].join('\n');
}

const WHY_FASTEST =
  'Percentiles are not judged, because other work on the machine moves them between two runs. To compare them, alternate with the older server: --against URL.';
