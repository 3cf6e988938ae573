import type { TargetEntry } from '../target-entry.ts';
import {
  type JudgedReport,
  judgedLine,
  type TargetMark,
  targetLine,
  targetsView,
} from '../view/targets-view.ts';
import type { Palette } from './layout.ts';
import { VERDICT_COLOURS } from './verdict-words.ts';

const WIDEST_WORD = 'UNREACHABLE'.length;
const MAX_NAME = 40;

function verdictColumn(mark: TargetMark, word: string, palette: Palette): string {
  return palette.strong(palette[VERDICT_COLOURS[mark]](word.padEnd(WIDEST_WORD)));
}

/** One line for each target, in columns, as soon as it is checked. Pure. */
export function renderTargetLine(entry: TargetEntry, names: readonly string[], palette: Palette): string {
  const { name, mark, word, words, duration } = targetLine(entry);
  const widest = Math.min(MAX_NAME, Math.max(...names.map((one) => one.length)));
  const outcome = [words, duration].filter((part) => part !== '').join('  ');
  return `${verdictColumn(mark, word, palette)}  ${name.padEnd(widest)}  ${outcome}\n`;
}

export function renderTargetTotals(entries: readonly TargetEntry[], durationMs: number | null): string {
  const { totals } = targetsView(entries);
  return `${totals}${durationMs === null ? '' : `  ${(durationMs / 1000).toFixed(1)} s`}\n`;
}

/** One line for each report, in columns, as soon as it is judged. Pure. */
export function renderJudgedLine(report: JudgedReport, fileCharacters: number, palette: Palette): string {
  const { file, mark, word, words } = judgedLine(report);
  return `${verdictColumn(mark, word, palette)}  ${file.padEnd(fileCharacters)}  ${words}\n`;
}
