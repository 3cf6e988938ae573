import { type CheckHooks, checkTarget } from '../../src/check/check.ts';
import { checkInputOf } from '../../src/check/check-input.ts';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { TestResult } from '../../src/model/report.ts';

/** Checks a server in this thread. */
export function checkHere(url: string, options: CheckOptions, hooks: CheckHooks): Promise<TestResult> {
  return checkTarget(checkInputOf(url, options), hooks);
}
