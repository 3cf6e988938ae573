import { trendPage } from '../html/trend-page.tsx';
import type { Trend } from '../trend.ts';
import { trendView } from '../view/trend-view.ts';
import { madeVisible } from '../view/visible-result.ts';
import { pageText } from './page-text.ts';

export function renderTrendHtml(trends: readonly Trend[], skipped: readonly string[]): string {
  return pageText(trendPage(trends.map(trendView), madeVisible(skipped)));
}
