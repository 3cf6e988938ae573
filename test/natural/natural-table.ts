import type { Reporter } from 'vitest/node';
import { groupedBy } from '../../src/text/grouped-by.ts';
import { alignedTable, tableOfMetas, type Write } from '../set-up/table-of-metas.ts';
import { MAX_CHANGING_CALLS } from './natural-server.ts';

/** The result of ten runs of one server in one form, which tests pass on in their meta. */
export interface NaturalLine {
  readonly server: string;
  readonly form: string;
  readonly falseFailures: readonly string[];
  readonly runsWithFalseFailures: number;
  readonly flips: readonly string[];
  readonly usedUp: readonly string[];
  readonly maxChangingCalls: number;
  readonly verdict: string;
}

/** Whether a planted bug was found in one of the columns. */
export interface PlantedLine {
  readonly bug: string;
  readonly form: string;
  readonly column: string;
  readonly isFound: boolean;
}

declare module 'vitest' {
  interface TaskMeta {
    natural?: NaturalLine;
    planted?: PlantedLine;
  }
}

/** Prints a line for each server and form, and the totals. */
export function naturalTable(write?: Write): Reporter {
  return tableOfMetas((metas) => {
    const lines = metas.flatMap(({ natural }) => (natural === undefined ? [] : [natural]));
    const planted = metas.flatMap((meta) => meta.planted ?? []);
    return [
      ...(planted.length === 0 ? [] : [`\n${plantedTable(planted)}\n`]),
      ...(lines.length === 0 ? [] : [`\n${table(lines)}\n\n${details(lines)}\n${summary(lines)}\n`]),
    ].join('');
  }, write);
}

/** A line for each bug, a column for each place in which it was looked for. */
function plantedTable(all: readonly PlantedLine[]): string {
  const columns = [...new Set(all.map(({ column }) => column))];
  const lines = groupedBy(all, ({ bug, form }) => `${form}  ${bug}`);
  const cells = [...lines].map(([name, own]) => [
    ...columns.map((wanted) => {
      const found = own.find(({ column }) => column === wanted)?.isFound;
      return found === undefined ? '–' : found ? 'found' : 'MISSED';
    }),
    name,
  ]);
  return alignedTable([...columns, 'form and planted bug'], cells);
}

const HEAD = ['server', 'form', 'verdict', 'false failures', 'flips', 'used up', 'most calls'] as const;

function table(lines: readonly NaturalLine[]): string {
  const cells = lines.map((line) => [
    line.server,
    line.form,
    line.verdict,
    line.runsWithFalseFailures === 0
      ? ''
      : `${rowsOf(line.falseFailures).join(', ')} (in ${line.runsWithFalseFailures} runs)`,
    String(line.flips.length),
    String(line.usedUp.length),
    String(line.maxChangingCalls),
  ]);
  return alignedTable(HEAD, cells);
}

/** Ids of the rows: a finding in full begins with its outcome and its row. */
function rowsOf(findings: readonly string[]): readonly string[] {
  return [...new Set(findings.map((finding) => finding.split(' ')[1] ?? finding))];
}

function details(lines: readonly NaturalLine[]): string {
  return lines
    .flatMap(({ server, form, flips, usedUp }) => [
      ...flips.map((one) => `flip: ${server}, form ${form}: ${one}`),
      ...usedUp.map((one) => `used up: ${server}, form ${form}: ${one}`),
    ])
    .map((text) => `${text}\n`)
    .join('');
}

function summary(lines: readonly NaturalLine[]): string {
  const count = (counts: (line: NaturalLine) => boolean): number => lines.filter(counts).length;
  const most = [...lines].sort((left, right) => right.maxChangingCalls - left.maxChangingCalls)[0];
  const servers = new Set(lines.map(({ server }) => server)).size;
  const falseFailures = lines.reduce((sum, line) => sum + rowsOf(line.falseFailures).length, 0);
  const flips = lines.reduce((sum, line) => sum + line.flips.length, 0);
  return [
    `${servers} servers, ${lines.length} with their forms`,
    `${falseFailures} false failures of rows, in ${count((line) => line.falseFailures.length > 0)} of them`,
    `${flips} flips, in ${count((line) => line.flips.length > 0)} of them`,
    `${count((line) => line.maxChangingCalls > MAX_CHANGING_CALLS)} with a changing function called more than ${MAX_CHANGING_CALLS} times in a run; most: ${most?.maxChangingCalls ?? 0}, ${most?.server ?? 'none'}`,
    `${count((line) => line.verdict === 'pass')} decided with a pass, ${count((line) => line.verdict === 'incomplete')} undecided, ${count((line) => line.verdict === 'fail')} failed`,
  ].join('\n');
}
