import type { TestResult } from '../../model/report.ts';
import { serialiseReport } from '../serialise-report.ts';
import type { RenderedFile } from './rendered-file.ts';

/** The test result itself, as it is stored. */
export function renderJson(result: TestResult): readonly RenderedFile[] {
  return [{ suffix: '.json', text: serialiseReport(result) }];
}
