import type { TestResult } from '../../model/report.ts';
import { reportPage } from '../html/report-page.tsx';
import { reportView } from '../view/report-view.ts';
import { pageText } from './page-text.ts';
import type { RenderedFile } from './rendered-file.ts';

/** One page that needs no network and no other file, and is readable without scripts. */
export function renderHtml(result: TestResult): readonly RenderedFile[] {
  return [{ suffix: '.html', text: pageText(reportPage(reportView(result))) }];
}
