import { type JudgedMark, type JudgedReport, judgedLine } from '../view/judged-view.ts';
import type { Palette } from './palette.ts';

const COLOURS = {
  pass: 'good',
  incomplete: 'doubtful',
  unreachable: 'bad',
  fail: 'bad',
  'not-judged': 'bad',
} as const satisfies Readonly<Record<JudgedMark, keyof Palette>>;

const WIDEST_WORD = 'UNREACHABLE'.length;

/** One line for each report, in columns, as soon as it is judged. Pure. */
export function renderJudgedLine(report: JudgedReport, fileCharacters: number, palette: Palette): string {
  const { file, mark, word, words } = judgedLine(report);
  const verdict = palette.strong(palette[COLOURS[mark]](word.padEnd(WIDEST_WORD)));
  return `${verdict}  ${file.padEnd(fileCharacters)}  ${words}\n`;
}
