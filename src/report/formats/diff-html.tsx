import type { ResultDiff } from '../diff-results.ts';
import { diffPage } from '../html/diff-page.tsx';
import { diffView } from '../view/diff-view.ts';
import { pageText } from './page-text.ts';

/** One page that needs no network and no other file. Pure. */
export function renderDiffHtml(diff: ResultDiff, failsOnSlower: boolean): string {
  return pageText(diffPage(diffView(diff, failsOnSlower)));
}
