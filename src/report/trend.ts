import { groupedBy } from '../model/grouped-by.ts';
import type { Outcome } from '../model/judgement.ts';
import type { RunTarget } from '../model/report.ts';
import { type LatencyTrend, latencyTrends } from './latency-trend.ts';
import type { TrendRun } from './trend-run.ts';

export interface ChangedRow {
  readonly id: string;
  readonly before: Outcome;
  readonly after: Outcome;
}

export interface ShownRun extends Omit<TrendRun, 'outcomes' | 'conditions'> {
  /** Requirements with another outcome than in the run before. */
  readonly changes: readonly ChangedRow[];
}

/** A requirement that was decided differently, and back again, although nothing changed. */
export interface FlakyRow {
  readonly id: string;
  /** Pairs of consecutive runs that decided it differently. */
  readonly changed: number;
  /** Pairs of consecutive runs of an unchanged server that decided it. */
  readonly pairs: number;
}

/** The stored runs of one target. */
export interface Trend {
  /** As in the newest run. */
  readonly target: RunTarget;
  /** Oldest first. */
  readonly runs: readonly ShownRun[];
  readonly latency: readonly LatencyTrend[];
  readonly flaky: readonly FlakyRow[];
}

/** The runs by target, in the order of their addresses. A copied report counts once. Pure. */
export function trendsOf(all: readonly TrendRun[]): readonly Trend[] {
  const unique = [...new Map(all.map((run) => [run.id, run])).values()];
  return [...groupedBy(unique, ({ target, targetName = '' }) => `${target.url} ${targetName}`).entries()]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, own]) => {
      const runs = own.toSorted((left, right) => Date.parse(left.startedAt) - Date.parse(right.startedAt));
      const newest = runs.at(-1);
      return newest === undefined
        ? []
        : [
            {
              target: newest.target,
              runs: runs.map((run, index) => shownRun(run, runs[index - 1])),
              latency: latencyTrends(runs),
              flaky: flakyRows(runs),
            },
          ];
    });
}

function shownRun({ outcomes, conditions: _, ...run }: TrendRun, before: TrendRun | undefined): ShownRun {
  const changes = [...outcomes].flatMap(([id, after]): readonly ChangedRow[] => {
    const earlier = before?.outcomes.get(id);
    return earlier === undefined || earlier === after ? [] : [{ id, before: earlier, after }];
  });
  return { ...run, changes };
}

/** A row that changed once may show a repair of the server, which it does not announce. */
const MIN_CHANGES = 2;

function flakyRows(runs: readonly TrendRun[]): readonly FlakyRow[] {
  const counts = new Map<string, { changed: number; pairs: number }>();
  runs.slice(1).forEach((run, index) => {
    const before = runs[index];
    if (before === undefined || run.conditions === null || run.conditions !== before.conditions) return;
    for (const [id, outcome] of run.outcomes) {
      const earlier = before.outcomes.get(id);
      if (earlier === undefined || !isDecided(earlier) || !isDecided(outcome)) continue;
      const count = counts.get(id) ?? { changed: 0, pairs: 0 };
      counts.set(id, {
        changed: count.changed + (earlier === outcome ? 0 : 1),
        pairs: count.pairs + 1,
      });
    }
  });
  return [...counts]
    .filter(([, { changed }]) => changed >= MIN_CHANGES)
    .map(([id, count]) => ({ id, ...count }))
    .toSorted((left, right) => right.changed / right.pairs - left.changed / left.pairs);
}

function isDecided(outcome: Outcome): boolean {
  return outcome !== 'undecided';
}
