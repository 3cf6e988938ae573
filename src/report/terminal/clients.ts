import { CLIENTS_TITLE } from '../view/clients-view.ts';
import type { ReportView } from '../view/report-view.ts';
import { labelled, wrap } from '../view/wrap.ts';
import { indented, type Layout } from './layout.ts';

const LABEL_WIDTH = 'definitions  '.length;

/** What clients see: a line for each question. */
export function clientsBlock({ clients }: ReportView, { palette, width }: Layout): string {
  if (clients === null) return '';
  const lines = clients.lines.flatMap(([label, words]) => {
    const shown = palette.faint(label.padEnd(LABEL_WIDTH));
    return indented(labelled(shown, wrap(words, width - 2 - LABEL_WIDTH), LABEL_WIDTH));
  });
  return [palette.faint(CLIENTS_TITLE), ...lines].join('\n');
}
