import { visible } from '../../json/visible.ts';
import { UNANSWERED } from '../../model/report.ts';
import { namesInLine } from '../../text/words.ts';
import type { ReportView } from '../view/report-view.ts';
import type { TargetMark } from '../view/targets-view.ts';
import { andMore, counted, type VerdictMark } from '../view/words.ts';
import { wrap, wrapItems } from '../view/wrap.ts';
import type { Palette } from './layout.ts';
import { indented, type Layout } from './layout.ts';

export const VERDICT_COLOURS = {
  pass: 'good',
  incomplete: 'doubtful',
  fail: 'bad',
  unreachable: 'bad',
  measured: 'strong',
  'not-checked': 'bad',
  'not-judged': 'bad',
} as const satisfies Readonly<Record<VerdictMark | TargetMark, keyof Palette>>;

/** Of functions that were not exercised for the same reason. */
const MAX_SAMPLES = 10;

/**
 * One entry for each function that was not exercised: why, and what to do. Then what to paste into the configuration, for
 * all of them, unwrapped.
 */
function notExercisedLines(
  { notExercised, settings, unit }: ReportView,
  { palette, width }: Layout,
  maxFunctions: number,
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
function verdictWords({ mark, word, words, summary }: ReportView, palette: Palette): string {
  const warned = mark === 'pass' && summary.warnings > 0;
  const title = warned ? `${word} with ${counted(summary.warnings, 'warning')}` : word;
  return `${palette.strong(palette[VERDICT_COLOURS[mark]](title))}  ${words}`;
}

/** Calls that no requirement counts, and that a reader must hear of all the same. */
function unansweredLines({ facts }: ReportView, { palette, width }: Layout): readonly string[] {
  return facts
    .filter(({ name }) => name === UNANSWERED)
    .flatMap(({ text }) => indented(wrap(`${palette.doubtful('no answer')}: ${visible(text)}`, width - 2)));
}

/** How the report ends: the verdict, the counts, what was not exercised, and where the report is. */
export function totalLines(
  view: ReportView,
  layout: Layout,
  reportFile: string | undefined,
  maxFunctions: number,
  linesBefore: readonly string[] = [],
): readonly string[] {
  const { palette, width } = layout;
  return [
    verdictWords(view, palette),
    ...indented(wrapItems(view.counts, ', ', width - 2)),
    ...notExercisedLines(view, layout, maxFunctions),
    ...unansweredLines(view, layout),
    ...(view.decision === '' ? [] : indented(wrap(view.decision, width - 2))),
    ...linesBefore,
    ...(reportFile === undefined ? [] : [`  report: ${visible(reportFile)}`]),
  ];
}
