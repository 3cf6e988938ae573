import type { ResultDiff } from '../diff-results.ts';
import { diffPage } from '../html/diff-page.tsx';
import { diffView } from '../view/diff-view.ts';
import { pageText } from './page-text.ts';

export function renderDiffHtml(diff: ResultDiff, failsOnSlower: boolean): string {
  return pageText(diffPage(diffView(diff, failsOnSlower)));
}
