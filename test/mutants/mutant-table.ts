import type { Reporter } from 'vitest/node';
import { alignedTable, tableOfMetas, type Write } from '../set-up/table-of-metas.ts';
import { FAMILIES, familyOf } from './all-mutants.ts';

/** The result of one mutant in one form, which tests pass on in their meta. */
export interface MutantLine {
  readonly row: string;
  readonly form: string;
  readonly name: string;
  readonly killed: boolean;
  readonly alsoFailed: readonly string[];
  readonly blocked: number;
}

declare module 'vitest' {
  interface TaskMeta {
    mutant?: MutantLine;
    rowWithoutMutant?: string;
  }
}

/** Prints the result of every mutant, and the rows without a mutant. */
export function mutantTable(write?: Write): Reporter {
  return tableOfMetas((metas) => {
    const lines = metas.flatMap(({ mutant }) => (mutant === undefined ? [] : [mutant]));
    const bare = metas.flatMap(({ rowWithoutMutant: row }) => (row === undefined ? [] : [row]));
    return renderTable(lines.toSorted(byFamily), bare);
  }, write);
}

/** Test files end in any order; within a family, the order of its list is kept. */
function byFamily(left: MutantLine, right: MutantLine): number {
  return FAMILIES.indexOf(familyOf(left.row)) - FAMILIES.indexOf(familyOf(right.row));
}

const HEAD = ['row', 'form', 'mutant', 'outcome', 'blocked', 'also failed'] as const;

function renderTable(lines: readonly MutantLine[], rowsWithoutMutant: readonly string[]): string {
  const cells = lines.map(({ row, form, name, killed, blocked, alsoFailed }) => [
    row,
    form,
    name,
    killed ? 'killed' : 'SURVIVED',
    blocked === 0 ? '' : String(blocked),
    alsoFailed.join(', '),
  ]);
  const bare = rowsWithoutMutant.length === 0 ? ['none'] : rowsWithoutMutant;
  return [
    '',
    alignedTable(HEAD, cells),
    '',
    `rows without a mutant: ${bare.join(', ')}`,
    summary(lines),
    '',
  ].join('\n');
}

function summary(lines: readonly MutantLine[]): string {
  const killed = lines.filter((line) => line.killed).length;
  // Rounded down: one survivor among a thousand is not 100 %.
  const percent = lines.length === 0 ? 0 : Math.floor((killed / lines.length) * 100);
  return `${lines.length} mutants, ${killed} killed (${percent} %)`;
}
