import { beforeAll, describe, test } from 'vitest';
import { type ProbitySuiteOptions, plannedTests, requireSuiteOptions, titleOf } from './suite-options.ts';
import { createSuiteRun, WHOLE } from './suite-run.ts';

export type { ProbitySuiteOptions, StartedTarget, SuiteTarget } from './suite-options.ts';

/**
 * Registers a group of Vitest tests, one for each requirement that a check with these options decides. The check runs
 * once, before the first of them.
 *
 * @throws OptionError when an option is unknown, of the wrong kind, or contradicts another one
 */
export function probitySuite(options: ProbitySuiteOptions): void {
  requireSuiteOptions(options);
  const run = createSuiteRun(options);
  describe(titleOf(options), async () => {
    beforeAll(() => run.done(), run.timeoutMs);
    for (const { id, name } of [{ id: WHOLE, name: WHOLE }, ...(await plannedTests(options))])
      test(name, async (context) => {
        const outcome = await run.outcomeOf(id);
        if (outcome.kind === 'failed') throw outcome.error;
        if (outcome.kind === 'skipped') context.skip(outcome.reason);
        else if (outcome.warning !== null) await context.annotate(outcome.warning, 'warning');
      });
  });
}
