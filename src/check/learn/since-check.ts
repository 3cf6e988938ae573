import { jsonBody } from '../../checks/json/json-body.ts';
import { ownProperty } from '../../json/json.ts';
import {
  type AnsweredExchange,
  type Exchange,
  isAnswer,
  type TransportFailure,
} from '../../model/exchange.ts';
import type { TestResult } from '../../model/report.ts';
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
function whyAnother(
  { results, exchanges }: TestResult,
  health: AnsweredExchange,
  machineSeconds: number,
): string | null {
  const uptime = ownProperty(jsonBody(health).value, 'uptime');
  const isMeant = UPTIME_ROWS.every((id) => results.some((row) => row.id === id && row.outcome === 'passed'));
  if (!isMeant || typeof uptime !== 'number' || Math.abs(uptime - machineSeconds) < OF_THE_MACHINE_SECONDS)
    return 'nothing shows whether the server was restarted: /health reports no uptime of its process that met its requirements';
  const endMs = ({ timing }: Exchange): number => timing.startedAtMs + timing.durationMs;
  const lastMs = Math.max(...exchanges.filter(isAnswer).map(endMs));
  const startedByMs = endMs(health) - uptime * 1000 + (Number.isInteger(uptime) ? ROUNDING_MS : 0);
  return startedByMs < lastMs ? null : 'the server was restarted after the last check';
}
