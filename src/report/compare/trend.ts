import { createHash } from 'node:crypto';
import { jsonBody } from '../../checks/json/json-body.ts';
import { canonicalJson, isJsonObject, type Json, ownItems, ownProperty } from '../../json/json.ts';
import { compareFastest, fastestCalls } from '../../latency/fastest-calls.ts';
import { type Answer, isAnswer } from '../../model/exchange.ts';
import type { Outcome } from '../../model/judgement.ts';
import { callName, isMeasurement, type ResponseTimes } from '../../model/measurement.ts';
import { hasBailed, type TestResult } from '../../model/report.ts';
import { messageMethod } from '../../model/sent.ts';
import { groupedBy } from '../../text/grouped-by.ts';

export type TrendRun = ReturnType<typeof trendRun>;
type TrendTimes = TrendRun['times'][number];

/** What a trend needs of a stored result, which may have megabytes. Pure. */
export function trendRun(result: TestResult, file: string) {
  const { id, startedAt, verdict, reachable, summary, responseTimes, settings } = result;
  // What --bail did not ask for may look as if it was met, or undecided.
  const results = hasBailed(result)
    ? result.results.filter(({ outcome }) => outcome === 'failed')
    : result.results;
  return {
    file,
    id,
    startedAt,
    verdict,
    reachable,
    target: result.target,
    targetName: settings.targetName,
    summary,
    outcomes: new Map(results.map((row) => [row.id, row.outcome] as const)) as ReadonlyMap<string, Outcome>,
    conditions: conditionsOf(result),
    times: responseTimes.map(timesOf),
  };
}

/** How fast one operation answered in a run. */
function timesOf(times: ResponseTimes) {
  const measured = isMeasurement(times) ? times : null;
  return {
    name: callName(times),
    p50Ms: times.p50Ms ?? null,
    p95Ms: times.p95Ms ?? null,
    // Null if the figures are not reliable.
    intervalMs: measured === null || measured.unreliable.length > 0 ? null : (times.intervals.p50 ?? null),
    // By which runs are compared, unless one had an open loop and the other a closed one.
    fastest: measured === null ? null : fastestCalls(measured),
    load: measured?.load.model.kind ?? null,
  };
}

/**
 * The same for runs between which neither the server, as far as it says, nor the check changed. Null if the server did
 * not say what functions it has.
 */
function conditionsOf(result: TestResult): string | null {
  const functions = functionsIn(result);
  if (functions === null) return null;
  const { name, version, mcpVersion, form } = result.target;
  const { seed: _, ...settings } = result.settings;
  const { suites, harness } = result;
  // Through JSON, which leaves out what is undefined.
  const all = JSON.stringify({ name, version, mcpVersion, form, functions, settings, suites, harness });
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(all) as Json))
    .digest('hex');
}

/** The descriptors of the first answer that has them, or the tools of all pages. */
function functionsIn({ exchanges }: TestResult): Json | null {
  const tools = exchanges.filter(isAnswer).flatMap(toolsIn);
  if (tools.length > 0) return [...new Map(tools.map((tool) => [canonicalJson(tool), tool])).values()];
  for (const exchange of exchanges) {
    if (exchange.kind !== 'answered' || !/^capabilities\/read[#@[]/.test(exchange.request.key)) continue;
    const { body } = exchange.response;
    const read = 'text' in body ? jsonIn(body.text) : null;
    if (isJsonObject(read) && read.functions !== undefined) return read.functions;
  }
  return null;
}

function toolsIn(answer: Answer): readonly Json[] {
  if (messageMethod(answer.request) !== 'tools/list') return [];
  return ownItems(ownProperty(jsonBody(answer).value, 'result'), 'tools');
}

function jsonIn(text: string): Json | null {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

export type Trend = ReturnType<typeof trendOf>;
export type ShownRun = Trend['runs'][number];
export type LatencyTrend = Trend['latency'][number];

/** The runs by target, in the order of their addresses. A copied report counts once. Pure. */
export function trendsOf(all: readonly TrendRun[]): readonly Trend[] {
  const unique = [...new Map(all.map((run) => [run.id, run])).values()];
  return [...groupedBy(unique, ({ target, targetName = '' }) => `${target.url} ${targetName}`).entries()]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, own]) => {
      const runs = own.toSorted((left, right) => Date.parse(left.startedAt) - Date.parse(right.startedAt));
      const newest = runs.at(-1);
      return newest === undefined ? [] : [trendOf(runs, newest)];
    });
}

/** Of runs of one target, oldest first. */
function trendOf(runs: readonly TrendRun[], newest: TrendRun) {
  const known = new Map<string, Outcome>();
  return {
    target: newest.target,
    runs: runs.map((run) => shownRun(run, known)),
    latency: latencyTrends(runs),
    flaky: flakyRows(runs),
  };
}

/** With the requirements that have another outcome than in the last run with an outcome of them; notes the new ones. */
function shownRun({ outcomes, conditions: _, ...run }: TrendRun, known: Map<string, Outcome>) {
  const changes = [...outcomes].flatMap(([id, after]) => {
    const before = known.get(id);
    known.set(id, after);
    return before === undefined || before === after ? [] : [{ id, before, after }];
  });
  return { ...run, changes };
}

/** A row that changed once may show a repair of the server, which it does not announce. */
const MIN_CHANGES = 2;

/** Requirements that were decided differently, and back again, although nothing changed. */
function flakyRows(runs: readonly TrendRun[]) {
  // Pairs of consecutive runs of an unchanged server that decided it, and those that decided it differently.
  const counts = new Map<string, { changed: number; pairs: number }>();
  runs.slice(1).forEach((run, index) => {
    const before = runs[index];
    if (before === undefined || run.conditions === null || run.conditions !== before.conditions) return;
    for (const [id, outcome] of run.outcomes) {
      const earlier = before.outcomes.get(id);
      if (earlier === undefined || earlier === 'undecided' || outcome === 'undecided') continue;
      const { changed, pairs } = counts.get(id) ?? { changed: 0, pairs: 0 };
      counts.set(id, { changed: changed + Number(earlier !== outcome), pairs: pairs + 1 });
    }
  });
  return [...counts]
    .filter(([, { changed }]) => changed >= MIN_CHANGES)
    .map(([id, count]) => ({ id, ...count }))
    .toSorted((left, right) => right.changed / right.pairs - left.changed / left.pairs);
}

/** A lasting change of the time of an operation. */
interface LatencyChange {
  readonly outcome: 'slower' | 'faster';
  /** The first run after the change. */
  readonly startedAt: string;
  readonly id: string;
  /** Medians of the runs before and after, in milliseconds. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

const MIN_RUNS_EACH = 3;
/** Enough runs to show a change. */
export const MIN_COMPARABLE_RUNS = 2 * MIN_RUNS_EACH;

/** Response times over runs, oldest to newest. Pure. */
export function latencyTrends(runs: readonly TrendRun[]) {
  const timed = runs
    .flatMap(({ times }) => times)
    .filter(({ p50Ms, load }) => p50Ms !== null && load !== null);
  const names = new Set(timed.map(({ name }) => name));
  return [...names].map((name) => {
    const all = runs.map(({ times }) => times.find((one) => one.name === name) ?? null);
    const newest = all.findLast((times) => times?.load != null && times.fastest !== null);
    const points = all.flatMap((times, index): readonly Point[] => {
      const run = runs[index];
      const isAlike = times?.load === newest?.load && times?.fastest?.of === newest?.fastest?.of;
      return run === undefined || times === null || !isAlike ? [] : pointOf(run, times);
    });
    const changes = changesIn(points);
    const decided = changes.length > 0 ? ('changed' as const) : ('no-change-shown' as const);
    return {
      // `health`, `execute:add`.
      name,
      // For each run, in their order; null where there is none.
      p50Ms: all.map((times) => times?.p50Ms ?? null),
      intervalMs: all.map((times) => times?.intervalMs ?? null),
      // Runs whose fastest calls can be compared.
      comparable: points.length,
      outcome: points.length < MIN_COMPARABLE_RUNS ? ('cannot-tell' as const) : decided,
      changes,
    };
  });
}

type Point = ReturnType<typeof pointOf>[number];

function pointOf(run: TrendRun, { p50Ms, fastest }: TrendTimes) {
  return p50Ms === null || fastest === null ? [] : [{ run, p50Ms, fastest }];
}

/** Compares all runs since the last change with the next three. */
function changesIn(points: readonly Point[]): readonly LatencyChange[] {
  const changes: LatencyChange[] = [];
  let start = 0;
  for (let index = MIN_RUNS_EACH; index + MIN_RUNS_EACH <= points.length; index++) {
    const first = points[index];
    const before = points.slice(start, index);
    const after = points.slice(index, index + MIN_RUNS_EACH);
    if (first === undefined || before.length < MIN_RUNS_EACH) continue;
    const usualMs = [
      medianOf(before.map(({ fastest }) => fastest.intervalMs[0])),
      medianOf(before.map(({ fastest }) => fastest.intervalMs[1])),
    ] as const;
    const laterMs = after.map(({ fastest }) => fastest.intervalMs);
    const outcome = compareFastest(usualMs, laterMs);
    if (outcome === 'no-difference-shown') continue;
    const { startedAt, id } = first.run;
    changes.push({
      outcome: outcome === 'worse' ? 'slower' : 'faster',
      startedAt,
      id,
      beforeMs: medianOf(before.map(({ p50Ms }) => p50Ms)),
      afterMs: medianOf(after.map(({ p50Ms }) => p50Ms)),
    });
    start = index;
  }
  return changes;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
