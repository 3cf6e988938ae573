import type { ReportView } from '../view/report-view.ts';
import { counted } from '../view/words.ts';
import type { Palette } from './palette.ts';

const COLOURS = {
  pass: 'good',
  incomplete: 'doubtful',
  fail: 'bad',
  unreachable: 'bad',
  measured: 'strong',
} as const;

/** `PASS with 2 warnings  Every requirement that applies is met.` */
export function verdictWords({ mark, word, words, summary }: ReportView, palette: Palette): string {
  const warned = mark === 'pass' && summary.warnings > 0;
  const title = warned ? `${word} with ${counted(summary.warnings, 'warning')}` : word;
  return `${palette.strong(palette[COLOURS[mark]](title))}  ${words}`;
}
