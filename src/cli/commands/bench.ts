import { randomUUID } from 'node:crypto';
import { BENCH_OPTIONS, type BenchOptions, prepareBench, requireAgreement } from '../../check/bench/bench.ts';
import { rampBench, runAgainst } from '../../check/bench/bench-runs.ts';
import type { Bench } from '../../check/bench/load-engine.ts';
import { measureOverhead, startLoadEngine } from '../../check/bench/load-engine.ts';
import { TargetRefuses, TargetSilent } from '../../check/bench/prepare-calls.ts';
import type { CheckOptions } from '../../check/check-options.ts';
import { givenHeaders } from '../../check/request-headers.ts';
import { EXIT, UsageError } from '../../command-line/exit-codes.ts';
import { withFlags } from '../../command-line/say-flags.ts';
import { lookOf, print, say, sayProxyUnused } from '../../command-line/terminal.ts';
import { visible } from '../../json/visible.ts';
import type { LoadProgress } from '../../latency/load-plan.ts';
import type { BenchFigures, Phases, RampStep } from '../../model/bench.ts';
import type { TestResult } from '../../model/report.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { steadyClock, systemClock } from '../../probe/system-clock.ts';
import { benchResult, compareWithBaseline } from '../../report/compare/compare-reports.ts';
import { reportPieces } from '../../report/serialise-report.ts';
import { renderBench } from '../../report/terminal/bench-terminal.ts';
import { measurementOf } from '../../run/timing/measurement-of.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import { type AskedLoad, askedLoad, type BenchFlags } from '../options/bench-load.ts';
import { chosenTarget } from '../options/chosen-target.ts';
import { mcpServer } from '../options/mcp-server.ts';
import { readSettings } from '../options/settings.ts';
import { interruptible } from '../process/interruptible.ts';
import { keepReport } from '../terminal/keep-report.ts';
import { createLiveLine, type LiveLine, loadProgress } from '../terminal/live-line.ts';
import { savedResult } from './render.ts';

/** Of a client that shares its thread with a conversation, it is not measured apart. */
const NO_OVERHEAD: BenchFigures['overhead'] = { count: 0, percentiles: [] };

export async function bench(given: string | undefined, flags: BenchFlags): Promise<void> {
  const { url } = chosenTarget(given, { ...flags, listing: undefined });
  const { options, configFile, waitMs } = await readSettings(flags, process.env);
  const baseline = flags.baseline === undefined ? undefined : await savedResult(flags.baseline);
  const load = askedLoad(flags);
  if (configFile !== undefined) say(`configuration: ${configFile}`);
  const clock = steadyClock(systemClock);
  const startedAtMs = clock.nowMs();
  const interrupt = interruptible();
  const { signal } = interrupt;
  const engine = startLoadEngine();
  const opened: Bench[] = [];
  const line = createLiveLine(process.stderr, loadProgress);
  try {
    const benchOptions = {
      ...ofBench(options),
      transport: flags.transport,
      yesLoad: flags.yesLoad ?? false,
      ...(flags.operation === undefined ? {} : { calls: flags.operation }),
    };
    if (waitMs !== null) {
      requireAgreement(url, benchOptions);
      const { makeReady } = await import('../process/make-ready.ts');
      const ready = await makeReady({ url, options, command: null, waitMs, signal });
      if (ready.kind !== 'ready') {
        process.exitCode = ready.kind === 'unreachable' ? EXIT.unreachable : EXIT.incomplete;
        return;
      }
    }
    const prepareOther = (against: string): Promise<Bench> => {
      if (flags.mcpServer === undefined) return prepareBench(against, benchOptions, engine, signal);
      const { address, mcp } = mcpServer(against, flags);
      return prepareBench(address, { ...benchOptions, mcp }, engine, signal);
    };
    const target = await prepareBench(url, benchOptions, engine, signal);
    opened.push(target);
    const other = flags.against === undefined ? null : await prepareOther(flags.against);
    if (other !== null) opened.push(other);
    say(`putting ${visible(target.targetUrl)} under load`);
    const { transport, transportOptions } = target;
    const overhead =
      transport === 'message'
        ? NO_OVERHEAD
        : await measureOverhead(engine, { transport, options: transportOptions }, signal);
    const made = await measure(load, flags.runs, target, other, { signal, line });
    line.clear();
    const { secrets } = givenHeaders(options);
    const redact = createRedactor(secrets).text;
    const measurements = target.calls.map(({ operation, functionName, exchange }, place) =>
      measurementOf(
        { key: exchange.request.key, operation, functionName, planned: flags.requests ?? 0 },
        made.result,
        place,
        redact,
      ),
    );
    const figures: BenchFigures = {
      overhead,
      phases: medianPhases(target.phases),
      warmUp: made.result.warmUp,
      ...made.figures,
      ...(baseline === undefined ? {} : { baseline: compareWithBaseline(baseline, measurements) }),
    };
    if (signal.aborted) process.exitCode = EXIT.incomplete;
    await finish(
      benchResult({
        id: randomUUID(),
        harnessVersion: harnessVersion(),
        targetUrl: target.targetUrl,
        settings: target.settings,
        calls: target.calls,
        measurements,
        figures,
        startedAtMs,
        finishedAtMs: clock.nowMs(),
      }),
      flags,
      [flags.baseline, configFile].filter((file) => file !== undefined),
    );
  } catch (error) {
    if (!(error instanceof TargetSilent || error instanceof TargetRefuses)) throw error;
    say(withFlags(error.message));
    if (error instanceof TargetSilent) sayProxyUnused(url);
    process.exitCode = error instanceof TargetSilent ? EXIT.unreachable : EXIT.incomplete;
  } finally {
    line.clear();
    interrupt.done();
    await Promise.all([engine.close(), ...opened.map((one) => one.close())]);
  }
}

/** The rest of a configuration applies only to checks. */
function ofBench(options: CheckOptions): BenchOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(BENCH_OPTIONS, name)));
}

async function measure(
  { order, ramp: bound }: AskedLoad,
  runs: number,
  target: Bench,
  other: Bench | null,
  { signal, line }: { readonly signal: AbortSignal; readonly line: LiveLine<LoadProgress> },
) {
  const { model } = order;
  const watch = { signal, ...line.listening };
  if (bound !== null && model.kind === 'open') {
    const onStep = (step: RampStep): void =>
      line.note(
        `${step.ratePerSecond} a second ${step.holds ? 'within the limits' : `over the limits: ${step.because}`}`,
      );
    const { ramp, result } = await rampBench(target, { ...order, model }, bound, { ...watch, onStep });
    if (result === null) throw new UsageError('The ramp was interrupted before anything was measured.');
    return { result, figures: { ramp } };
  }
  if (other !== null) {
    const onPair = (pair: number): void => line.note(`${pair} of ${runs} runs of each`);
    const { against, results } = await runAgainst(target, other, order, runs, { ...watch, onPair });
    const [last] = results.slice(-1);
    if (last === undefined)
      throw new UsageError('The comparison was interrupted before anything was measured.');
    return { result: last, figures: { against } };
  }
  return { result: await target.run(order, watch), figures: {} };
}

function medianPhases(calls: Bench['phases']): Phases | null {
  if (calls.length === 0) return null;
  const median = (values: readonly number[]): number =>
    Math.round(1000 * ([...values].sort((left, right) => left - right)[values.length >> 1] ?? 0)) / 1000;
  const known = (values: readonly (number | null)[]): number | null => {
    const numbers = values.filter((value) => value !== null);
    return numbers.length === 0 ? null : median(numbers);
  };
  return {
    calls: calls.length,
    lookupMs: known(calls.map(({ lookupMs }) => lookupMs)),
    connectMs: median(calls.map(({ connectMs }) => connectMs)),
    tlsMs: known(calls.map(({ tlsMs }) => tlsMs)),
    firstByteMs: median(calls.map(({ firstByteMs }) => firstByteMs)),
    downloadMs: median(calls.map(({ downloadMs }) => downloadMs)),
  };
}

async function finish(result: TestResult, flags: BenchFlags, inUse: readonly string[]): Promise<void> {
  const reportFile = await keepReport(result, flags, inUse);
  if (flags.json === true) await print(reportPieces(result));
  else process.stdout.write(renderBench(result, { ...lookOf(process.stdout), reportFile }));
  process.exitCode ??= exitCodeOf(result);
}

/** A worse result than the compared one is a failure; unreliable figures are no result. */
function exitCodeOf({ bench: figures, responseTimes }: TestResult): number {
  const outcomes = [
    figures?.against?.outcome,
    ...(figures?.baseline?.rows.map(({ outcome }) => outcome) ?? []),
  ];
  if (outcomes.includes('worse')) return EXIT.fail;
  const isUndecided = responseTimes.some(
    (times) =>
      'unreliable' in times &&
      (times.unreliable.length > 0 || times.samples === 0 || times.load.stoppedBy !== null),
  );
  return isUndecided || (figures?.baseline?.notes.length ?? 0) > 0 ? EXIT.incomplete : EXIT.pass;
}
