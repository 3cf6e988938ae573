import { shorten } from '../../json/json.ts';
import type { TestResult } from '../../model/report.ts';
import { type SourcePlace, sourceOf } from '../../model/source-map.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { lastingName } from '../fingerprint.ts';
import type { RenderedFile } from '../target-entry.ts';
import { briefLines } from '../view/finding-lines.ts';
import type { ProblemView, RequirementView } from '../view/judgement-view.ts';
import { type ReportView, reportView } from '../view/report-view.ts';
import { andMore, outdatedWords } from '../view/words.ts';

/** Annotations for a job’s log on GitHub: one workflow command per line. No text can form another command. */
export function renderGithub(result: TestResult): readonly RenderedFile[] {
  const view = reportView(result);
  const { toFix, problems } = view;
  const kinds = groupedBy(toFix, (one) => kindOf(one, view));
  const lines = [...kinds].flatMap(([kind, own]) => {
    const room = kind === 'error' && problems.length > 0 ? MAX_OF_A_KIND - 1 : MAX_OF_A_KIND;
    const { shown, rest } = fitting(own, room);
    return [
      ...shown.map((one) => annotation(kind, one, view)),
      ...(rest > 0 ? [command(kind, 'probity', [andMore(rest, 'requirement')])] : []),
    ];
  });
  const errors = kinds.get('error')?.length ?? 0;
  const all = [...baselineLines(problems, errors), ...lines, verdictLine(view)];
  return [{ suffix: '.github.txt', text: `${all.join('\n')}\n` }];
}

function verdictLine({ mark, word, words, target }: ReportView): string {
  const kind = mark === 'pass' || mark === 'measured' ? 'notice' : 'error';
  return command(kind, `probity: ${word}`, [`${words} ${target.url}`]);
}

/** GitHub shows ten annotations of each kind for a step and silently drops the rest. One is for the verdict. */
const MAX_OF_A_KIND = 9;
const MAX_CHARACTERS = 500;

/** Leaves room for failures. Entries that do not fit are counted, so that the verdict is still shown. */
function baselineLines(problems: readonly ProblemView[], errors: number): readonly string[] {
  const room = Math.max(MAX_OF_A_KIND - Math.min(errors, MAX_OF_A_KIND), 1);
  const { shown, rest } = fitting(problems, room);
  const words = shown.length === 0 ? outdatedWords(rest) : andMore(rest, 'entry', 'entries');
  return [
    ...shown.map(({ name, message }) => command('error', `baseline, ${name}`, [message])),
    ...(rest > 0 ? [command('error', 'baseline', [words])] : []),
  ];
}

/** With room for the number of the others. */
function fitting<T>(all: readonly T[], room: number) {
  const shown = all.slice(0, all.length > room ? room - 1 : room);
  return { shown, rest: all.length - shown.length };
}

type Kind = 'error' | 'warning' | 'notice';

/** GitHub lists errors first, so these are the rows that decided the verdict. */
function kindOf({ state }: RequirementView, { mark }: ReportView): Kind {
  if (state === 'failed' || (state === 'undecided' && mark !== 'fail')) return 'error';
  return state === 'warning' ? 'warning' : 'notice';
}

function annotation(
  kind: Kind,
  { level, id, reason, findings }: RequirementView,
  { settings }: ReportView,
): string {
  const [first, ...more] = findings;
  const source = sourceOf(settings.sources, id, lastingName(first?.where.function));
  const title = `${level} ${id}`;
  const lines = [
    ...(first === undefined ? [reason] : briefLines(first)),
    ...(more.length === 0 ? [] : [andMore(more.length, 'finding')]),
  ];
  return command(kind, title, lines, source);
}

function command(
  kind: Kind,
  title: string,
  lines: readonly string[],
  source: SourcePlace | null = null,
): string {
  const place = source === null ? '' : `file=${property(source.file)},line=${source.line},`;
  const message = lines.map((line) => data(shorten(line, MAX_CHARACTERS)));
  return `::${kind} ${place}title=${property(shorten(title, MAX_CHARACTERS))}::${message.join('%0A')}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
