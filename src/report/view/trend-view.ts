import { type LatencyTrend, MIN_COMPARABLE_RUNS, type ShownRun, type Trend } from '../compare/trend.ts';
import { inBrief, inMs } from './figures.ts';
import { madeVisible } from './visible-result.ts';
import { counted, OUTCOME_WORDS, verdictMark } from './words.ts';

export const FLAKY_TITLE = 'Flaky requirements';
export const LATENCY_TITLE = 'Response times, p50';

export type TrendView = ReturnType<typeof trendView>;
export type RunLine = TrendView['runs'][number];
export type LatencyLine = TrendView['latency'][number];

export function trendView(given: Trend) {
  const { target, runs, latency, flaky } = madeVisible(given);
  const named = [target.name, target.version].filter((part) => part !== undefined && part !== '');
  const targetName = runs[0]?.targetName;
  return {
    url: target.url,
    about: [
      ...(targetName === undefined ? [] : [`target ${targetName}`]),
      ...(named.length === 0 ? [] : [named.join(' ')]),
      counted(runs.length, 'run'),
    ].join(', '),
    runs: runs.map(runLine),
    latency: latency.map(latencyLine),
    flaky: flaky.map(({ id, changed, pairs }) => ({
      id,
      words: `decided differently in ${changed} of ${counted(pairs, 'pair')} of runs`,
    })),
  };
}

/** `health 1.2, capabilities 2.1` in ms, and `health/status-200: passed → failed`. */
function runLine(run: ShownRun) {
  const { id, startedAt, summary, times, changes } = run;
  const timed = times.filter(({ p95Ms, load }) => p95Ms !== null && load !== null);
  const operations = timed.filter(({ name }) => !name.includes(':'));
  return {
    id,
    date: dateOf(startedAt),
    mark: verdictMark(run),
    counts: `${summary.passed} passed, ${summary.failed} failed, ${counted(summary.warnings, 'warning')}`,
    p95: operations.map(({ name, p95Ms }) => `${name} ${inBrief(p95Ms ?? 0)}`).join(', '),
    changes: changes.map(
      ({ id: row, before, after }) => `${row}: ${OUTCOME_WORDS[before]} → ${OUTCOME_WORDS[after]}`,
    ),
  };
}

function latencyLine({ name, p50Ms, intervalMs, comparable, outcome, changes }: LatencyTrend) {
  const given = p50Ms.filter((value) => value !== null);
  const [first, last] = [given[0], given.at(-1)];
  return {
    name,
    p50Ms,
    intervalMs,
    // Of the first and the last run that have it; empty if none has.
    range: first === undefined || last === undefined ? '' : `${inMs(first)} → ${inMs(last)}`,
    outcome,
    words:
      outcome === 'cannot-tell'
        ? [
            `cannot tell: ${counted(comparable, 'run has', 'runs have')} figures that can be compared, ${MIN_COMPARABLE_RUNS} are needed`,
          ]
        : outcome === 'no-change-shown'
          ? ['no change beyond noise']
          : changes.map(
              (change) =>
                `${change.outcome} since ${dateOf(change.startedAt)}: ${inMs(change.beforeMs)} → ${inMs(change.afterMs)}`,
            ),
  };
}

/** A result may say any date and time that can be read. */
function dateOf(startedAt: string): string {
  return new Date(Date.parse(startedAt)).toISOString().slice(0, 19).replace('T', ' ');
}
