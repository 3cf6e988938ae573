import { renderToString } from 'preact-render-to-string';
import type { ResultDiff } from '../diff-results.ts';
import { diffPage } from '../html/diff-page.tsx';
import { diffView } from '../view/diff-view.ts';

/** One page that needs no network and no other file. Pure. */
export function renderDiffHtml(diff: ResultDiff, failsOnSlower: boolean): string {
  return `<!doctype html>\n${renderToString(diffPage(diffView(diff, failsOnSlower)))}\n`;
}
