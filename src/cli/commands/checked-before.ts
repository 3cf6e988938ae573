import os from 'node:os';
import path from 'node:path';
import type { CheckOptions } from '../../check/check-options.ts';
import { sinceCheck } from '../../check/learn/since-check.ts';
import { settingsOf, targetUrlOf } from '../../check/run-settings.ts';
import { say } from '../../command-line/terminal.ts';
import { contractText } from '../../contract/contract-file.ts';
import { contractOf } from '../../contract/read-contract.ts';
import { type Json, sameJson } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import { isAnswer } from '../../model/exchange.ts';
import { REUSED, type TestResult } from '../../model/report.ts';
import type { StartedServer } from '../../processes/started-server.ts';
import { loadSuites } from '../../suite/load-suites.ts';
import { readLists, reasonIn } from '../options/target-contract.ts';

/** A check of a server that may still run, after which only files changed that say how its answers are judged. */
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
 * The answers that the server need not give again: those to the suites of the product, as long as the same process still
 * offers the same contract, and would be asked the same with the same key; null if nothing shows that. Steps of the
 * user's suites are asked again, because they may have changed.
 */
export async function answeredBefore(
  { result }: CheckedBefore,
  url: string,
  options: CheckOptions & { readonly signal: AbortSignal },
): Promise<Pick<CheckOptions, 'answered' | 'seed'> | null> {
  const why = whyOtherAnswers(result, url, options);
  if (why !== null) return askAgain(why);
  const server = await sinceCheck(result, url, options, os.uptime());
  if (server.kind === 'silent') return outOfReach(result, server.reason.message);
  if (server.kind === 'perhaps-another') return askAgain(server.why);
  const lists = await readLists(url, options);
  if (!lists.reachable) return outOfReach(result, reasonIn(lists));
  const [offered, offers] = [contractOf(result), contractOf(lists)];
  if (offered === null || offers === null || contractText(offered) !== contractText(offers))
    return askAgain('the server does not offer the same contract as before');
  const { suites } = await loadSuites();
  const answered = result.exchanges.filter(
    (one) => isAnswer(one) && suites.some(({ id }) => one.request.key.startsWith(`${id}/`)),
  );
  return { answered, seed: result.seed };
}

/** A listing may name another server, other inputs of calls, or another key. Null if it names the same ones. */
function whyOtherAnswers(
  { target, settings }: TestResult,
  url: string,
  options: CheckOptions,
): string | null {
  const targetUrl = targetUrlOf(url, options.publicOnly ?? false, options.mcp);
  if (options.mcp !== undefined || targetUrl !== target.url) return 'the target is another one than before';
  const now = settingsOf(options, targetUrl);
  if (!sameJson(now.samples as unknown as Json, settings.samples as unknown as Json))
    return 'the samples are other ones than before';
  if (now.bearerEnv !== settings.bearerEnv) return 'another variable than before holds the key';
  return null;
}

/** Says how many answers of a check are of the check before, and how to ask for all of them. */
export function sayReused({ facts }: TestResult, canAsk: boolean): void {
  const reused = facts.find(({ name }) => name === REUSED);
  if (reused !== undefined) say(`${reused.text}${canAsk ? '; press r to ask for all of them' : ''}`);
}

function askAgain(why: string): null {
  say(`${why}, so everything is asked again`);
  return null;
}

function outOfReach({ target }: TestResult, reason: string): null {
  say(`${visible(target.url)} cannot be reached any longer: ${visible(reason)}`);
  return null;
}
