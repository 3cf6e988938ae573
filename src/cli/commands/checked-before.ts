import path from 'node:path';
import type { CheckOptions } from '../../check/check-options.ts';
import { say } from '../../command-line/terminal.ts';
import { contractText } from '../../contract/contract-file.ts';
import { contractOf } from '../../contract/read-contract.ts';
import { isAnswer } from '../../model/exchange.ts';
import type { TestResult } from '../../model/report.ts';
import type { StartedServer } from '../../processes/started-server.ts';
import { loadSuites } from '../../suite/load-suites.ts';
import { readLists } from '../options/target-contract.ts';

/** A check of a server that still runs, after which only files changed that say how its answers are judged. */
export interface CheckedBefore {
  readonly result: TestResult;
  /** Started by the check. */
  readonly server: StartedServer | null;
}

/**
 * Whether a change of these files leaves the server as it was: suites of the user, the baseline, the listing and the
 * contract are only read by the check. A server of the Model Context Protocol is asked again, because its conversation
 * has ended; so is one that is timed.
 */
export function leavesServer(
  changed: readonly string[],
  judgingFiles: readonly string[],
  { settings, reachable }: TestResult,
): boolean {
  const read = new Set(judgingFiles.map((file) => path.resolve(file)));
  const isOnlyRead = changed.length > 0 && changed.every((file) => read.has(path.resolve(file)));
  return isOnlyRead && reachable && settings.mcp === undefined && settings.latency.off;
}

/**
 * The answers that the server need not give again: those to the suites of the product, as long as it still offers the same
 * contract; null if it does not. Steps of the user's suites are asked again, because they may have changed.
 */
export async function answeredBefore(
  { result }: CheckedBefore,
  url: string,
  options: CheckOptions,
): Promise<Pick<CheckOptions, 'answered' | 'seed'> | null> {
  const before = contractOf(result);
  const now = contractOf(await readLists(url, options));
  if (before === null || now === null || contractText(before) !== contractText(now)) {
    say('the server does not offer the same contract as before, so everything is asked again');
    return null;
  }
  const { suites } = await loadSuites();
  const answered = result.exchanges.filter(
    (one) => isAnswer(one) && suites.some(({ id }) => one.request.key.startsWith(`${id}/`)),
  );
  return { answered, seed: result.seed };
}
