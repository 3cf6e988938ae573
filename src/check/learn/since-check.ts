import { jsonBody } from '../../checks/json/json-body.ts';
import { ownProperty } from '../../json/json.ts';
import {
  type AnsweredExchange,
  type Exchange,
  isAnswer,
  type TransportFailure,
} from '../../model/exchange.ts';
import { hasBailed, type TestResult } from '../../model/report.ts';
import type { CheckOptions } from '../check-options.ts';
import { prepareHealthWatch } from './wait-for-health.ts';

/** What became of a server since it was checked. */
export type SinceCheck =
  /** The same process answers. */
  | { readonly kind: 'same' }
  | { readonly kind: 'perhaps-another'; readonly why: string }
  | { readonly kind: 'silent'; readonly reason: TransportFailure };

/** Asks for its health once. */
export async function sinceCheck(
  result: TestResult,
  url: string,
  options: CheckOptions & { readonly signal: AbortSignal },
  /** Of this machine, which a server may report instead of its own. */
  machineUptimeSeconds: number,
): Promise<SinceCheck> {
  const { read } = await prepareHealthWatch(url, options, options.signal);
  const health = await read();
  if (health.kind === 'unanswered') return { kind: 'silent', reason: health.reason };
  const why = whyAnother(result, health, machineUptimeSeconds);
  return why === null ? { kind: 'same' } : { kind: 'perhaps-another', why };
}

/** Without them, an uptime says nothing of the process. */
const UPTIME_ROWS = ['health/uptime-seconds', 'health/uptime-monotonic'];
/** A counter of whole seconds may be ahead by one of them. */
const ROUNDING_MS = 1000;
/** An uptime this near to that of the machine may be that of the machine. */
const OF_THE_MACHINE_SECONDS = 5;

/** Whether another process may answer now than at the end of that check; null if the uptime shows that it is the same. */
function whyAnother(result: TestResult, health: AnsweredExchange, machineSeconds: number): string | null {
  const uptime = ownProperty(jsonBody(health).value, 'uptime');
  const unknown = whyUnknown(result, uptime, machineSeconds);
  if (typeof uptime !== 'number' || unknown !== null)
    return `nothing shows whether the server was restarted: ${unknown}`;
  const endMs = ({ timing }: Exchange): number => timing.startedAtMs + timing.durationMs;
  const lastMs = Math.max(...result.exchanges.filter(isAnswer).map(endMs));
  const startedByMs = endMs(health) - uptime * 1000 + (Number.isInteger(uptime) ? ROUNDING_MS : 0);
  return startedByMs < lastMs ? null : 'the server was restarted after the last check';
}

/** Why the uptime says nothing of the process; null if it does. */
function whyUnknown(result: TestResult, uptime: unknown, machineSeconds: number): string | null {
  if (typeof uptime !== 'number') return '/health reports no uptime that is a number';
  for (const id of UPTIME_ROWS) {
    const outcome = result.results.find((row) => row.id === id)?.outcome;
    if (outcome === 'failed') return `${id} was not met`;
    if (outcome !== 'passed')
      return `the last check did not decide ${id}${hasBailed(result) ? ', because --bail ended it' : ''}`;
  }
  return Math.abs(uptime - machineSeconds) < OF_THE_MACHINE_SECONDS
    ? 'the uptime that /health reports may be that of the machine'
    : null;
}
