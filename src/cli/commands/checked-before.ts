import os from 'node:os';
import path from 'node:path';
import type { CheckOptions } from '../../check/check-options.ts';
import { prepareHealthWatch } from '../../check/learn/wait-for-health.ts';
import { jsonBody } from '../../checks/json/json-body.ts';
import { say } from '../../command-line/terminal.ts';
import { contractText } from '../../contract/contract-file.ts';
import { contractOf } from '../../contract/read-contract.ts';
import { ownProperty } from '../../json/json.ts';
import { visible } from '../../json/visible.ts';
import { type AnsweredExchange, type Exchange, isAnswer } from '../../model/exchange.ts';
import type { TestResult } from '../../model/report.ts';
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
 * offers the same contract; null if nothing shows that it does. Steps of the user's suites are asked again, because they
 * may have changed.
 */
export async function answeredBefore(
  { result }: CheckedBefore,
  url: string,
  options: CheckOptions & { readonly signal: AbortSignal },
): Promise<Pick<CheckOptions, 'answered' | 'seed'> | null> {
  const { targetUrl, read } = await prepareHealthWatch(url, options, options.signal);
  const health = await read();
  const lists = health.kind === 'answered' ? await readLists(url, options) : null;
  if (health.kind === 'unanswered' || lists?.reachable !== true) {
    const reason = health.kind === 'unanswered' ? visible(health.reason.message) : lists && reasonIn(lists);
    say(`${visible(targetUrl)} cannot be reached any longer: ${reason}`);
    return null;
  }
  const doubt = whyMayBeAnother(result, health) ?? whyOffersOther(result, lists);
  if (doubt !== null) {
    say(`${doubt}, so everything is asked again`);
    return null;
  }
  const { suites } = await loadSuites();
  const answered = result.exchanges.filter(
    (one) => isAnswer(one) && suites.some(({ id }) => one.request.key.startsWith(`${id}/`)),
  );
  return { answered, seed: result.seed };
}

/** Without them, an uptime says nothing of the process. */
const UPTIME_ROWS = ['health/uptime-seconds', 'health/uptime-monotonic'];
/** A counter of whole seconds may be ahead by one of them. */
const ROUNDING_MS = 1000;
/** An uptime this near to that of the machine may be that of the machine. */
const OF_THE_MACHINE_SECONDS = 5;

/** Whether another process may answer now than at the end of that check; null if the uptime shows that it is the same. */
function whyMayBeAnother({ results, exchanges }: TestResult, health: AnsweredExchange): string | null {
  const uptime = ownProperty(jsonBody(health).value, 'uptime');
  const isMeant = UPTIME_ROWS.every((id) => results.some((row) => row.id === id && row.outcome === 'passed'));
  if (!isMeant || typeof uptime !== 'number' || Math.abs(uptime - os.uptime()) < OF_THE_MACHINE_SECONDS)
    return 'nothing shows whether the server was restarted: /health reports no uptime of its process that met its requirements';
  const endMs = ({ timing }: Exchange): number => timing.startedAtMs + timing.durationMs;
  const lastMs = Math.max(...exchanges.filter(isAnswer).map(endMs));
  const startedByMs = endMs(health) - uptime * 1000 + (Number.isInteger(uptime) ? ROUNDING_MS : 0);
  return startedByMs < lastMs ? null : 'the server was restarted after the last check';
}

function whyOffersOther(before: TestResult, lists: TestResult): string | null {
  const [offered, offers] = [contractOf(before), contractOf(lists)];
  const isSame = offered !== null && offers !== null && contractText(offered) === contractText(offers);
  return isSame ? null : 'the server does not offer the same contract as before';
}
