import { settingsOf } from '../app/run-settings.ts';
import { targetKindOf } from '../model/report.ts';
import { selectSteps } from '../run/selection.ts';
import { loadSuites } from '../suite/load-suites.ts';
import { checkOptionsOf, type ProbitySuiteOptions } from './suite-options.ts';

export interface PlannedTest {
  /** The id of the requirement. */
  readonly id: string;
  /** Id and words. */
  readonly name: string;
}

/**
 * A test for each requirement that a check with these options decides.
 *
 * @throws OptionError when `only` or `skip` names an unknown requirement, or nothing is left to decide
 */
export async function plannedTests(options: ProbitySuiteOptions): Promise<readonly PlannedTest[]> {
  const settings = settingsOf(checkOptionsOf(options), options.mcp ?? options.url);
  const suites = options.suites ?? (await loadSuites([], targetKindOf(settings))).suites;
  const { requirements } = selectSteps(suites, settings);
  return [...requirements.values()].map(({ id, text }) => ({ id, name: `${id}: ${text}` }));
}
