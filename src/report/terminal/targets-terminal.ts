import type { TargetEntry } from '../target-entry.ts';
import { type TargetMark, targetLine, targetsView } from '../view/targets-view.ts';
import type { Palette } from './palette.ts';

const COLOURS = {
  pass: 'good',
  incomplete: 'doubtful',
  'not-checked': 'bad',
  unreachable: 'bad',
  fail: 'bad',
} as const satisfies Readonly<Record<TargetMark, keyof Palette>>;

const WIDEST_WORD = 'UNREACHABLE'.length;
const MAX_NAME = 40;

/** One line for each target, in columns, as soon as it is checked. Pure. */
export function renderTargetLine(entry: TargetEntry, names: readonly string[], palette: Palette): string {
  const { name, mark, word, words, duration } = targetLine(entry);
  const widest = Math.min(MAX_NAME, Math.max(...names.map((one) => one.length)));
  const verdict = palette.strong(palette[COLOURS[mark]](word.padEnd(WIDEST_WORD)));
  return `${verdict}  ${name.padEnd(widest)}  ${[words, duration].filter((part) => part !== '').join('  ')}\n`;
}

export function renderTargetTotals(entries: readonly TargetEntry[], durationMs: number | null): string {
  const { totals } = targetsView(entries);
  return `${totals}${durationMs === null ? '' : `  ${(durationMs / 1000).toFixed(1)} s`}\n`;
}
