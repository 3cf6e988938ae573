import { renderToString } from 'preact-render-to-string';
import type { TestResult } from '../../model/report.ts';
import { reportPage } from '../html/report-page.tsx';
import { visibleResult } from '../html/visible-result.ts';
import type { RenderedFile } from './rendered-file.ts';

/** One page that needs nothing else: no network, no other file, and no script to be read. */
export function renderHtml(result: TestResult): readonly RenderedFile[] {
  return [
    { suffix: '.html', text: `<!doctype html>\n${renderToString(reportPage(visibleResult(result)))}\n` },
  ];
}
