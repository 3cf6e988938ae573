import { targetsPage } from '../html/targets-page.tsx';
import type { TargetEntry } from '../target-entry.ts';
import { targetsView } from '../view/targets-view.ts';
import { madeVisible } from '../view/visible-result.ts';
import { pageText } from './page-text.ts';
import type { RenderedFile } from './rendered-file.ts';

export function renderTargetsHtml(
  entries: readonly TargetEntry[],
  notes: readonly string[] = [],
): readonly RenderedFile[] {
  const page = targetsPage(targetsView(entries), madeVisible(notes));
  return [{ suffix: '.html', text: pageText(page) }];
}
