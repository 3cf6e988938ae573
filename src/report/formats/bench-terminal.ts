import { decodeHistogram } from '../../latency/encoded-histogram.ts';
import { textDistribution } from '../../latency/text-distribution.ts';
import type { Baseline, BenchFigures, Comparison, FigureComparison, Phases } from '../../model/bench.ts';
import type { LoadModel } from '../../model/load.ts';
import { isMeasurement, type Measurement, type TestResult } from '../../model/report.ts';
import { PERCENTILES } from '../../model/suite.ts';
import { visible } from '../visible.ts';
import { type Palette, PLAIN } from './palette.ts';
import { wrap } from './wrap.ts';

export interface BenchTerminalOptions {
  readonly palette?: Palette;
  readonly columns?: number;
  readonly reportFile?: string;
}

const NARROWEST = 40;
const WIDEST = 100;

/** What a load measured, for people, in plain text. Pure. */
export function renderBench(result: TestResult, options: BenchTerminalOptions = {}): string {
  const palette = options.palette ?? PLAIN;
  const width = Math.max(NARROWEST, Math.min(options.columns ?? 80, WIDEST));
  const { bench } = result;
  const measurements = result.responseTimes.filter(isMeasurement);
  const [first] = measurements;
  const blocks = [
    `probity ${visible(result.harness.version)}  ${palette.strong(visible(result.target.url))}`,
    bench === undefined ? '' : before(bench, width),
    bench?.ramp === undefined ? '' : rampTable(bench.ramp, palette, width),
    ...(first === undefined ? [] : [wrap(loadLine(first), width).join('\n')]),
    ...measurements.map((one) => table(one, palette, width)),
    first === undefined ? '' : clientLines(first, width),
    ...doubts(measurements, palette, width),
    bench?.against === undefined ? '' : against(bench.against, result.target.url, palette, width),
    bench?.baseline === undefined ? '' : baseline(bench.baseline, palette, width),
    options.reportFile === undefined ? '' : `report: ${visible(options.reportFile)}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function before({ overhead, phases, warmUp }: BenchFigures, width: number): string {
  const own = overhead.percentiles
    .filter(({ percentile }) => percentile === 'p50' || percentile === 'p99')
    .map(({ percentile, valueMs }) => `${percentile} ${ms(valueMs)}`);
  return [
    ...wrap(
      own.length === 0
        ? 'client: its own overhead could not be measured'
        : `client: against a built-in server that answers at once ${own.join(', ')}; so much of what follows is the client’s own`,
      width,
    ),
    ...(phases === null ? [] : wrap(phasesLine(phases), width)),
    ...wrap(
      `warm-up: ${warmUp.count} requests in ${seconds(warmUp.durationMs)}, ${warmUp.steady ? 'until two blocks agreed' : 'and the figures did not settle within 5 %'}`,
      width,
    ),
  ].join('\n');
}

function phasesLine({ calls, lookupMs, connectMs, tlsMs, firstByteMs, downloadMs }: Phases): string {
  const parts = [
    ['DNS', lookupMs],
    ['connect', connectMs],
    ['TLS', tlsMs],
    ['first byte', firstByteMs],
    ['download', downloadMs],
  ] as const;
  const known = parts.flatMap(([name, value]) => (value === null ? [] : [`${name} ${ms(value)}`]));
  return `a call over a connection of its own, medians of ${calls}: ${known.join(', ')}`;
}

/** For people: never a figure of a closed loop without its name. */
export function loadInWords(model: LoadModel): string {
  if (model.kind === 'closed')
    return `closed loop, ${model.connections} ${model.connections === 1 ? 'connection' : 'connections'} (service time under as much load as they carry, not what callers on a schedule would wait)`;
  const arrivals = model.arrivals === 'poisson' ? 'arrivals by chance' : 'even arrivals';
  return `open loop, ${model.ratePerSecond} requests a second, ${arrivals}, at most ${model.maxConnections} connections`;
}

function loadLine({ load: { model, transport } }: Measurement): string {
  return `load: ${loadInWords(model)}${transport === 'lean' ? '' : `; transport ${transport}`}`;
}

function table(times: Measurement, palette: Palette, width: number): string {
  const name = times.function === undefined ? times.operation : `${times.operation}:${times.function}`;
  const { count, errors, throughputPerSecond, errorKinds } = times;
  const head = `${palette.strong(visible(name))}  ${times.load.model.kind === 'closed' ? 'closed loop  ' : ''}${count} calls, ${errors === 0 ? 'no errors' : palette.bad(`${errors} errors`)}, ${Number(throughputPerSecond.toPrecision(4))} answered a second`;
  const kinds = errorKinds.flatMap(({ code, message, count: times_ }) =>
    wrap(`${times_} × ${visible(code)}: ${visible(message)}`, width - 2).map(
      (line) => `  ${palette.bad(line)}`,
    ),
  );
  const rows = PERCENTILES.flatMap((percentile) => {
    const value = times[`${percentile}Ms`];
    const interval = times.intervals[percentile];
    if (value === undefined) return [];
    const doubt = interval === undefined ? '' : palette.faint(`  ${ms(interval[0])} to ${ms(interval[1])}`);
    return [`  ${percentile.padEnd(6)}${ms(value).padStart(12)}${doubt}`];
  });
  const missing = PERCENTILES.filter((percentile) => times[`${percentile}Ms`] === undefined);
  const edges =
    times.minMs === undefined || times.maxMs === undefined || times.meanMs === undefined
      ? []
      : [
          `  ${'min'.padEnd(6)}${ms(times.minMs).padStart(12)}`,
          `  ${'mean'.padEnd(6)}${ms(times.meanMs).padStart(12)}`,
        ];
  const picture =
    times.histogram === null
      ? []
      : textDistribution(decodeHistogram(times.histogram), { width: width - 2, unicode: true }).map(
          (line) => `  ${line}`,
        );
  return [
    head,
    ...kinds,
    ...edges,
    ...rows,
    ...(times.maxMs === undefined ? [] : [`  ${'max'.padEnd(6)}${ms(times.maxMs).padStart(12)}`]),
    ...(missing.length === 0 || times.samples === 0
      ? []
      : wrap(`too few samples for ${missing.join(', ')}`, width - 2).map(
          (line) => `  ${palette.faint(line)}`,
        )),
    ...(rows.length === 0 ? [] : [`  ${palette.faint('beside each percentile its 95 % interval')}`]),
    '',
    ...picture,
  ].join('\n');
}

function clientLines({ client, load }: Measurement, width: number): string {
  if (client === null) return '';
  const { latenessMs, loopDelayP99Ms, waitedForCpu, achievedShare, cpuMicrosecondsPerRequest, pacing } =
    client;
  const parts = [
    pacing === 'none'
      ? ''
      : `due times were met by ${pacing === 'spin' ? 'looking during the last two milliseconds' : 'timers'}`,
    latenessMs === null ? '' : `own lateness p50 ${ms(latenessMs.p50Ms)}, p99 ${ms(latenessMs.p99Ms)}`,
    achievedShare === null ? '' : `${(100 * achievedShare).toFixed(2)} % of the rate achieved`,
    `held up p99 ${ms(loopDelayP99Ms)}`,
    waitedForCpu === null ? '' : `${(100 * waitedForCpu).toFixed(1)} % of the time waiting for a CPU`,
    `${cpuMicrosecondsPerRequest.toFixed(1)} µs of CPU a request`,
    load.stoppedBy === null ? '' : `ended early: ${visible(load.stoppedBy)}`,
  ];
  return wrap(`client: ${parts.filter((part) => part !== '').join('; ')}`, width).join('\n');
}

function doubts(measurements: readonly Measurement[], palette: Palette, width: number): readonly string[] {
  const reasons = [...new Set(measurements.flatMap(({ unreliable }) => unreliable))];
  if (reasons.length === 0) return [];
  return [
    [
      palette.doubtful('Unreliable: these figures say more of the client than of the target.'),
      ...reasons.flatMap((reason) => hanging(`- ${visible(reason)}`, width)),
    ].join('\n'),
  ];
}

type RampFigures = NonNullable<BenchFigures['ramp']>;

function rampTable(ramp: RampFigures, palette: Palette, width: number): string {
  const header = `${'rate/s'.padStart(10)}${'calls'.padStart(9)}${'errors'.padStart(8)}${'p50'.padStart(12)}${'p99'.padStart(12)}`;
  const rows = ramp.steps.map((step) => {
    const cells = `${String(step.ratePerSecond).padStart(10)}${String(step.count).padStart(9)}${String(step.errors).padStart(8)}`;
    const times = [step.p50Ms, step.p99Ms]
      .map((value) => (value === null ? '–' : ms(value)).padStart(12))
      .join('');
    const outcome = step.holds
      ? palette.good('holds')
      : palette.bad(`breaks: ${visible(step.because ?? '')}`);
    return `${cells}${times}  ${outcome}`;
  });
  return [
    ...wrap(
      `ramp ${ramp.lowPerSecond} to ${ramp.highPerSecond} requests a second; it breaks at a p99 over ${ms(ramp.maxP99Ms)}, at over ${100 * ramp.maxErrorShare} % of errors, or when requests find no connection in time`,
      width,
    ),
    header,
    ...rows,
    ...wrap(rampOutcome(ramp), width),
  ].join('\n');
}

function rampOutcome({ heldPerSecond, brokePerSecond, highPerSecond, stoppedBy }: RampFigures): string {
  const rate = (value: number): string => `${Math.round(value * 10) / 10} requests a second`;
  const found =
    heldPerSecond === null
      ? brokePerSecond === null
        ? 'nothing was found out'
        : `the bound broke at the lowest rate already, ${rate(brokePerSecond)}`
      : brokePerSecond === null
        ? `it held at ${rate(heldPerSecond)}${heldPerSecond >= highPerSecond ? ', the highest rate of the ramp' : ''}`
        : `it held up to ${rate(heldPerSecond)} and broke at ${rate(brokePerSecond)}`;
  return stoppedBy === null ? found : `${found}; ended early: ${visible(stoppedBy)}`;
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

function against(
  { url, runsOfEach, outcome, p50, p99, doubts: reasons }: NonNullable<BenchFigures['against']>,
  ownUrl: string,
  palette: Palette,
  width: number,
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
    ...wrap(`${visible(url)} against ${visible(ownUrl)}, ${runsOfEach} runs of each by turns`, width),
    `the other is: ${compared(outcome, palette)}`,
    ...figure('p50', p50),
    ...(p99 === null ? [] : figure('p99', p99)),
    ...reasons.flatMap((reason) => hanging(`- some runs: ${visible(reason)}`, width)),
  ].join('\n');
}

function baseline({ startedAt, rows, notes }: Baseline, palette: Palette, width: number): string {
  return [
    `compared with the result of ${visible(startedAt)}`,
    ...rows.map(({ operation, function: name, percentile, beforeMs, afterMs, ratio, outcome }) => {
      const what = visible(name === undefined ? operation : `${operation}:${name}`);
      const change = ratio === null ? '' : `  ${ratio.toFixed(2)} times`;
      return `  ${what.padEnd(14)} ${percentile.padEnd(6)}${ms(beforeMs).padStart(12)} → ${ms(afterMs).padEnd(12)}${change}  ${compared(outcome, palette)}`;
    }),
    ...notes.flatMap((note) => hanging(`- ${visible(note)}`, width)),
  ].join('\n');
}

/** Further lines are indented, so that each item is seen to be one. */
function hanging(text: string, width: number): readonly string[] {
  return wrap(text, width - 2).map((line, index) => (index === 0 ? line : `  ${line}`));
}

const MS_DIGITS = 3;

function ms(value: number): string {
  const digits = value >= 100 ? 1 : value >= 10 ? 2 : MS_DIGITS;
  return `${value.toFixed(digits)} ms`;
}

function seconds(valueMs: number): string {
  return `${(valueMs / 1000).toFixed(1)} s`;
}
