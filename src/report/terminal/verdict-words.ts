import type { ReportView } from '../view/report-view.ts';
import { andMore, counted, namesInLine } from '../view/words.ts';
import { wrap } from '../view/wrap.ts';
import { indented, type Layout } from './layout.ts';
import type { Palette } from './palette.ts';

const COLOURS = {
  pass: 'good',
  incomplete: 'doubtful',
  fail: 'bad',
  unreachable: 'bad',
  measured: 'strong',
} as const;

const MAX_FUNCTIONS = 5;
/** Of functions that were not exercised for the same reason. */
const MAX_SAMPLES = 10;

/**
 * One entry for each function that was not exercised: why, and what to do. Then what to paste into the configuration, for
 * all of them, unwrapped.
 */
export function notExercisedLines(
  { notExercised, settings, unit }: ReportView,
  { palette, width }: Layout,
  maxFunctions = MAX_FUNCTIONS,
): readonly string[] {
  const shown = notExercised.slice(0, maxFunctions);
  const rest = notExercised.length - shown.length;
  const samples = shown.flatMap((one) => one.samples.slice(0, MAX_SAMPLES));
  const isFirst = Object.keys(settings.samples).length === 0;
  return [
    ...shown.flatMap(({ names, why, remedy }) => [
      ...indented(
        wrap(
          `${palette.doubtful('not exercised')}: ${palette.strong(namesInLine(names))}: ${why}`,
          width - 2,
        ),
      ),
      ...indented(wrap(remedy, width - 6), 6),
    ]),
    ...(rest > 0 ? [`  ${andMore(rest, unit)}`] : []),
    ...(samples.length === 0
      ? []
      : [
          `  for probity.config.yaml${isFirst ? '' : ', below samples'}, with your inputs instead of these:`,
          ...(isFirst ? ['    config: v1', '    samples:'] : []),
          ...indented(samples, 6),
        ]),
  ];
}

/** `PASS with 2 warnings  Every requirement that applies is met.` */
export function verdictWords({ mark, word, words, summary }: ReportView, palette: Palette): string {
  const warned = mark === 'pass' && summary.warnings > 0;
  const title = warned ? `${word} with ${counted(summary.warnings, 'warning')}` : word;
  return `${palette.strong(palette[COLOURS[mark]](title))}  ${words}`;
}
