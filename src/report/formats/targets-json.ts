import { escapeLive } from '../../json/visible.ts';
import type { TargetEntry } from '../target-entry.ts';
import { targetsView } from '../view/targets-view.ts';
import type { RenderedFile } from './rendered-file.ts';

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
