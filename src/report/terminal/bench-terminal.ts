import { visible } from '../../json/visible.ts';
import { decodeHistogram } from '../../latency/encoded-histogram.ts';
import { MIN_SAMPLES } from '../../latency/percentiles.ts';
import { textDistribution } from '../../latency/text-distribution.ts';
import type {
  Against,
  Baseline,
  BenchFigures,
  Comparison,
  FigureComparison,
  Phases,
  Ramp,
} from '../../model/bench.ts';
import { type ClientFigures, PERCENTILES } from '../../model/load.ts';
import { callName, isMeasurement, type Measurement } from '../../model/measurement.ts';
import type { TestResult } from '../../model/report.ts';
import { changeWords, inMs, loadWords } from '../view/figures.ts';
import { type VisibleResult, visibleResult } from '../view/visible-result.ts';
import { counted } from '../view/words.ts';
import { hanging, wrap } from '../view/wrap.ts';
import { inBlocks, indented, type Layout, type Look, layoutOf, type Palette, PLAIN } from './layout.ts';

interface BenchTerminalOptions extends Look {
  readonly reportFile?: string | undefined;
}

/** The result of a load as plain text. Pure. */
export function renderBench(result: TestResult, options: BenchTerminalOptions = {}): string {
  return renderLoad(visibleResult(result), options);
}

/** The same for a result whose texts are already visible. */
export function renderLoad(
  { harness, target, bench, responseTimes, settings }: VisibleResult,
  options: BenchTerminalOptions = {},
): string {
  const layout = layoutOf(options);
  const { palette, width } = layout;
  const measurements = responseTimes.filter(isMeasurement);
  const [first] = measurements;
  return inBlocks([
    `probity ${harness.version}  ${palette.strong(target.url)}`,
    bench === undefined ? '' : before(bench, settings.mcp !== undefined, width),
    bench?.ramp === undefined ? '' : rampTable(bench.ramp, layout),
    first === undefined ? '' : wrap(loadLine(first), width).join('\n'),
    ...measurements.map((one) => table(one, layout)),
    first === undefined ? '' : clientLines(first, measurements, width),
    doubts(measurements, layout),
    bench?.against === undefined ? '' : againstLines(bench.against, target.url, layout),
    bench?.baseline === undefined ? '' : baselineLines(bench.baseline, layout),
    options.reportFile === undefined ? '' : `report: ${visible(options.reportFile)}`,
  ]);
}

function before({ overhead, phases, warmUp }: BenchFigures, sendsMessages: boolean, width: number): string {
  const own = overhead.percentiles
    .filter(({ percentile }) => percentile === 'p50' || percentile === 'p99')
    .map(({ percentile, valueMs }) => `${percentile} ${inMs(valueMs)}`);
  const settled = warmUp.steady ? 'until two blocks agreed' : 'and the figures did not settle within 5 %';
  return [
    sendsMessages
      ? 'client: one conversation, whose own overhead is not measured and is part of the figures below'
      : own.length === 0
        ? 'client: its own overhead could not be measured'
        : `client: ${own.join(', ')} against a built-in server that answers immediately; the figures below include this overhead`,
    ...(phases === null ? [] : [phasesLine(phases)]),
    `warm-up: ${warmUp.count} requests in ${(warmUp.durationMs / 1000).toFixed(1)} s, ${settled}`,
  ]
    .flatMap((line) => wrap(line, width))
    .join('\n');
}

function phasesLine({ calls, lookupMs, connectMs, tlsMs, firstByteMs, downloadMs }: Phases): string {
  const ends = { 'first byte': firstByteMs, download: downloadMs };
  const parts = Object.entries({ DNS: lookupMs, connect: connectMs, TLS: tlsMs, ...ends });
  const known = parts.flatMap(([name, value]) => (value === null ? [] : [`${name} ${inMs(value)}`]));
  return `a call over a new connection, medians of ${calls}: ${known.join(', ')}`;
}

function rampTable(ramp: Ramp, { palette, width }: Layout): string {
  const line = (cells: readonly (string | number)[]): string =>
    cells.map((cell, column) => String(cell).padStart([10, 9, 8, 12, 12][column] ?? 0)).join('');
  const rows = ramp.steps.map(({ ratePerSecond, count, errors, p50Ms, p99Ms, holds, because }) => {
    const times = [p50Ms, p99Ms].map((value) => (value === null ? '–' : inMs(value)));
    const outcome = holds ? palette.good('holds') : palette.bad(`breaks: ${because ?? ''}`);
    return `${line([ratePerSecond, count, errors, ...times])}  ${outcome}`;
  });
  return [
    ...wrap(
      `ramp ${ramp.lowPerSecond} to ${ramp.highPerSecond} requests a second; the limit breaks at a p99 over ${inMs(ramp.maxP99Ms)}, at over ${100 * ramp.maxErrorShare} % of errors, or when requests find no connection in time`,
      width,
    ),
    line(['rate/s', 'calls', 'errors', 'p50', 'p99']),
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

function rampOutcome({ heldPerSecond, brokePerSecond, highPerSecond, stoppedBy }: Ramp): string {
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

function loadLine({ load: { model, transport } }: Measurement): string {
  const details =
    model.kind === 'closed'
      ? ' (service time at the highest load that they carry, not the wait of callers on a schedule)'
      : `, ${model.arrivals === 'poisson' ? 'random' : 'even'} arrivals, up to ${counted(model.maxConnections, 'connection')}`;
  return `load: ${loadWords(model)}${details}${transport === 'lean' ? '' : `; transport ${transport}`}`;
}

function table(times: Measurement, { palette, width }: Layout): string {
  const { count, errors, throughputPerSecond, errorKinds, minMs, meanMs, maxMs, histogram } = times;
  const loop = times.load.model.kind === 'closed' ? 'closed loop, ' : '';
  const failed = errors === 0 ? 'no errors' : counted(errors, 'error');
  const rate = Number(throughputPerSecond.toPrecision(4));
  const kinds = errorKinds.flatMap((kind) =>
    wrap(`${kind.count} × ${kind.code}: ${kind.message}`, width - 2).map(palette.bad),
  );
  const line = (name: string, ms: number, rest = ''): string =>
    `${name.padEnd(6)}${inMs(ms).padStart(12)}${rest}`;
  const given = PERCENTILES.filter((percentile) => times[`${percentile}Ms`] !== undefined);
  const rows = given.map((percentile) => {
    const bounds = times.intervals[percentile]?.map(inMs).join(' to ');
    const interval = bounds === undefined ? '' : palette.faint(`  ${bounds}`);
    return line(percentile, times[`${percentile}Ms`] ?? 0, interval);
  });
  const missing = PERCENTILES.filter((percentile) => !given.includes(percentile));
  const decoded = histogram === null ? null : decodeHistogram(histogram);
  const marked = given.map((percentile) => Number(percentile.slice(1)));
  const picture = decoded === null ? [] : textDistribution(decoded, { width: width - 2, marked });
  return [
    ...wrap(
      `${callName(times)}: ${loop}${counted(count, 'call')}, ${failed}, ${rate} answered a second`,
      width,
    ).map(palette.strong),
    ...indented([
      ...kinds,
      ...(minMs === undefined || meanMs === undefined ? [] : [line('min', minMs), line('mean', meanMs)]),
      ...rows,
      ...(maxMs === undefined ? [] : [line('max', maxMs)]),
      ...(missing.length === 0 || times.samples === 0
        ? []
        : wrap(`too few samples for ${missing.join(', ')}`, width - 2).map(palette.faint)),
      ...(rows.length === 0 ? [] : [palette.faint('each percentile with its 95 % interval')]),
    ]),
    '',
    ...indented(picture),
  ].join('\n');
}

const PACING_WORDS = { spin: 'looking during the last two milliseconds', timer: 'timers' } as const;

function clientLines({ client, load }: Measurement, mix: readonly Measurement[], width: number): string {
  if (client === null) return '';
  const calls = mix.reduce((sum, { count }) => sum + count, 0);
  const { loopDelayP99Ms, waitedForCpu, achievedShare, cpuMicrosecondsPerRequest, pacing } = client;
  const parts = [
    pacing === 'none' || load.model.kind === 'closed' ? '' : `due times were met by ${PACING_WORDS[pacing]}`,
    latenessWords(client, calls),
    achievedShare === null ? '' : `${(100 * achievedShare).toFixed(2)} % of the rate achieved`,
    `event loop delay p99 ${inMs(loopDelayP99Ms)}`,
    waitedForCpu === null ? '' : `${(100 * waitedForCpu).toFixed(1)} % of the time waiting for a CPU`,
    `${cpuMicrosecondsPerRequest.toFixed(1)} µs of CPU a request`,
    load.stoppedBy === null ? '' : `ended early: ${load.stoppedBy}`,
  ];
  return wrap(`client: ${parts.filter((part) => part !== '').join('; ')}`, width).join('\n');
}

/** Only calls that found a free connection have a lateness. With too few of them, the p99 is not one. */
function latenessWords({ latenessMs, waitedForConnection }: ClientFigures, calls: number): string {
  if (latenessMs === null) return '';
  const { p50Ms, p99Ms, maxMs } = latenessMs;
  const count = calls * (1 - (waitedForConnection ?? 0));
  const typical = count < MIN_SAMPLES.p50 ? '' : `p50 ${inMs(p50Ms)}, `;
  return `own lateness ${typical}${count < MIN_SAMPLES.p99 ? `max ${inMs(maxMs)}` : `p99 ${inMs(p99Ms)}`}`;
}

function doubts(measurements: readonly Measurement[], { palette, width }: Layout): string {
  const reasons = [...new Set(measurements.flatMap(({ unreliable }) => unreliable))];
  if (reasons.length === 0) return '';
  return [
    palette.doubtful('Unreliable:'),
    ...reasons.flatMap((reason) => hanging(`- ${reason}`, width)),
  ].join('\n');
}

function compared(outcome: Comparison, palette: Palette): string {
  const words = outcome.replaceAll('-', ' ');
  if (outcome === 'better') return palette.good(words);
  return outcome === 'worse' ? palette.bad(words) : words;
}

function againstLines(
  { url, runsOfEach, outcome, p50, p99, doubts: reasons }: Against,
  ownUrl: string,
  { palette, width }: Layout,
): string {
  const figure = (name: string, one: FigureComparison): readonly string[] => {
    const ratio = one.ratio === null ? '' : `${one.ratio.toFixed(3)} times`;
    const bounds = one.intervalRatio?.map((value) => value.toFixed(3)).join(' to ');
    const interval = bounds === undefined ? '' : ` (95 % ${bounds})`;
    const chance = one.pValue === null ? '' : `, p ${one.pValue.toFixed(4)}`;
    const why = one.because === null ? '' : `: ${one.because}`;
    return hanging(`${name}  ${ratio}${interval}${chance}  ${compared(one.outcome, PLAIN)}${why}`, width);
  };
  return [
    ...wrap(`${url} against ${ownUrl}, ${runsOfEach} alternating runs of each`, width),
    `the other is: ${compared(outcome, palette)}`,
    ...figure('p50', p50),
    ...(p99 === null ? [] : figure('p99', p99)),
    ...reasons.flatMap((reason) => hanging(`- some runs: ${reason}`, width)),
  ].join('\n');
}

function baselineLines({ startedAt, rows, notes }: Baseline, { palette, width }: Layout): string {
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
