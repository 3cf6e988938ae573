import { shorten } from '../../model/json.ts';
import type { ReportedFinding } from '../../model/judgement.ts';
import { isMeasurement, type TestResult } from '../../model/report.ts';
import { visible } from '../../model/visible.ts';
import { NO_REQUIREMENTS } from '../view/cases.ts';
import { inMs } from '../view/figures.ts';
import {
  areaOf,
  decisionWords,
  type FoundOf,
  OUTCOME_WORDS,
  type RowState,
  sectionWords,
  stateOf,
  summaryItems,
  toMend,
  verdictWord,
  verdictWords,
} from '../view/words.ts';
import type { RenderedFile } from './rendered-file.ts';

/** For the comment on a pull request, and for the summary of a job. A comment holds 65,536 characters. */
export function renderMarkdown(result: TestResult): readonly RenderedFile[] {
  const found = toMend(result);
  const blocks = [
    heading(result),
    areas(result),
    ...within(
      found.map((one) => requirement(one, result)),
      MAX_CHARACTERS,
      ['requirement', 'requirements'],
    ),
    baseline(result),
    latency(result),
    `<sub>probity ${plain(result.harness.version)}, seed ${result.seed}, ${plain(result.startedAt)}</sub>`,
  ];
  return [{ suffix: '.md', text: `${blocks.filter((block) => block !== '').join('\n\n')}\n` }];
}

/** What is left of a comment goes to the heading, the table of areas, the baseline and the times. */
const MAX_CHARACTERS = 40_000;
const MAX_BASELINE_CHARACTERS = 8000;
const MAX_FINDINGS_EACH = 3;
const MAX_TEXT_CHARACTERS = 400;
const MAX_CELL_CHARACTERS = 100;
const MAX_OPERATIONS = 20;

const BENCH_WORDS = `No verdict: ${NO_REQUIREMENTS}.`;

const MARKS = { pass: '✅', fail: '❌', incomplete: '❔' } as const;

function heading(result: TestResult): string {
  const { target, verdict, reachable, summary } = result;
  const named = [target.name, target.version].filter((part) => part !== undefined).join(' ');
  const server = `${code(target.url)}${named === '' ? '' : `, ${code(named)}`}`;
  if (result.bench !== undefined) return `## Probity: measured\n\n${server}. ${BENCH_WORDS}`;
  return [
    `## ${MARKS[reachable ? verdict : 'fail']} Probity: ${verdictWord(result)}`,
    '',
    [`${server}. ${verdictWords(result)}`, decisionWords(result)].filter((words) => words !== '').join(' '),
    '',
    summaryItems(summary).join(', '),
  ].join('\n');
}

function areas({ results }: TestResult): string {
  if (results.length === 0) return '';
  const outcomes = ['failed', 'passed', 'blocked', 'inconclusive', 'inapplicable'] as const;
  const names = [...new Set(results.map(({ id }) => areaOf(id)))];
  const rows = names.map((name) => {
    const own = results.filter(({ id }) => areaOf(id) === name);
    const counts = outcomes.map((outcome) => own.filter((row) => row.outcome === outcome).length || '');
    return `| ${cell(name)} | ${counts.join(' | ')} |`;
  });
  return [
    `| area | ${outcomes.map((outcome) => OUTCOME_WORDS[outcome]).join(' | ')} |`,
    `| --- |${' ---: |'.repeat(outcomes.length)}`,
    ...rows,
  ].join('\n');
}

const KIND_WORDS: Readonly<Record<RowState, string>> = {
  failed: 'Failed',
  warning: 'Warning',
  blocked: 'Blocked',
  inconclusive: 'Undecided',
  accepted: 'Accepted',
  passed: 'Passed',
  inapplicable: 'Not applicable',
};

function requirement({ row, findings }: FoundOf, result: TestResult): string {
  const title = `### ${KIND_WORDS[stateOf(row, result)]}: ${code(row.id)} (${row.level}, ${plain(sectionWords(row.spec))})`;
  if (row.outcome === 'blocked') return `${title}\n\nby ${code(row.blockedBy ?? '')}, which is not met`;
  const told = findings.slice(0, MAX_FINDINGS_EACH);
  const rest = findings.length - told.length;
  const [first] = findings;
  return [
    title,
    ...(first === undefined ? [code(row.reason ?? '')] : told.map(findingBlock)),
    ...(rest > 0 ? [`and ${rest} more ${rest === 1 ? 'finding' : 'findings'}, in the report`] : []),
    ...(first === undefined || first.why === '' ? [] : [`**Why:** ${plain(first.why)}`]),
    ...(first === undefined || first.fix === '' ? [] : [`**Fix:** ${plain(first.fix)}`]),
    ...(first === undefined ? [] : [details('Reproduce', [first.curl, first.check])]),
  ].join('\n\n');
}

function findingBlock({ message, expected, received, where, fault }: ReportedFinding): string {
  const at = [
    where.function === undefined ? '' : `function ${code(where.function)}`,
    where.case === undefined ? '' : `case ${code(where.case)}`,
    where.pointer === undefined ? '' : code(where.pointer),
  ].filter((part) => part !== '');
  return [
    `- ${code(message)}${at.length === 0 ? '' : `, at ${at.join(', ')}`}`,
    `  - expected ${code(expected)}`,
    `  - received ${code(received)}`,
    ...(fault === 'server'
      ? []
      : [`  - fault: ${fault === 'network' ? 'the network’s' : 'a limit of the check'}`]),
  ].join('\n');
}

function details(title: string, commands: readonly (string | null)[]): string {
  const lines = commands.filter((command) => command !== null).map((command) => visible(command));
  const fence = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1));
  return [`<details><summary>${title}</summary>`, '', `${fence}sh`, ...lines, fence, '', '</details>'].join(
    '\n',
  );
}

function baseline({ baseline: applied }: TestResult): string {
  if (applied === undefined || applied.problems.length === 0) return '';
  const lines = applied.problems.map(
    ({ kind, requirement: id, function: name, message }) =>
      `- ${kind}: ${code(id)}${name === undefined ? '' : `, function ${code(name)}`}: ${code(message)}`,
  );
  return ['### Baseline', '', ...within(lines, MAX_BASELINE_CHARACTERS, ['entry', 'entries'], '- ')].join(
    '\n',
  );
}

function latency({ responseTimes }: TestResult): string {
  const measured = responseTimes.filter(isMeasurement);
  if (measured.length === 0) return '';
  const figure = (ms: number | undefined): string => (ms === undefined ? '' : inMs(ms));
  const rows = measured.slice(0, MAX_OPERATIONS).map((times) => {
    const name = times.function === undefined ? times.operation : `${times.operation} ${times.function}`;
    const doubt = times.unreliable.length > 0 ? ', unreliable' : '';
    const figures = [times.p50Ms, times.p95Ms, times.p99Ms].map(figure);
    return `| ${cell(name)}${doubt} | ${times.count} | ${times.errors} | ${figures.join(' | ')} |`;
  });
  const more = measured.length - MAX_OPERATIONS;
  return [
    '| response times | calls | errors | p50 | p95 | p99 |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
    ...(more > 0 ? ['', `and ${more} more, in the report`] : []),
  ].join('\n');
}

/** Whole blocks, those that there is room for. */
function within(
  blocks: readonly string[],
  maxCharacters: number,
  [one, many]: readonly [string, string],
  mark = '',
): readonly string[] {
  let left = maxCharacters;
  const fitting = blocks.filter((block) => {
    if (block.length > left) return false;
    left -= block.length;
    return true;
  });
  const more = blocks.length - fitting.length;
  return more === 0
    ? fitting
    : [...fitting, `${mark}and ${more} more ${more === 1 ? one : many}, in the report`];
}

/** As code, where nothing is a link, a mention, a tag or a table: whatever may come from a target stands there. */
function code(text: string, maxCharacters = MAX_TEXT_CHARACTERS): string {
  // What is made visible takes up to ten times as much room.
  const shown = shorten(visible(shorten(text, maxCharacters)), maxCharacters * 1.5);
  if (shown === '') return '(empty)';
  const fence = '`'.repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** A bar would end a cell even inside code. */
function cell(text: string): string {
  return code(text, MAX_CELL_CHARACTERS).replaceAll('|', '\\|');
}

/**
 * Text of our own or of a user’s own suite, which may quote a target. GitHub makes mentions, references and links of words
 * in spite of any escape, but not inside code.
 */
export function plain(text: string): string {
  return visible(text)
    .split(' ')
    .map((word) => (LINKED.test(word) ? code(word) : word.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')))
    .join(' ');
}

const LINKED = /@|#\d|\bGH-\d|:\/\/|\bwww\./i;

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
