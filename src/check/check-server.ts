import { requireArguments } from '../model/arguments.ts';
import type { TestResult } from '../model/report.ts';
import { CHECK_ARGUMENTS, type CheckOptions } from './check-options.ts';
import { WorkerPool } from './threads/check-pool.ts';

const pool = new WorkerPool(Number.POSITIVE_INFINITY);

/**
 * Checks a server and returns the test result (specification, section 2.3). Prints and writes nothing. The check runs
 * in a separate thread, so that it ends at its deadline and its memory limit whatever the target sends. A stopped check
 * reports its findings so far, and the rest is undecided. Of checks that run at once, none works while another one times
 * its target, and the deadline does not count that wait. A target that hangs meanwhile does not keep the others waiting.
 *
 * @param url the server's base address, `{server_url}`: http or https, without /health
 * @throws OptionError when an option is unknown, is of the wrong kind, or cannot be used
 * @throws TargetError when the address cannot be a target
 * @throws whatever `onProgress` throws or rejects with, which ends the check
 */
export async function checkServer(url: string, options: CheckOptions = {}): Promise<TestResult> {
  requireArguments('checkServer', { url, options }, CHECK_ARGUMENTS);
  return pool.check(url, options);
}
