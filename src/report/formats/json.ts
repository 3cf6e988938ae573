import { escapeLive } from '../../json/visible.ts';
import type { TestResult } from '../../model/report.ts';
import { serialiseReport } from '../serialise-report.ts';
import type { RenderedFile, TargetEntry } from '../target-entry.ts';
import { targetsView } from '../view/targets-view.ts';

/** The test result itself, as it is stored. */
export function renderJson(result: TestResult): readonly RenderedFile[] {
  return [{ suffix: '.json', text: serialiseReport(result) }];
}

/** Several targets as data. Pure. */
export function renderTargetsJson(
  entries: readonly TargetEntry[],
  notes: readonly string[] = [],
): readonly RenderedFile[] {
  const { totals } = targetsView(entries);
  return [
    {
      suffix: '.json',
      text: `${escapeLive(JSON.stringify({ totals, notes, targets: entries }, null, 2))}\n`,
    },
  ];
}
