import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { checkUrl, failedRows, findingsOf, naturalOptions } from './check-natural.ts';
import type { NaturalFunction, RunningServer } from './natural-server.ts';
import { type PlantedBug, plantedBugs, REFUSING, SILENT } from './planted.ts';

interface Column {
  /** Where the bug is looked for. */
  readonly name: string;
  /** Null if the bug cannot be there. */
  readonly starterOf: (bug: PlantedBug) => ((form: Form) => Promise<RunningServer>) | null;
  readonly check: (url: string, options: CheckOptions) => Promise<TestResult>;
}

const SILENCE_MS = 3000;

/** In every column each bug has to be found, by its own row. */
const COLUMNS: readonly Column[] = [
  { name: 'alone', starterOf: ({ start }) => start, check: checkUrl },
  {
    name: 'beside a function that refuses every made-up id',
    starterOf: (bug) => beside(bug, REFUSING),
    check: checkUrl,
  },
  {
    name: 'beside a function that answers after the time-out',
    starterOf: (bug) => beside(bug, SILENT),
    check: (url, options) => checkUrl(url, { ...options, requestTimeoutMs: SILENCE_MS }),
  },
  {
    name: 'with a sixth of the processor time',
    starterOf: ({ start }) => start,
    check: checkSlowly,
  },
];

function beside({ startWith }: PlantedBug, other: NaturalFunction): ReturnType<Column['starterOf']> {
  return startWith === null ? null : (form) => startWith(form, other);
}

const LIBRARY = 'test/natural/check-with-library.mjs';

/** The built library, in a process that is stopped five sixths of the time. */
async function checkSlowly(url: string, options: CheckOptions): Promise<TestResult> {
  const given = { ...naturalOptions(options), requestTimeoutMs: 300_000, deadlineMs: 3_000_000 };
  const child = spawn(
    process.execPath,
    ['scripts/slow-machine.mjs', process.execPath, LIBRARY, url, JSON.stringify(given)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [printed] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
  return JSON.parse(printed) as TestResult;
}

describe.concurrent.each(COLUMNS)('bugs planted in servers as their authors write them, $name', (column) => {
  const isFirst = column === COLUMNS[0];
  for (const bug of plantedBugs) {
    const start = column.starterOf(bug);
    if (start === null) continue;
    for (const form of bug.forms) {
      it(`${bug.row}, form ${form}: ${bug.name}`, async ({ task }) => {
        const server = await start(form);
        try {
          const result = await column.check(server.url, bug.options);
          const failed = failedRows(result);
          const shown = [...findingsOf(result, 'failed'), ...findingsOf(result, 'undecided')].join('\n');
          task.meta.planted = {
            bug: `${bug.row}: ${bug.name}`,
            form,
            column: column.name,
            isFound: failed.includes(bug.row),
          };
          expect(failed, shown).toContain(bug.row);
          const unrelated = failed.filter(
            (row) => row !== bug.row && !bug.also.some((also) => also.test(row)),
          );
          if (isFirst) expect(unrelated, shown).toEqual([]);
        } finally {
          await server.close();
        }
      });
    }
  }
});
