import { before, describe, test } from 'node:test';
import { type ProbitySuiteOptions, plannedTests, requireSuiteOptions, titleOf } from './suite-options.ts';
import { createSuiteRun, WHOLE } from './suite-run.ts';

export type { ProbitySuiteOptions, StartedTarget, SuiteTarget } from './suite-options.ts';

/**
 * Registers a group of tests of `node --test`, one for each requirement that a check with these options decides. The
 * check runs once, before the first of them.
 *
 * @throws OptionError when an option is unknown, of the wrong kind, or contradicts another one
 */
export function probitySuite(options: ProbitySuiteOptions): void {
  requireSuiteOptions(options);
  const run = createSuiteRun(options);
  void describe(titleOf(options), async () => {
    before(() => run.done(), { timeout: run.timeoutMs });
    for (const { id, name } of [{ id: WHOLE, name: WHOLE }, ...(await plannedTests(options))])
      void test(name, async (context) => {
        const outcome = await run.outcomeOf(id);
        if (outcome.kind === 'failed') throw outcome.error;
        if (outcome.kind === 'skipped') context.skip(outcome.reason);
        else if (outcome.warning !== null) context.diagnostic(`warning: ${outcome.warning}`);
      });
  });
}
