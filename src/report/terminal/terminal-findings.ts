import type { TestResult } from '../../model/report.ts';
import { areaOf } from '../../model/requirement.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import type { Field, RequirementView } from '../view/judgement-view.ts';
import { type ReportView, reportView } from '../view/report-view.ts';
import { andMore, counted, type RowState } from '../view/words.ts';
import { labelled, wrap, wrapCommand } from '../view/wrap.ts';
import type { Palette } from './layout.ts';
import { inBlocks, indented, type Layout, type Look, layoutOf } from './layout.ts';

const MAX_FINDINGS_EACH = 3;

/** Fewer requirements are printed separately. */
const MIN_OF_CAUSE = 4;

/** What to fix: one block for each requirement, or for a cause that leaves many undecided, such as a deadline. */
export function findingBlocks({ toFix, reachable }: ReportView, layout: Layout): readonly string[] {
  const shown = reachable ? toFix : toFix.filter(({ state }) => state !== 'blocked');
  return [...groupedBy(shown, causeOf)].flatMap(([cause, group]) =>
    cause !== null && (group[0]?.state === 'blocked' || group.length >= MIN_OF_CAUSE)
      ? [causeBlock(cause, group, layout)]
      : group.map((one) => requirementBlock(one, layout)),
  );
}

/** What the baseline accepts, in one or two lines each. */
export function acceptedBlock(
  { accepted, acceptedBlocked: blocked }: ReportView,
  { palette, width }: Layout,
): string {
  const label = palette.faint('ACCEPTED');
  return [
    ...accepted.flatMap(({ id, place, count, until, words }) => [
      `${label}  ${id}${place === '' ? '' : `, ${place}`}  until ${until}${count === 1 ? '' : ` (${count} findings)`}`,
      ...indented(wrap(words, width - 2)),
    ]),
    ...(blocked.length === 0
      ? []
      : [`${label}  ${counted(blocked.length, 'blocked requirement')}`, ...rowLines(blocked, width)]),
  ].join('\n');
}

export function problemLines({ problems }: ReportView, { palette, width }: Layout): string {
  return problems
    .map(({ word, requirement, place, message }) =>
      [
        `${palette.bad('BASELINE')}  ${word}  ${palette.strong(requirement)}`,
        ...indented(wrap(`${place === '' ? '' : `${place}: `}${message}`, width - 2)),
      ].join('\n'),
    )
    .join('\n\n');
}

export function colourOf(state: RowState, palette: Palette): (text: string) => string {
  if (state === 'failed') return palette.bad;
  if (state === 'passed' || state === 'accepted') return palette.good;
  return state === 'inapplicable' ? palette.faint : palette.doubtful;
}

function requirementBlock(
  { id, state, word, level, section, text, note, findings, advice }: RequirementView,
  { palette, width }: Layout,
  maxFindings = MAX_FINDINGS_EACH,
): string {
  const shown = findings.slice(0, maxFindings);
  const rest = findings.length - shown.length;
  return [
    `${colourOf(state, palette)(word.toUpperCase())}  ${palette.strong(id)}  ${level}, ${section}`,
    ...(findings.length > 0 || text === undefined ? [] : indented(wrap(text, width - 2))),
    ...(note === '' ? [] : indented(wrap(note, width - 2))),
    ...shown.flatMap(({ message, evidence }) => [
      ...indented(wrap(message, width - 2)),
      ...evidence.flatMap((field) => fieldLines(field, width)),
    ]),
    ...(rest > 0 ? [`  ${andMore(rest, 'finding')}`] : []),
    ...advice.flatMap((field) => fieldLines(field, width)),
  ].join('\n');
}

function causeOf({ state, reason, findings: [first] }: RequirementView): string | null {
  if (state === 'blocked' && first === undefined) return reason;
  return state === 'undecided' && first?.fault === 'harness' ? first.message : null;
}

function causeBlock(cause: string, group: readonly RequirementView[], { palette, width }: Layout): string {
  const [first] = group;
  if (first === undefined) return '';
  const ids = group.map(({ id }) => id);
  const common = [...(first.findings[0]?.evidence ?? []), ...first.advice];
  return [
    `${palette.doubtful(first.word.toUpperCase())}  ${counted(group.length, 'requirement')}`,
    ...indented(wrap(cause, width - 2)),
    ...rowLines(ids, width),
    ...common
      .filter(([label]) => label === 'fault' || label === 'fix')
      .flatMap((field) => fieldLines(field, width)),
  ].join('\n');
}

export const LABEL_WIDTH = 10;

/** A message over standard streams is repeated by another command than curl. */
export function labelOf(label: string, text: string): string {
  return label === 'curl' && !/\bcurl -/.test(text) ? 'repeat' : label;
}

function fieldLines([label, text]: Field, width: number): readonly string[] {
  const broken = label === 'curl' || label === 'again' ? wrapCommand : wrap;
  const lines = broken(text, width - LABEL_WIDTH - 4);
  return indented(labelled(labelOf(label, text), lines, LABEL_WIDTH), 4);
}

const MAX_LISTED_ROWS = 8;

/** A few requirements by name, many by area: the JSON report has them all. */
function rowLines(ids: readonly string[], width: number): readonly string[] {
  const names =
    ids.length <= MAX_LISTED_ROWS
      ? ids
      : [...groupedBy(ids, areaOf)].map(([area, own]) => `${own.length} of ${area}`);
  return indented(wrap(names.join(', '), width - 4), 4);
}

/** Some requirements of a result with all their findings, accepted ones too. Pure. */
export function renderRequirements(result: TestResult, ids: ReadonlySet<string>, options: Look = {}): string {
  const layout = layoutOf(options);
  const chosen = reportView(result).requirements.filter(({ id }) => ids.has(id));
  return inBlocks(
    chosen.map((requirement) => requirementBlock(requirement, layout, Number.POSITIVE_INFINITY)),
  );
}
