import { compareRuns, type RunFigures } from '../../latency/compare-latency.ts';
import { MIN_SAMPLES } from '../../latency/percentiles.ts';
import { nextRate, type RateOutcome, rateSearchResult } from '../../latency/rate-search.ts';
import { MIN_ACHIEVED, unreliableBecause } from '../../latency/reliability.ts';
import type { Against, Ramp, RampStep } from '../../model/bench.ts';
import { failedCalls, type LatencySummary, type LoadResult, percentileMs } from '../../model/load.ts';
import type { Bench, LoadOrder, LoadWatch } from './load-engine.ts';

export interface RampBound extends Pick<Ramp, 'lowPerSecond' | 'highPerSecond' | 'maxErrorShare'> {
  /** Null: ten times the p99 at the lowest rate, and at least 50 ms. */
  readonly maxP99Ms: number | null;
  /** Extends a step until it has enough calls for a p99, because it is judged by that. */
  readonly extendsSteps: boolean;
}

type OpenOrder = LoadOrder & { readonly model: Extract<LoadOrder['model'], { readonly kind: 'open' }> };

const P99_TIMES = 10;
const MIN_P99_BOUND_MS = 50;
/** Attempts at a step that failed while the client was unreliable. */
const MAX_ATTEMPTS = 3;

/**
 * Searches for the highest rate at which p99, the errors and the rate itself are within their limits. The result is that
 * of the highest rate that passed, or of the lowest if none did.
 */
export async function rampBench(
  bench: Bench,
  order: OpenOrder,
  bound: RampBound,
  watch: LoadWatch & { readonly onStep?: (step: RampStep) => void },
) {
  const steps: RampStep[] = [];
  const outcomes: RateOutcome[] = [];
  let best: LoadResult | null = null;
  let maxP99Ms = bound.maxP99Ms;
  let stoppedBy: string | null = null;
  let attempts = 0;
  for (let rate = nextRate(bound, outcomes); rate !== null; rate = nextRate(bound, outcomes)) {
    const ratePerSecond = Math.round(rate * 100) / 100;
    const atRate = { ...order, model: { ...order.model, ratePerSecond } };
    const result = await bench.run(bound.extendsSteps ? longEnough(atRate) : atRate, watch);
    attempts += 1;
    if (watch.signal.aborted) {
      stoppedBy = 'it was interrupted';
      break;
    }
    const latency = result.series[0]?.latency ?? null;
    maxP99Ms ??= Math.max(MIN_P99_BOUND_MS, P99_TIMES * (highest(latency) ?? 0));
    const step = stepOf(result, ratePerSecond, maxP99Ms, bound.maxErrorShare);
    const client = { ...result.client, achievedShare: null };
    const [clientDoubt] = unreliableBecause(result.model, client, step.p50Ms);
    if (clientDoubt !== undefined && !step.holds && attempts < MAX_ATTEMPTS) continue;
    attempts = 0;
    best ??= result;
    steps.push(step);
    watch.onStep?.(step);
    if (clientDoubt !== undefined && !step.holds) {
      stoppedBy = `at ${ratePerSecond} requests a second the client may have reached its own limits: ${clientDoubt}`;
      break;
    }
    outcomes.push({ ratePerSecond: rate, holds: step.holds });
    if (step.holds && ratePerSecond >= rateOf(best)) best = result;
  }
  const found = rateSearchResult(bound, outcomes);
  const { lowPerSecond, highPerSecond, maxErrorShare } = bound;
  return {
    result: best,
    ramp: {
      lowPerSecond,
      highPerSecond,
      maxP99Ms: maxP99Ms ?? MIN_P99_BOUND_MS,
      maxErrorShare,
      steps,
      heldPerSecond: 'heldPerSecond' in found ? found.heldPerSecond : null,
      brokePerSecond: 'brokePerSecond' in found ? found.brokePerSecond : null,
      stoppedBy,
    },
  };
}

function rateOf({ model }: LoadResult): number {
  return model.kind === 'open' ? model.ratePerSecond : 0;
}

function stepOf(
  result: LoadResult,
  ratePerSecond: number,
  maxP99Ms: number,
  maxErrorShare: number,
): RampStep {
  const count = result.series.reduce((sum, series) => sum + series.count, 0);
  const errors = result.series.reduce((sum, series) => sum + failedCalls(series), 0);
  const p99sMs = result.series.map(({ latency }) => percentileMs(latency, 'p99'));
  const p99Ms = p99sMs.includes(null) ? null : Math.max(...p99sMs.map((ms) => ms ?? 0));
  const highestMs = Math.max(...result.series.map(({ latency }) => highest(latency) ?? 0));
  const p50Ms = percentileMs(result.series[0]?.latency, 'p50');
  const achievedShare = result.client.achievedShare ?? 1;
  const because = whatBroke();
  return { ratePerSecond, holds: because === null, count, errors, p50Ms, p99Ms, achievedShare, because };

  function whatBroke(): string | null {
    if (count === 0) return result.stoppedBy ?? 'no call was answered';
    if (errors / count > maxErrorShare)
      return `${errors} of ${count} calls failed${result.stoppedBy === null ? '' : `; ${result.stoppedBy}`}`;
    if (highestMs > maxP99Ms)
      return p99Ms === null
        ? `the slowest of ${count} calls took ${highestMs.toFixed(1)} ms`
        : `p99 is ${p99Ms.toFixed(1)} ms`;
    if (achievedShare < MIN_ACHIEVED)
      return `only ${(100 * achievedShare).toFixed(1)} % of the requests that were due found a connection in time`;
    return null;
  }
}

const SAMPLES_TO_SPARE = 1.1;

function longEnough<Order extends OpenOrder>(order: Order): Order {
  const minMs = (SAMPLES_TO_SPARE * MIN_SAMPLES.p99 * 1000) / order.model.ratePerSecond;
  return order.durationMs === null ? order : { ...order, durationMs: Math.max(order.durationMs, minMs) };
}

/** The 99th percentile; with too few calls, the slowest one. */
function highest(latency: LatencySummary | null): number | null {
  return percentileMs(latency, 'p99') ?? latency?.maxMs ?? null;
}

/** Puts two targets under the same load alternately, A B B A A B …, so that a change with time is blamed on neither. */
export async function runAgainst(
  own: Bench,
  other: Bench,
  order: LoadOrder,
  runsOfEach: number,
  watch: LoadWatch & { readonly onPair?: (pair: number) => void },
): Promise<{ readonly against: Against; readonly results: readonly LoadResult[] }> {
  const results: LoadResult[] = [];
  const others: LoadResult[] = [];
  for (let pair = 0; pair < runsOfEach && !watch.signal.aborted; pair += 1) {
    const ownFirst = pair % 2 === 0;
    const first = await (ownFirst ? own : other).run(order, watch);
    const second = await (ownFirst ? other : own).run(order, watch);
    if (watch.signal.aborted) break;
    results.push(ownFirst ? first : second);
    others.push(ownFirst ? second : first);
    watch.onPair?.(pair + 1);
  }
  const compared = compareRuns(results.flatMap(figuresOf), others.flatMap(figuresOf));
  const because = (figure: typeof compared.p50): string | null =>
    'because' in figure ? figure.because : null;
  return {
    results,
    against: {
      url: other.targetUrl,
      runsOfEach: results.length,
      p50Ms: results.map((result, index): [number, number] => [medianMs(result), medianMs(others[index])]),
      outcome: compared.outcome,
      p50: { ...compared.p50, because: because(compared.p50) },
      p99: compared.p99 === null ? null : { ...compared.p99, because: because(compared.p99) },
      doubts: [
        ...(watch.signal.aborted ? ['it was interrupted'] : []),
        ...new Set([...results, ...others].flatMap(({ doubts }) => doubts)),
      ],
    },
  };
}

function medianMs(result: LoadResult | undefined): number {
  return percentileMs(result?.series[0]?.latency, 'p50') ?? 0;
}

function figuresOf({ series }: LoadResult): readonly RunFigures[] {
  const latency = series[0]?.latency ?? null;
  const p50Ms = percentileMs(latency, 'p50');
  if (latency === null || p50Ms === null) return [];
  const p99Ms = percentileMs(latency, 'p99');
  return [{ p50Ms, meanMs: latency.meanMs, ...(p99Ms === null ? {} : { p99Ms }) }];
}
