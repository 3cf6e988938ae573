import type { TestResult } from '../../src/model/report.ts';
import { renderTerminal, type TerminalOptions } from '../../src/report/terminal/terminal.ts';

/** The report as --verbose prints it. */
export function renderFull(result: TestResult, options: TerminalOptions = {}): string {
  return renderTerminal(result, { ...options, detail: 'full' });
}
