import type { ContractDiff } from '../../report/compare/diff-contracts.ts';
import type { ResultDiff } from '../../report/compare/diff-results.ts';
import type { Trend } from '../../report/compare/trend.ts';

const DIFF_FORMATS = {
  markdown: async () => (await import('../../report/formats/diff-markdown.ts')).renderDiffMarkdown,
  html: async () => (await import('../../report/formats/diff-html.tsx')).renderDiffHtml,
  junit: async () => (await import('../../report/formats/diff-junit.ts')).renderDiffJunit,
} as const;

export type DiffFormatName = keyof typeof DIFF_FORMATS;

export const DIFF_FORMAT_NAMES = Object.keys(DIFF_FORMATS) as readonly DiffFormatName[];

/** A comparison of two results in one format. With `failsOnSlower`, response times that rose count as worse. Pure. */
export async function renderDiffFormat(
  diff: ResultDiff,
  format: DiffFormatName,
  failsOnSlower = false,
): Promise<string> {
  const { diffView } = await import('../../report/view/diff-view.ts');
  return (await DIFF_FORMATS[format]())(diffView(diff, failsOnSlower));
}

/** A comparison of two contracts in one format. Pure. */
export async function renderContractDiffFormat(diff: ContractDiff, format: DiffFormatName): Promise<string> {
  const { contractDiffView } = await import('../../report/view/contract-diff-view.ts');
  return (await DIFF_FORMATS[format]())(contractDiffView(diff));
}

/** The history of targets as a page, with the files that could not be read. Pure. */
export async function renderTrendPage(trends: readonly Trend[], skipped: readonly string[]): Promise<string> {
  const { renderTrendHtml } = await import('../../report/formats/trend-html.tsx');
  return renderTrendHtml(trends, skipped);
}
