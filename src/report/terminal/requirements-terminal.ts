import type { TestResult } from '../../model/report.ts';
import { reportView } from '../view/report-view.ts';
import { inBlocks, layoutOf } from './layout.ts';
import type { Palette } from './palette.ts';
import { requirementBlock } from './terminal-findings.ts';

/** Some requirements of a result with all their findings, accepted ones too. Pure. */
export function renderRequirements(
  result: TestResult,
  ids: ReadonlySet<string>,
  options: { readonly palette?: Palette; readonly columns?: number } = {},
): string {
  const layout = layoutOf(options);
  const chosen = reportView(result).requirements.filter(({ id }) => ids.has(id));
  return inBlocks(
    chosen.map((requirement) => requirementBlock(requirement, layout, Number.POSITIVE_INFINITY)),
  );
}
