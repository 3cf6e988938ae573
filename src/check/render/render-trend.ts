import type { Trend } from '../../report/compare/trend.ts';

/** The history of targets as a page, with the files that could not be read. Pure. */
export async function renderTrendPage(trends: readonly Trend[], skipped: readonly string[]): Promise<string> {
  const { renderTrendHtml } = await import('../../report/formats/trend-html.tsx');
  return renderTrendHtml(trends, skipped);
}
