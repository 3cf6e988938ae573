import { shorten } from '../../model/json.ts';
import type { TestResult } from '../../model/report.ts';
import { visible } from '../../model/visible.ts';
import { NO_REQUIREMENTS } from '../view/cases.ts';
import { type FoundOf, stateOf, toMend, verdictWord, verdictWords } from '../view/words.ts';
import type { RenderedFile } from './rendered-file.ts';

/** Annotations for a job’s log on GitHub: a workflow command a line, and no command but these. */
export function renderGithub(result: TestResult): readonly RenderedFile[] {
  const found = toMend(result).map((one) => ({ one, kind: kindOf(one, result) }));
  const hasProblems = (result.baseline?.problems.length ?? 0) > 0;
  const lines = (['error', 'warning', 'notice'] as const).flatMap((kind) => {
    const own = found.filter((each) => each.kind === kind);
    const room = kind === 'error' && hasProblems ? MAX_OF_A_KIND - 1 : MAX_OF_A_KIND;
    const told = own.slice(0, own.length > room ? room - 1 : room);
    const rest = own.length - told.length;
    return [
      ...told.map(({ one }) => annotation(kind, one)),
      ...(rest > 0 ? [command(kind, 'probity', `and ${rest} more requirements, in the report`)] : []),
    ];
  });
  const problems = baselineLines(result, found.filter(({ kind }) => kind === 'error').length);
  const verdict =
    result.bench === undefined
      ? command(
          result.verdict === 'pass' ? 'notice' : 'error',
          `probity: ${verdictWord(result)}`,
          `${verdictWords(result)} ${result.target.url}`,
        )
      : command('notice', 'probity: measured', `${NO_REQUIREMENTS}: ${result.target.url}`);
  return [{ suffix: '.github.txt', text: `${[...lines, ...problems, verdict].join('\n')}\n` }];
}

/** GitHub shows so many of each kind for a step, and passes over the rest without a word. The verdict is one more. */
const MAX_OF_A_KIND = 9;
const MAX_CHARACTERS = 500;

/** What fails the run comes first; what does not fit beside it is counted, so that the verdict is still shown. */
function baselineLines({ baseline }: TestResult, failures: number): readonly string[] {
  const problems = baseline?.problems ?? [];
  const room = Math.max(MAX_OF_A_KIND - Math.min(failures, MAX_OF_A_KIND), 1);
  const told = problems.slice(0, problems.length > room ? room - 1 : room);
  const rest = problems.length - told.length;
  return [
    ...told.map(({ kind, requirement, message }) =>
      command('error', `baseline, ${kind}: ${requirement}`, message),
    ),
    ...(rest > 0
      ? [
          command(
            'error',
            'baseline',
            `${rest}${told.length === 0 ? '' : ' more'} ${rest === 1 ? 'entry does' : 'entries do'} not hold any more, see the report`,
          ),
        ]
      : []),
  ];
}

type Kind = 'error' | 'warning' | 'notice';

function kindOf({ row }: FoundOf, result: TestResult): Kind {
  const state = stateOf(row, result);
  return state === 'failed' ? 'error' : state === 'warning' ? 'warning' : 'notice';
}

function annotation(kind: Kind, { row, findings }: FoundOf): string {
  const [first] = findings;
  const title = `${row.level} ${row.id}`;
  if (first === undefined)
    return command(
      kind,
      title,
      row.outcome === 'blocked' ? `blocked by ${row.blockedBy}` : (row.reason ?? ''),
    );
  const { message, expected, received, where, fix, outcome } = first;
  const at = where.function === undefined ? '' : ` (function "${where.function}")`;
  const more = findings.length > 1 ? [`and ${findings.length - 1} more like it`] : [];
  return command(kind, title, [
    `${outcome === 'inconclusive' ? 'undecided: ' : ''}${message}${at}`,
    `expected: ${expected}`,
    `received: ${received}`,
    ...more,
    ...(fix === '' ? [] : [`fix: ${fix}`]),
  ]);
}

function command(kind: Kind, title: string, lines: string | readonly string[]): string {
  const texts = typeof lines === 'string' ? [lines] : lines;
  const message = texts.map((line) => visible(shorten(line, MAX_CHARACTERS)));
  return `::${kind} title=${property(visible(shorten(title, MAX_CHARACTERS)))}::${message.map(data).join('%0A')}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
