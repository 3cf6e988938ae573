import type { Reporter } from 'vitest/node';
import { FAMILIES, familyOf } from './all-mutants.ts';

/** What became of one mutant in one form; tests hand it over in their meta. */
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

type Write = (text: string) => void;

/** Prints what became of every mutant, and the rows that have none. */
export function mutantTable(write: Write = (text) => void process.stdout.write(text)): Reporter {
  return {
    onTestRunEnd: (modules) => {
      const metas = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.meta()));
      const lines = metas.flatMap(({ mutant }) => (mutant === undefined ? [] : [mutant]));
      const bare = metas.flatMap(({ rowWithoutMutant: row }) => (row === undefined ? [] : [row]));
      write(renderTable(lines.toSorted(byFamily), bare));
    },
  };
}

/** The files of tests end in any order; within a family the order of its list stays. */
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
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...cells.map((texts) => texts[column]?.length ?? 0)),
  );
  const table = [HEAD, widths.map((width) => '─'.repeat(width)), ...cells].map((texts) =>
    texts
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const bare = rowsWithoutMutant.length === 0 ? ['none'] : rowsWithoutMutant;
  return ['', ...table, '', `rows without a mutant: ${bare.join(', ')}`, summary(lines), ''].join('\n');
}

function summary(lines: readonly MutantLine[]): string {
  const killed = lines.filter((line) => line.killed).length;
  // Rounded down: one survivor among a thousand is not 100 %.
  const percent = lines.length === 0 ? 0 : Math.floor((killed / lines.length) * 100);
  return `${lines.length} mutants, ${killed} killed (${percent} %)`;
}
