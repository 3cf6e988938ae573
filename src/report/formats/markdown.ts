import type { TestResult } from '../../model/report.ts';
import { namesInLine } from '../../text/words.ts';
import { type NamedResult, type RenderedFile, targetEntry } from '../target-entry.ts';
import { CLIENTS_TITLE } from '../view/clients-view.ts';
import { doubtWords, inMs, notableTimes } from '../view/figures.ts';
import type { FindingView, RequirementView } from '../view/judgement-view.ts';
import { type ReportView, remedyWords, reportView } from '../view/report-view.ts';
import { targetsView } from '../view/targets-view.ts';
import { madeVisible } from '../view/visible-result.ts';
import { andMore, asSentence, OUTCOME_WORDS } from '../view/words.ts';
import { cell, code, details, MARKS, plain, table, within } from './markdown-text.ts';

/** For a comment on a pull request and for a job summary. A comment holds up to 65,536 characters. */
export function renderMarkdown(result: TestResult): readonly RenderedFile[] {
  const view = reportView(result);
  const blocks = [
    heading(view),
    areas(view),
    baseline(view),
    ...within(view.toFix.map(requirement), MAX_CHARACTERS, (rest) => andMore(rest, 'requirement')),
    notExercised(view),
    acceptedFindings(view),
    clients(view),
    latency(view),
    `<sub>probity ${plain(view.harness.version)}, seed ${view.seed}, ${plain(view.startedAt)}</sub>`,
  ];
  return [{ suffix: '.md', text: `${blocks.filter((block) => block !== '').join('\n\n')}\n` }];
}

/** Several targets: a table, then the reports of those that did not pass, as far as a comment holds them. */
export function renderMarkdownTogether(
  targets: readonly NamedResult[],
  notes: readonly string[] = [],
): readonly RenderedFile[] {
  const entries = targets.map(({ name, result }) => targetEntry(result, name, null));
  const { totals, mark, targets: lines } = targetsView(entries);
  const broken = targets.filter(({ result }) => !(result.verdict === 'pass' && result.reachable));
  const blocks = [
    `## ${MARKS[mark]}Probity: ${totals}`,
    ...madeVisible(notes).map(plain),
    table(
      ['target', 'verdict', 'failed', 'warnings', 'undecided', 'slowest p95, ms'],
      lines.map(({ name, word, failed, warnings, undecided, slowest }) => [
        cell(name),
        word.toLowerCase(),
        ...[failed, warnings, undecided].map((count) => String(count || '')),
        slowest === '' ? '' : cell(slowest),
      ]),
    ),
    ...within(
      broken.flatMap(({ result }) => renderMarkdown(result).map(({ text }) => text.trimEnd())),
      MAX_CHARACTERS,
      (rest) => andMore(rest, 'target'),
    ),
  ];
  return [{ suffix: '.md', text: `${blocks.join('\n\n')}\n` }];
}

/** The rest of a comment is for the heading, the table of areas, the two lists of the baseline and the times. */
const MAX_CHARACTERS = 36_000;
const MAX_LIST_CHARACTERS = 6000;
const MAX_FINDINGS_EACH = 3;

function heading({ mark, word, words, decision, counts, target, server, results }: ReportView): string {
  const named = `${code(target.url)}${server === '' ? '' : `, ${code(server)}`}`;
  return [
    `## ${MARKS[mark]}Probity: ${word}`,
    '',
    [`${named}. ${words}`, decision].filter((part) => part !== '').join(' '),
    ...(results.length === 0 ? [] : ['', counts.join(', ')]),
  ].join('\n');
}

function areas({ areas: all }: ReportView): string {
  const states = all[0]?.counts.map(({ state }) => state) ?? [];
  const shown = states.filter((state) =>
    all.some(({ counts }) => counts.some((one) => one.state === state && one.count > 0)),
  );
  return all.length === 0
    ? ''
    : table(
        ['area', ...shown.map((state) => OUTCOME_WORDS[state])],
        all.map(({ name, counts }) => [
          cell(name),
          ...counts.filter(({ state }) => shown.includes(state)).map(({ count }) => String(count || '')),
        ]),
      );
}

function requirement({ id, word, level, section, note, findings, advice }: RequirementView): string {
  const title = `### ${word.charAt(0).toUpperCase()}${word.slice(1)}: ${code(id)} (${level}, ${plain(section)})`;
  const [first] = findings;
  const rest = findings.length - MAX_FINDINGS_EACH;
  const texts = new Map(advice);
  return [
    title,
    ...(note === '' ? [] : [code(note)]),
    ...findings.slice(0, MAX_FINDINGS_EACH).map(findingBlock),
    ...(rest > 0 ? [andMore(rest, 'finding')] : []),
    ...(['why', 'fix'] as const).flatMap((label) => {
      const text = texts.get(label);
      return text === undefined ? [] : [`**${label === 'why' ? 'Why' : 'Fix'}:** ${plain(text)}`];
    }),
    details('Reproduce', [first?.curl, first?.check]),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function findingBlock({ message, evidence }: FindingView): string {
  return [
    `- ${code(message)}`,
    ...evidence
      .filter(([label]) => label !== 'suite' && label !== 'curl')
      .map(([label, text]) => `  - ${label} ${code(text)}`),
  ].join('\n');
}

function notExercised({ notExercised: functions }: ReportView): string {
  const lines = functions.map(
    (group) =>
      `- ${code(namesInLine(group.names))}: ${code(asSentence(group.why))} ${plain(remedyWords(group))}`,
  );
  return list('Functions that were not exercised', lines, (rest) => andMore(rest, 'function'));
}

function baseline({ problems }: ReportView): string {
  const lines = problems.map(
    ({ word, requirement: id, place, message }) =>
      `- ${word}: ${code(id)}${placeWords(place)}: ${code(message)}`,
  );
  return list('The baseline is out of date', lines, (rest) => andMore(rest, 'entry', 'entries'));
}

function acceptedFindings({ accepted, requirements }: ReportView): string {
  const findings = accepted.map(
    ({ id, place, count, until, words }) =>
      `- ${code(id)}${placeWords(place)}, until ${plain(until)}${count === 1 ? '' : ` (${count} findings)`}: ${code(words)}`,
  );
  const withoutFinding = requirements
    .filter(({ state, findings: own }) => state === 'accepted' && own.length === 0)
    .map(({ id, reason }) => `- ${code(id)}: ${code(reason)}`);
  return list('Accepted by the baseline', [...findings, ...withoutFinding], (rest) =>
    andMore(rest, 'finding'),
  );
}

function placeWords(place: string): string {
  return place === '' ? '' : `, ${code(place)}`;
}

/** Nothing without a line. */
function list(title: string, lines: readonly string[], more: (count: number) => string): string {
  if (lines.length === 0) return '';
  return [`### ${title}`, '', ...within(lines, MAX_LIST_CHARACTERS, (rest) => `- ${more(rest)}`)].join('\n');
}

/** The answers, and a table of the profiles that do not accept everything. */
function clients({ clients: view }: ReportView): string {
  if (view === null) return '';
  const partly = view.profiles.filter(({ groups }) => groups.length > 0);
  const breaking = view.changes.filter(({ kind }) => kind === 'breaking' || kind === 'unclear');
  return [
    `### ${CLIENTS_TITLE}`,
    view.lines.map(([label, words]) => `- ${label}: ${plain(words)}`).join('\n'),
    list(
      'Changes that break callers, or may',
      breaking.flatMap(({ changes }) => changes.map(({ sentence }) => `- ${code(sentence)}`)),
      (rest) => andMore(rest, 'change'),
    ),
    partly.length === 0
      ? ''
      : table(
          ['client or provider', 'portable', 'first change'],
          partly.map(({ title, words, groups }) => [cell(title), words, cell(groups[0]?.change ?? '')]),
        ),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

const FIGURES = ['p50', 'p90', 'p95', 'p99', 'max'] as const;

function latency({ measured, unit }: ReportView): string {
  if (measured.length === 0) return '';
  const { notable, more } = notableTimes(measured);
  const rows = notable.map((times) => [
    `${cell(times.label)}${doubtWords(times) === '' ? '' : ', unreliable'}`,
    ...[times.count, times.errors].map(String),
    ...FIGURES.map((name) => times[`${name}Ms`]).map((ms) => (ms === undefined ? '–' : inMs(ms))),
  ]);
  return [
    table(['response times', 'calls', 'errors', ...FIGURES], rows),
    ...(more > 0 ? ['', andMore(more, unit)] : []),
  ].join('\n');
}
