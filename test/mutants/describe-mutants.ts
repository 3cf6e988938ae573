import { describe, expect, it, type RunnerTestFile } from 'vitest';
import { judgeReport } from '../../src/check/judge-report.ts';
import { LISTING_LEVELS } from '../../src/model/listing.ts';
import type { Demands, TestResult } from '../../src/model/report.ts';
import type { Suite } from '../../src/model/suite.ts';
import { isDemanded } from '../../src/run/steps/selection.ts';
import { lackedToken } from '../../src/run/steps/step-kinds.ts';
import type { Registry } from '../../src/suite/language/registry.ts';
import { loadSuites } from '../../src/suite/load-suites.ts';
import { type Family, familyOf, mutantsInForms, skippedFor } from './all-mutants.ts';
import { expectHonest, expectKilled, lineOf } from './expectations.ts';
import type { MutantClaims } from './mutant.ts';
import { createMutantRunner } from './run-mutants.ts';

/** Ends a run that hangs. A test may wait for the last mutant of its family, which takes long on a busy machine. */
const TIMEOUT_MS = 600_000;

/** A mutant in one form, or of a directory. */
export interface MutantCase {
  readonly mutant: MutantClaims;
  /** The form as the table shows it. */
  readonly form: string;
  readonly title: string;
  readonly check: () => Promise<TestResult>;
}

export interface MutantFamily {
  readonly family: string;
  readonly cases: readonly MutantCase[];
  readonly suites: readonly Suite[];
  readonly registry: Registry;
  /** Rows that are skipped for its mutants, as globs. */
  readonly skipped: readonly string[];
}

/** Declares a test for each mutant of a family, and one for each row: that it has a mutant. */
export async function describeMutants(family: Family): Promise<void> {
  const { suites, registry } = await loadSuites();
  const check = createMutantRunner(
    suites,
    skippedFor(family),
    family === 'listing' ? { listingGiven: true } : {},
  );
  const cases = mutantsInForms(family).map(({ mutant, form }): MutantCase => {
    return { mutant, form, title: `form ${form}: ${mutant.name}`, check: () => check(form, mutant) };
  });
  describeFamily({ family, cases, suites, registry, skipped: skippedFor(family) });
}

export function describeFamily({ family, cases, suites, registry, skipped }: MutantFamily): void {
  const assertions = suites.flatMap(({ steps }) =>
    steps.filter((step) => lackedToken(step, {}) === null).flatMap((step) => step.expect),
  );
  const plannedRows = (demands: Demands = {}): readonly string[] => {
    const planned = assertions
      // Servers of forms A and B are not asked for what only the other wire has.
      .filter((assertion) => assertion.wire !== 'mcp' && isDemanded(assertion, demands))
      .map(({ requirement }) => requirement);
    return [...new Set([...planned, ...(family === 'listing' ? Object.keys(LISTING_LEVELS) : [])])]
      .filter((row) => !skipped.includes(`${familyOf(row)}/*`))
      .toSorted();
  };
  const results = new Map<string, Promise<TestResult>>();

  const start = (one: MutantCase): Promise<TestResult> => {
    const result = one.check();
    // The test of the mutant reports the failure; until then it must not count as unhandled.
    result.catch(() => undefined);
    results.set(keyOf(one), result);
    return result;
  };

  /** The first test starts the checks of all tests that will run, so that they run at the same time. */
  const resultOf = (wanted: MutantCase, file: RunnerTestFile): Promise<TestResult> => {
    if (results.size === 0) {
      const titles = titlesToRun(file);
      for (const one of cases) if (titles.has(keyOf(one))) start(one);
    }
    return results.get(keyOf(wanted)) ?? start(wanted);
  };

  describe.each([...registry.keys()].filter((row) => familyOf(row) === family))('%s', (row) => {
    const own = cases.filter(({ mutant }) => mutant.row === row);

    it('has a mutant', ({ task }) => {
      if (own.length === 0) task.meta.rowWithoutMutant = row;
      expect(own.length, `add a mutant of ${row} to test/mutants/${family}.ts`).toBeGreaterThan(0);
    });

    for (const one of own) {
      it(one.title, { timeout: TIMEOUT_MS }, async ({ task }) => {
        const result = await resultOf(one, task.file);
        task.meta.mutant = lineOf(one.mutant, one.form, result);
        expectKilled(one.mutant, result);
        expectHonest(one.mutant, result, one.mutant.options?.only ?? plannedRows(demandsOf(one.mutant)));
      });
    }

    for (const first of own.slice(0, 1)) {
      it('is judged the same again from its report', { timeout: TIMEOUT_MS }, async ({ task }) => {
        const result = await resultOf(first, task.file);
        const saved = JSON.parse(JSON.stringify(result)) as TestResult;
        expect(await judgeReport(saved, suites)).toEqual(result);
      });
    }
  });
}

function demandsOf({ options }: MutantClaims): Demands {
  const { maxDefinitionTokens } = options ?? {};
  return maxDefinitionTokens === undefined ? {} : { maxDefinitionTokens };
}

function titlesToRun({ tasks }: RunnerTestFile): ReadonlySet<string> {
  const toRun = tasks.flatMap((suite) =>
    suite.type === 'suite'
      ? suite.tasks.filter(({ mode }) => mode === 'run').map(({ name }) => `${suite.name} > ${name}`)
      : [],
  );
  return new Set(toRun);
}

function keyOf({ mutant, title }: MutantCase): string {
  return `${mutant.row} > ${title}`;
}
