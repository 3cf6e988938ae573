import type { Outcome, ReportedFinding, Row } from '../../model/judgement.ts';
import type { ResponseTimes, TestResult } from '../../model/report.ts';
import { visible } from '../visible.ts';
import { type Palette, PLAIN } from './palette.ts';
import { wrap, wrapCommand, wrapItems } from './wrap.ts';

export interface TerminalOptions {
  readonly palette?: Palette;
  readonly columns?: number;
  /** Where the report was written, if it was. */
  readonly reportFile?: string;
}

const MOST_FINDINGS_EACH = 3;

/** The report for people, in plain text that is readable at 80 columns and without colour. Pure. */
export function renderTerminal(result: TestResult, options: TerminalOptions = {}): string {
  const view: View = {
    palette: options.palette ?? PLAIN,
    width: Math.max(40, Math.min(options.columns ?? 80, 100)),
  };
  return [
    heading(result, view),
    areas(result, view),
    ...findings(result, 'failed', view),
    ...findings(result, 'inconclusive', view),
    blockedRows(result, view),
    latency(result, view),
    facts(result, view),
    totals(result, view, options.reportFile),
  ]
    .filter((block) => block !== '')
    .join('\n\n')
    .concat('\n');
}

interface View {
  readonly palette: Palette;
  readonly width: number;
}

function heading({ target, seed, harness }: TestResult, { palette, width }: View): string {
  const { capabilities, execute } = target.form;
  const form =
    capabilities === null
      ? 'form unknown'
      : capabilities === execute
        ? `form ${capabilities}`
        : `forms ${capabilities} and ${execute}`;
  const named = [target.name, target.version]
    .filter((part) => part !== undefined)
    .map(visible)
    .join(' ');
  const first = `probity ${harness.version}  ${palette.strong(visible(target.url))}`;
  const about = [named === '' ? '' : `server ${named}`, form, `seed ${seed}`]
    .filter((part) => part !== '')
    .join(', ');
  return [first, ...wrap(about, width)].join('\n');
}

function areas({ results }: TestResult, { palette, width }: View): string {
  const names = [...new Set(results.map(({ id }) => areaOf(id)))];
  const widest = Math.max(...names.map((name) => visible(name).length), 0);
  const indent = MARK_WIDTH + 1 + widest + 2;
  return names
    .map((name) => {
      const rows = results.filter(({ id }) => areaOf(id) === name);
      const counts = wrapItems(countWords(rows), ', ', width - indent).join(`\n${' '.repeat(indent)}`);
      return `${mark(rows, palette)} ${visible(name).padEnd(widest)}  ${counts}`;
    })
    .join('\n');
}

function areaOf(id: string): string {
  return id.split('/', 1)[0] ?? id;
}

const MARK_WIDTH = 4;

function mark(rows: readonly Row[], palette: Palette): string {
  const has = (outcome: Outcome): boolean => rows.some((row) => row.outcome === outcome);
  if (rows.some((row) => row.outcome === 'failed' && row.level === 'MUST')) return palette.bad('FAIL');
  if (has('blocked') || has('inconclusive')) return palette.doubtful('  ? ');
  if (has('failed')) return palette.doubtful('warn');
  return has('passed') ? palette.good('  ok') : palette.faint('  - ');
}

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  failed: 'failed',
  passed: 'passed',
  blocked: 'blocked',
  inconclusive: 'inconclusive',
  inapplicable: 'not applicable',
};

function countWords(rows: readonly Row[]): readonly string[] {
  return (['failed', 'passed', 'blocked', 'inconclusive', 'inapplicable'] as const)
    .map((outcome) => ({ outcome, count: rows.filter((row) => row.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${count} ${OUTCOME_WORDS[outcome]}`);
}

function findings(result: TestResult, outcome: 'failed' | 'inconclusive', view: View): readonly string[] {
  const wanted = result.findings.filter((finding) => finding.outcome === outcome);
  const ids = [...new Set(wanted.map(({ id }) => id))].sort(
    (left, right) => levelRank(wanted, left) - levelRank(wanted, right),
  );
  return ids.map((id) =>
    requirementBlock(
      wanted.filter((finding) => finding.id === id),
      view,
    ),
  );
}

function levelRank(all: readonly ReportedFinding[], id: string): number {
  return ['MUST', 'SHOULD', 'MAY'].indexOf(all.find((finding) => finding.id === id)?.level ?? 'MAY');
}

function requirementBlock(own: readonly ReportedFinding[], view: View): string {
  const [first] = own;
  if (first === undefined) return '';
  const { palette, width } = view;
  const label =
    first.outcome === 'inconclusive'
      ? palette.doubtful('UNDECIDED')
      : first.severity === 'error'
        ? palette.bad('FAILED')
        : palette.doubtful(first.severity.toUpperCase());
  const section = first.spec === '-' ? 'good practice' : `section ${first.spec}`;
  const shown = own.slice(0, MOST_FINDINGS_EACH);
  const rest = own.length - shown.length;
  return [
    `${label}  ${palette.strong(visible(first.id))}  ${first.level}, ${section}`,
    ...shown.flatMap((finding) => findingLines(finding, first, view)),
    ...(rest > 0 ? [`  and ${rest} more like ${rest === 1 ? 'it' : 'these'}; the report file has all`] : []),
    ...field('why', first.why, width),
    ...field('fix', first.fix, width),
    ...commandField('again', first.check, width),
  ].join('\n');
}

function findingLines(finding: ReportedFinding, first: ReportedFinding, { width }: View): readonly string[] {
  const { where } = finding;
  const at = [
    where.function === undefined ? '' : `function "${visible(where.function)}"`,
    where.case === undefined ? '' : `case ${visible(where.case)}`,
    where.pointer === undefined ? '' : visible(where.pointer),
  ].filter((part) => part !== '');
  return [
    ...wrap(visible(finding.message), width - 2).map((line) => `  ${line}`),
    ...(at.length > 0 ? field('at', at.join(', '), width) : []),
    ...field('expected', finding.expected, width),
    ...field('received', finding.received, width),
    ...(finding.fault === 'server'
      ? []
      : field(
          'fault',
          finding.fault === 'network'
            ? 'the network’s, or nothing listens there'
            : 'not the server’s: a limit of the check',
          width,
        )),
    ...field('suite', `${where.suite}:${where.line}:${where.column}`, width),
    ...(finding.curl === null ? [] : commandField('curl', finding.curl, width)),
    ...(finding.fix === first.fix ? [] : field('fix', finding.fix, width)),
  ];
}

const LABEL_WIDTH = 10;

function field(label: string, text: string, width: number): readonly string[] {
  if (text === '') return [];
  return wrap(visible(text), width - LABEL_WIDTH - 4).map(
    (line, index) => `    ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`,
  );
}

function commandField(label: string, command: string, width: number): readonly string[] {
  return wrapCommand(visible(command), width - LABEL_WIDTH - 4).map(
    (line, index) => `    ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`,
  );
}

function blockedRows({ results, findings: all, reachable }: TestResult, { palette, width }: View): string {
  const blocked = results.filter(({ outcome }) => outcome === 'blocked');
  if (!reachable) return '';
  const causes = [...new Set(blocked.map(({ blockedBy }) => blockedBy ?? ''))];
  return causes
    .map((cause) => {
      const ids = blocked.filter((row) => row.blockedBy === cause).map(({ id }) => visible(id));
      const undecided = all.some(({ id, outcome }) => id === cause && outcome === 'inconclusive');
      const title = `${palette.doubtful('BLOCKED')}  by ${palette.strong(visible(cause))}, which is ${undecided ? 'undecided' : 'not met'}`;
      return [title, ...wrap(listRows(ids), width - 4).map((line) => `    ${line}`)].join('\n');
    })
    .join('\n\n');
}

const MOST_LISTED_ROWS = 8;

/** A few requirements by name, many by area: the report file has them all. */
function listRows(ids: readonly string[]): string {
  if (ids.length <= MOST_LISTED_ROWS) return ids.join(', ');
  const names = [...new Set(ids.map(areaOf))];
  return names.map((name) => `${ids.filter((id) => areaOf(id) === name).length} of ${name}`).join(', ');
}

function latency({ responseTimes, settings }: TestResult, { palette, width }: View): string {
  const operations = responseTimes.filter((times) => times.function === undefined);
  if (operations.length === 0) return '';
  const note = `Response times in ms, connecting included, with up to ${settings.concurrency} requests at once`;
  return [
    ...wrap(note, width).map(palette.faint),
    ...operations.flatMap((times) => latencyLines(times, width)),
  ].join('\n');
}

function latencyLines(times: ResponseTimes, width: number): readonly string[] {
  const { operation, count, errors, minMs, meanMs, maxMs, p50Ms, p90Ms, p95Ms, p99Ms, intervals } = times;
  const numbers = [
    ['min', minMs],
    ['mean', meanMs],
    ['p50', p50Ms],
    ['p90', p90Ms],
    ['p95', p95Ms],
    ['p99', p99Ms],
    ['max', maxMs],
  ] as const;
  const shown = numbers
    .filter(([, ms]) => ms !== undefined)
    .map(([name, ms]) => `${name} ${milliseconds(ms ?? 0)}${interval(intervals, name)}`);
  const calls = `${count} ${count === 1 ? 'call' : 'calls'}${errors > 0 ? `, ${errors} in error` : ''}`;
  const head = `  ${operation.padEnd(13)}${calls.padEnd(10)}  `;
  const lines = wrapItems(shown, '  ', width - head.length);
  return (lines.length === 0 ? [''] : lines).map((line, index) =>
    `${index === 0 ? head : ' '.repeat(head.length)}${line}`.trimEnd(),
  );
}

function interval(intervals: ResponseTimes['intervals'], name: string): string {
  const bounds = intervals[name as keyof typeof intervals];
  return bounds === undefined ? '' : ` (${milliseconds(bounds[0])} to ${milliseconds(bounds[1])})`;
}

function milliseconds(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
}

function facts({ facts: all }: TestResult, { width }: View): string {
  return all
    .filter(({ name }) => name !== 'form')
    .flatMap(({ name, text }) =>
      wrap(`${visible(name)}: ${visible(text)}`, width - 4).map((line, index) =>
        index === 0 ? `  ${line}` : `    ${line}`,
      ),
    )
    .join('\n');
}

function totals(result: TestResult, { palette, width }: View, reportFile: string | undefined): string {
  const { summary, verdict } = result;
  const counts = [
    `${summary.passed} passed`,
    `${summary.failed} failed`,
    `${summary.warnings} ${summary.warnings === 1 ? 'warning' : 'warnings'}`,
    `${summary.inapplicable} not applicable`,
    `${summary.blocked} blocked`,
    `${summary.inconclusive} inconclusive`,
  ].join(', ');
  const words = {
    pass: palette.good('PASS'),
    fail: palette.bad('FAIL'),
    incomplete: palette.doubtful('INCOMPLETE'),
  };
  const word = result.reachable ? words[verdict] : palette.bad('UNREACHABLE');
  return [
    `${palette.strong(word)}  ${verdictWords(result)}`,
    ...wrap(counts, width - 2).map((line) => `  ${line}`),
    ...(reportFile === undefined ? [] : [`  report: ${visible(reportFile)}`]),
  ].join('\n');
}

function verdictWords({ verdict, reachable, summary }: TestResult): string {
  if (!reachable) return 'No request was answered, so nothing else could be asked.';
  if (verdict === 'pass') return 'Every requirement that applies is met.';
  if (verdict === 'fail')
    return `The contract is broken in ${summary.failed} ${summary.failed === 1 ? 'place' : 'places'}.`;
  return 'Not everything could be decided, so this is not a pass.';
}
