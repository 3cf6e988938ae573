import { decodeHistogram } from '../../latency/encoded-histogram.ts';
import { textDistribution } from '../../latency/text-distribution.ts';
import type { BenchFigures, Phases } from '../../model/bench.ts';
import type { LoadModel } from '../../model/load.ts';
import { PERCENTILES } from '../../model/percentile.ts';
import { isMeasurement, type Measurement, type TestResult } from '../../model/report.ts';
import { visible } from '../../model/visible.ts';
import { hanging, inMs } from '../view/figures.ts';
import { wrap } from '../view/wrap.ts';
import { againstLines, baselineLines, rampTable } from './bench-comparisons.ts';
import { type Palette, PLAIN } from './palette.ts';

export interface BenchTerminalOptions {
  readonly palette?: Palette;
  readonly columns?: number;
  readonly reportFile?: string;
}

const NARROWEST = 44;
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
    bench?.against === undefined ? '' : againstLines(bench.against, result.target.url, palette, width),
    bench?.baseline === undefined ? '' : baselineLines(bench.baseline, palette, width),
    options.reportFile === undefined ? '' : `report: ${visible(options.reportFile)}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function before({ overhead, phases, warmUp }: BenchFigures, width: number): string {
  const own = overhead.percentiles
    .filter(({ percentile }) => percentile === 'p50' || percentile === 'p99')
    .map(({ percentile, valueMs }) => `${percentile} ${inMs(valueMs)}`);
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
  const known = parts.flatMap(([name, value]) => (value === null ? [] : [`${name} ${inMs(value)}`]));
  return `a call over a connection of its own, medians of ${calls}: ${known.join(', ')}`;
}

/** For people: never a figure of a closed loop without its name. */
function loadInWords(model: LoadModel): string {
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
  const loop = times.load.model.kind === 'closed' ? 'closed loop, ' : '';
  const failed = errors === 0 ? 'no errors' : `${errors} ${errors === 1 ? 'error' : 'errors'}`;
  const rate = Number(throughputPerSecond.toPrecision(4));
  const head = wrap(
    `${visible(name)}: ${loop}${count} calls, ${failed}, ${rate} answered a second`,
    width,
  ).map(palette.strong);
  const kinds = errorKinds.flatMap(({ code, message, count: times_ }) =>
    wrap(`${times_} × ${visible(code)}: ${visible(message)}`, width - 2).map(
      (line) => `  ${palette.bad(line)}`,
    ),
  );
  const rows = PERCENTILES.flatMap((percentile) => {
    const value = times[`${percentile}Ms`];
    const interval = times.intervals[percentile];
    if (value === undefined) return [];
    const doubt =
      interval === undefined ? '' : palette.faint(`  ${inMs(interval[0])} to ${inMs(interval[1])}`);
    return [`  ${percentile.padEnd(6)}${inMs(value).padStart(12)}${doubt}`];
  });
  const missing = PERCENTILES.filter((percentile) => times[`${percentile}Ms`] === undefined);
  const edges =
    times.minMs === undefined || times.maxMs === undefined || times.meanMs === undefined
      ? []
      : [
          `  ${'min'.padEnd(6)}${inMs(times.minMs).padStart(12)}`,
          `  ${'mean'.padEnd(6)}${inMs(times.meanMs).padStart(12)}`,
        ];
  const picture =
    times.histogram === null
      ? []
      : textDistribution(decodeHistogram(times.histogram), {
          width: width - 2,
          unicode: true,
          marked: PERCENTILES.filter((percentile) => times[`${percentile}Ms`] !== undefined).map(
            (percentile) => Number(percentile.slice(1)),
          ),
        }).map((line) => `  ${line}`);
  return [
    ...head,
    ...kinds,
    ...edges,
    ...rows,
    ...(times.maxMs === undefined ? [] : [`  ${'max'.padEnd(6)}${inMs(times.maxMs).padStart(12)}`]),
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
    pacing === 'none' || load.model.kind === 'closed'
      ? ''
      : `due times were met by ${pacing === 'spin' ? 'looking during the last two milliseconds' : 'timers'}`,
    latenessMs === null ? '' : `own lateness p50 ${inMs(latenessMs.p50Ms)}, p99 ${inMs(latenessMs.p99Ms)}`,
    achievedShare === null ? '' : `${(100 * achievedShare).toFixed(2)} % of the rate achieved`,
    `held up p99 ${inMs(loopDelayP99Ms)}`,
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
      palette.doubtful('Unreliable:'),
      ...reasons.flatMap((reason) => hanging(`- ${visible(reason)}`, width)),
    ].join('\n'),
  ];
}

function seconds(valueMs: number): string {
  return `${(valueMs / 1000).toFixed(1)} s`;
}
