import type { BaselineProblem } from '../../model/baseline.ts';
import { groupedBy } from '../../model/grouped-by.ts';
import type { ReportedFinding } from '../../model/judgement.ts';
import type { TestResult } from '../../model/report.ts';
import { printable, printableCommand } from './printable.ts';
import { areaOf, type FoundOf, type RowState, sectionWords, stateOf } from './words.ts';

/** A requirement as the test case of a test runner. */
export interface Case extends FoundOf {
  readonly state: RowState;
  readonly area: string;
  /** Why it is not simply passed, in one line; empty where it is. */
  readonly reason: string;
}

export function casesOf(result: TestResult): readonly Case[] {
  const byId = groupedBy(result.findings, ({ id }) => id);
  return result.results.map((row): Case => {
    const found: FoundOf = { row, findings: byId.get(row.id) ?? [] };
    const state = stateOf(row, result);
    return { ...found, state, area: areaOf(row.id), reason: reasonOf(found, state, result) };
  });
}

function reasonOf({ row, findings }: FoundOf, state: RowState, result: TestResult): string {
  if (state === 'passed') return '';
  if (state === 'accepted') return acceptedWords({ row, findings }, result);
  if (state === 'blocked') return printable(`blocked by ${row.blockedBy ?? 'what is not known'}`);
  const first = findings.find(({ outcome }) => outcome === row.outcome) ?? findings[0];
  if (state === 'inapplicable' || first === undefined)
    return printable(
      row.reason ?? (state === 'inapplicable' ? 'it does not apply' : 'nothing was told of it'),
    );
  const more = findings.length - 1;
  const others = more === 0 ? '' : `, and ${more} more ${more === 1 ? 'finding' : 'findings'}`;
  return `${printable(first.message)}${placeOf(first)}${others}`;
}

function acceptedWords({ row, findings }: FoundOf, { baseline }: TestResult): string {
  const terms =
    findings.find(({ accepted }) => accepted !== undefined)?.accepted ??
    baseline?.entries.find(({ requirement, outcome }) => requirement === row.id && outcome === row.outcome);
  return terms === undefined
    ? 'accepted by the baseline'
    : `accepted until ${printable(terms.until)}: ${printable(terms.reason)}`;
}

function placeOf({ where }: ReportedFinding): string {
  const parts = [
    where.function === undefined ? '' : `function "${printable(where.function)}"`,
    where.case === undefined ? '' : `case ${printable(where.case)}`,
    where.pointer === undefined || where.pointer === '' ? '' : printable(where.pointer),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** The requirement and all that was found, for a reader of plain text. What is the same for all findings comes last. */
export function caseLines({ row, findings }: FoundOf): readonly string[] {
  const [first] = findings;
  const rule = `${row.level} ${printable(row.id)}, ${printable(sectionWords(row.spec))}`;
  return [
    row.text === undefined ? rule : `${rule}: ${printable(row.text)}`,
    ...findings.flatMap((finding) => findingLines(finding, first)),
    ...(first === undefined
      ? []
      : [
          '',
          ...labelled('why', printable(first.why)),
          ...labelled('fix', printable(first.fix)),
          ...labelled('again', printableCommand(first.check)),
        ]),
  ];
}

function findingLines(finding: ReportedFinding, first: ReportedFinding | undefined): readonly string[] {
  const { message, expected, received, where, fault, outcome, accepted, curl, fix } = finding;
  return [
    '',
    `${outcome === 'inconclusive' ? 'undecided: ' : ''}${printable(message)}${placeOf(finding)}`,
    ...labelled('expected', printable(expected)),
    ...labelled('received', printable(received)),
    ...(fault === 'server'
      ? []
      : labelled('fault', fault === 'network' ? 'the network’s' : 'a limit of the check')),
    ...(accepted === undefined
      ? []
      : labelled('accepted', `until ${printable(accepted.until)}: ${printable(accepted.reason)}`)),
    ...labelled('suite', printable(`${where.suite}:${where.line}:${where.column}`)),
    ...(curl === null ? [] : labelled('curl', printableCommand(curl))),
    ...(fix === first?.fix ? [] : labelled('fix', printable(fix))),
  ];
}

function labelled(label: string, text: string): readonly string[] {
  return text === '' ? [] : [`  ${`${label}:`.padEnd(LABEL_WIDTH)}${text}`];
}

const LABEL_WIDTH = 10;

/** An entry of the baseline that fails the run, as the test case of a test runner. */
export function problemName({ kind, requirement, function: name }: BaselineProblem): string {
  const at = name === undefined ? '' : `, function "${printable(name)}"`;
  return `${PROBLEM_WORDS[kind] ?? kind}: ${printable(requirement)}${at}`;
}

const PROBLEM_WORDS = { expired: 'expired', changed: 'changed', gone: 'no longer occurs' } as const;

/**
 * Where rows are only blocked, accepted or passed over, a test runner finds nothing wrong and takes the run for a pass
 * that it is not. Such a run gets one more test case that tells the verdict. A load decides nothing, and needs none.
 */
export function needsVerdict(result: TestResult, cases: readonly Case[]): boolean {
  const problems = result.baseline?.problems.length ?? 0;
  return (
    result.bench === undefined &&
    (result.verdict !== 'pass' || !result.reachable) &&
    problems === 0 &&
    !cases.some(({ state }) => state === 'failed' || state === 'inconclusive')
  );
}

/** What stands in the place of requirements in the result of a load. */
export const NO_REQUIREMENTS = 'a load measures, and decides no requirement';
