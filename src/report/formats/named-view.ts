import type { NamedResult } from '../target-entry.ts';
import { type ReportView, reportView } from '../view/report-view.ts';
import { madeVisible } from '../view/visible-result.ts';

export interface NamedView {
  readonly name: string;
  readonly view: ReportView;
}

export function namedView({ name, result }: NamedResult): NamedView {
  return { name: madeVisible(name), view: reportView(result) };
}
