import { groupedBy } from '../../model/grouped-by.ts';
import type { ReportedFinding } from '../../model/judgement.ts';
import type { TestResult } from '../../model/report.ts';
import { visible } from '../../model/visible.ts';
import { shown } from '../view/printable.ts';
import { areaOf, sectionWords } from '../view/words.ts';
import { wrap, wrapCommand } from '../view/wrap.ts';
import type { Palette } from './palette.ts';

/** How the report is laid out. */
export interface View {
  readonly palette: Palette;
  readonly width: number;
}

const MAX_FINDINGS_EACH = 3;

export function failedFindings(result: TestResult, view: View): readonly string[] {
  return byRequirement(result, 'failed').map((own) => requirementBlock(own, view));
}

/** Where one cause keeps many requirements from being decided, such as a deadline, it is told once. */
export function undecidedFindings(result: TestResult, view: View): readonly string[] {
  const requirements = byRequirement(result, 'inconclusive');
  const causeOf = (own: readonly ReportedFinding[]): string | null =>
    own[0]?.fault === 'harness' ? own[0].message : null;
  const withCause = new Map<string | null, (readonly ReportedFinding[])[]>();
  for (const own of requirements) withCause.set(causeOf(own), [...(withCause.get(causeOf(own)) ?? []), own]);
  return [...withCause].flatMap(([cause, group]) =>
    cause !== null && group.length >= MIN_TOLD_ONCE
      ? [commonCauseBlock(group.flat(), view)]
      : group.map((own) => requirementBlock(own, view)),
  );
}

/** What the baseline accepts, a line or two each. */
export function acceptedFindings({ findings, results }: TestResult, { palette, width }: View): string {
  const accepted = findings.filter((finding) => finding.accepted !== undefined);
  const groups = groupedBy(accepted, ({ id, where, accepted: terms }) =>
    JSON.stringify([id, where.function, terms?.until, terms?.reason]),
  );
  const blocked = results
    .filter((row) => row.outcome === 'blocked' && row.accepted)
    .map(({ id }) => visible(id));
  const lines = [...groups.values()].flatMap(([first, ...more]) => {
    if (first?.accepted === undefined) return [];
    const { id, where, accepted: terms, message } = first;
    const count = more.length === 0 ? '' : ` (${more.length + 1} findings)`;
    const of = where.function === undefined ? '' : `, function "${shown(where.function)}"`;
    return [
      `${palette.faint('ACCEPTED')}  ${visible(id)}${of}  until ${visible(terms.until)}${count}`,
      ...wrap(`${shown(message)}: ${shown(terms.reason)}`, width - 2).map((line) => `  ${line}`),
    ];
  });
  const ofBlocked =
    blocked.length === 0
      ? []
      : [
          `${palette.faint('ACCEPTED')}  ${blocked.length} blocked ${blocked.length === 1 ? 'requirement' : 'requirements'}`,
          ...wrap(listRows(blocked), width - 4).map((line) => `    ${line}`),
        ];
  return [...lines, ...ofBlocked].join('\n');
}

const MIN_TOLD_ONCE = 4;

function commonCauseBlock(all: readonly ReportedFinding[], { palette, width }: View): string {
  const [first] = all;
  if (first === undefined) return '';
  const ids = [...new Set(all.map(({ id }) => visible(id)))];
  return [
    `${palette.doubtful('UNDECIDED')}  ${ids.length} requirements`,
    ...wrap(shown(first.message), width - 2).map((line) => `  ${line}`),
    ...wrap(listRows(ids), width - 4).map((line) => `    ${line}`),
    ...field('fault', 'not the server’s: a limit of the check', width),
    ...field('fix', first.fix, width),
  ].join('\n');
}

/** The findings of each requirement, those that matter most first. */
function byRequirement(
  { findings }: TestResult,
  outcome: 'failed' | 'inconclusive',
): readonly (readonly ReportedFinding[])[] {
  const wanted = findings.filter((finding) => finding.outcome === outcome && finding.accepted === undefined);
  const ids = [...new Set(wanted.map(({ id }) => id))].sort(
    (left, right) => levelRank(wanted, left) - levelRank(wanted, right),
  );
  return ids.map((id) => wanted.filter((finding) => finding.id === id));
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
  const told = own.slice(0, MAX_FINDINGS_EACH);
  const rest = own.length - told.length;
  return [
    `${label}  ${palette.strong(visible(first.id))}  ${first.level}, ${visible(sectionWords(first.spec))}`,
    ...told.flatMap((finding) => findingLines(finding, first, view)),
    ...(rest > 0 ? [`  and ${rest} more like ${rest === 1 ? 'it' : 'these'}; the report file has all`] : []),
    ...field('why', first.why, width),
    ...field('fix', first.fix, width),
    ...commandField('again', first.check, width),
  ].join('\n');
}

function findingLines(finding: ReportedFinding, first: ReportedFinding, { width }: View): readonly string[] {
  const { where } = finding;
  const at = [
    where.function === undefined ? '' : `function "${shown(where.function)}"`,
    where.case === undefined ? '' : `case ${shown(where.case)}`,
    where.pointer === undefined ? '' : shown(where.pointer),
  ].filter((part) => part !== '');
  return [
    ...wrap(shown(finding.message), width - 2).map((line) => `  ${line}`),
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
  return wrap(shown(text), width - LABEL_WIDTH - 4).map(
    (line, index) => `    ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`,
  );
}

function commandField(label: string, command: string, width: number): readonly string[] {
  return wrapCommand(visible(command), width - LABEL_WIDTH - 4).map(
    (line, index) => `    ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`,
  );
}

const MAX_LISTED_ROWS = 8;

/** A few requirements by name, many by area: the report file has them all. */
export function listRows(ids: readonly string[]): string {
  if (ids.length <= MAX_LISTED_ROWS) return ids.join(', ');
  const names = [...new Set(ids.map(areaOf))];
  return names.map((name) => `${ids.filter((id) => areaOf(id) === name).length} of ${name}`).join(', ');
}
