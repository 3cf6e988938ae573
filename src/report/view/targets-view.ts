import type { CheckedTarget, TargetEntry } from '../target-entry.ts';
import { inBrief } from './figures.ts';
import { madeVisible } from './visible-result.ts';
import { counted, countsInLine, type VerdictMark, verdictMark } from './words.ts';

/** Several targets as all formats show them. */
export interface TargetsView {
  readonly targets: readonly TargetLine[];
  /** The worst of all. */
  readonly mark: TargetMark;
  /** `3 targets: 1 pass, 2 fail`. */
  readonly totals: string;
}

export type TargetMark = Exclude<VerdictMark, 'measured'> | 'not-checked';

export interface TargetLine {
  readonly name: string;
  readonly url: string;
  readonly mark: TargetMark;
  /** `NOT CHECKED`. */
  readonly word: string;
  readonly failed: number;
  readonly warnings: number;
  /** Requirements that are blocked or undecided. */
  readonly undecided: number;
  /** `104 passed, 2 failed, 1 warning`, or why it was not checked. */
  readonly words: string;
  /** `1.2 s`; empty if it was not checked. */
  readonly duration: string;
  /** `12.4 (execute:add)`, in ms; `151 max (execute:add)` without a p95; empty if no function was timed. */
  readonly slowest: string;
  readonly report: string | null;
}

/** From the worst to the best. A mistake in a configuration comes first, because it hides what a check would find. */
export const TARGET_MARKS = ['not-checked', 'fail', 'unreachable', 'incomplete', 'pass'] as const;

function wordOf(mark: TargetMark): string {
  return mark.replace('-', ' ');
}

export function targetsView(entries: readonly TargetEntry[]): TargetsView {
  const targets = entries.map(targetLine);
  const marks = new Set(targets.map(({ mark }) => mark));
  const counts = TARGET_MARKS.toReversed().flatMap((mark) => {
    const count = targets.filter((target) => target.mark === mark).length;
    return count === 0 ? [] : [`${count} ${wordOf(mark)}`];
  });
  return {
    targets,
    mark: TARGET_MARKS.find((mark) => marks.has(mark)) ?? 'not-checked',
    totals: `${counted(targets.length, 'target')}: ${counts.join(', ')}`,
  };
}

export function targetLine(given: TargetEntry): TargetLine {
  const entry = madeVisible(given);
  const { name, url } = entry;
  if (entry.kind === 'not-checked')
    return {
      name,
      url,
      mark: 'not-checked',
      word: wordOf('not-checked').toUpperCase(),
      failed: 0,
      warnings: 0,
      undecided: 0,
      words: entry.reason,
      duration: '',
      slowest: '',
      report: null,
    };
  const { summary, durationMs, slowest, report } = entry;
  const mark = markOf(entry);
  const { failed, warnings } = summary;
  return {
    name,
    url,
    mark,
    word: wordOf(mark).toUpperCase(),
    failed,
    warnings,
    undecided: summary.undecided,
    words: countsInLine(summary),
    duration: `${(durationMs / 1000).toFixed(1)} s`,
    slowest: slowest === null ? '' : slowestWords(slowest),
    report,
  };
}

function slowestWords({ name, p95Ms, maxMs, reliable }: NonNullable<CheckedTarget['slowest']>): string {
  const figure = p95Ms === null ? `${inBrief(maxMs ?? 0)} max` : inBrief(p95Ms);
  return `${figure} (${name}${reliable ? '' : ', unreliable'})`;
}

function markOf(entry: Extract<TargetEntry, { readonly kind: 'checked' }>): TargetMark {
  const mark = verdictMark(entry);
  return mark === 'measured' ? 'incomplete' : mark;
}
