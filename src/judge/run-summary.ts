import { isGuess } from '../model/call.ts';
import { type Exchange, headerValue } from '../model/exchange.ts';
import { isRetry, stepIn } from '../model/exchange-key.ts';
import { isRateLimited } from '../model/rate-limit.ts';
import type { Era } from '../model/wire.ts';
import {
  listedNamesIn,
  measurementsIn,
  type RunRecord,
  type Timed,
  validCallsIn,
} from '../run/state/record.ts';
import { hadNoConnection } from '../run/state/request-outcome.ts';
import { type Operation, operationOf } from '../run/steps/operation.ts';
import { isTimed } from '../run/steps/step-kinds.ts';
import { eraAsked } from '../wires/mcp/opening.ts';
import { wantsKey } from './judge-answer.ts';
import type { JudgeContext } from './judge-context.ts';
import { type MissingExecute, missingExecute } from './missing-execute.ts';

/** What judging any step needs of the whole record. */
interface RecordSummary extends Pick<JudgeContext, 'measuredHealth' | 'listedFunctions' | 'eraAsked'> {
  /** Operations that succeeded at least once. */
  readonly served: ReadonlySet<Operation>;
  /** `listedFunctions`, to look each judged one up. */
  readonly listed: ReadonlySet<string>;
  readonly silent: ReadonlySet<string>;
  readonly missing: MissingExecute | null;
  /** What to do about a rate limiter. */
  readonly advice: string;
  readonly targetUrl: string;
}

const summaries = new WeakMap<RunRecord, RecordSummary>();

/** Made once for each record. */
export function summaryOf(record: RunRecord, targetUrl: string): RecordSummary {
  const known = summaries.get(record);
  if (known?.targetUrl === targetUrl) return known;
  const succeeded = record.exchanges.filter(
    (exchange) =>
      exchange.kind === 'heard' || (exchange.kind === 'answered' && exchange.response.status < 300),
  );
  const listedFunctions = listedNamesIn(record);
  const served = new Set(succeeded.map((exchange) => operationOf(exchange, targetUrl)));
  const listed = new Set(listedFunctions);
  const summary: RecordSummary = {
    served,
    // The Model Context Protocol sets no time for a call: that the server answers anything else is enough.
    silent:
      served.has('execute') || (record.opened !== null && served.size > 0)
        ? silentFunctions(record)
        : new Set(),
    measuredHealth: measurementsIn(record).find(({ operation }) => operation === 'health') ?? null,
    listedFunctions,
    listed,
    missing: missingExecute(record, listed, targetUrl),
    advice: rateLimitAdvice(record),
    eraAsked: lastEraAsked(record),
    targetUrl,
  };
  summaries.set(record, summary);
  return summary;
}

/**
 * Functions that answered no guessed input within the time limit. A function may wait for an event, or for a network.
 * An input that the user gave is meant to be answered.
 */
function silentFunctions(record: RunRecord): ReadonlySet<string> {
  const calls = validCallsIn(record);
  const silent = new Set(
    calls
      .filter(({ exchange }) => exchange.kind === 'unanswered' && exchange.reason.code === 'timeout')
      .map(({ call }) => call.functionName),
  );
  for (const { call, exchange } of calls) {
    const isMeant = !isGuess(call.inputSource) && call.inputSource !== 'none-needed';
    if (exchange.kind !== 'unanswered' || isMeant) silent.delete(call.functionName);
  }
  return silent;
}

/** Of the last question that the server looked at: where it saw none, the rows of both eras say why. */
function lastEraAsked({ exchanges }: RunRecord): Era | null {
  const last = exchanges.findLast((exchange) => wasSeen(exchange) && eraAsked(exchange) !== null);
  return last === undefined ? null : eraAsked(last);
}

function wasSeen(exchange: Exchange): boolean {
  return !hadNoConnection(exchange) && !(exchange.kind === 'answered' && wantsKey(exchange.response.status));
}

/** What to do about the target's rate limiter, with the numbers of the run. Pure. */
export function rateLimitAdvice(record: RunRecord): string {
  const { steps, exchanges } = record;
  const timed = steps.flatMap((run) => (run.kind === 'ran' && isTimed(run.step) ? [run] : []));
  const timedIds = new Set(timed.map(({ step }) => step.id));
  const untimed = exchanges.filter(
    ({ request: { key } }) => !timedIds.has(stepIn(key)) && !isRetry(key),
  ).length;
  const timedCalls = timed
    .flatMap(({ instances }) => instances)
    .reduce((sum, { timed: of }) => sum + plannedCallsOf(of), 0);
  const served =
    exchanges.filter((exchange) => exchange.kind === 'answered' && !isRateLimited(exchange)).length +
    measurementsIn(record).reduce((sum, { count, errors }) => sum + count - errors, 0);
  const [limited] = exchanges.filter(isRateLimited);
  const limit = exchanges.map(limitIn).find((one) => one !== null) ?? null;
  const allowed = limit === null ? `answered ${served} before it refused` : `allows ${limit}`;
  const wait = limited === undefined ? undefined : fieldIn(limited, 'retry-after');
  const retry = wait === undefined ? '' : ` (Retry-After: ${wait})`;
  const less = timedCalls === 0 ? '' : ` \`--no-latency\` needs ${untimed}.`;
  return `The check needs about ${untimed + timedCalls} requests, and the target ${allowed}${retry}.${less} Otherwise allow it more requests, lower its rate with --max-rate, or increase --deadline.`;
}

/** A request that is timed is sent once before. */
function plannedCallsOf(timed: Timed | null): number {
  if (timed?.kind === 'measured') return timed.measurement.load.planned + 1;
  return timed?.because === 'rate-limited' ? timed.plannedCalls + 1 : 0;
}

function fieldIn(exchange: Exchange, name: string): string | undefined {
  return exchange.kind === 'answered' ? headerValue(exchange.response.headers, name) : undefined;
}

/** The limit that an answer names: RateLimit-Limit, with or without X-, or RateLimit with `limit=` or `q=`. */
function limitIn(exchange: Exchange): string | null {
  const named = fieldIn(exchange, 'ratelimit-limit') ?? fieldIn(exchange, 'x-ratelimit-limit');
  const policy = `${fieldIn(exchange, 'ratelimit') ?? ''} ${fieldIn(exchange, 'ratelimit-policy') ?? ''}`;
  return /^\d{1,9}/.exec(named ?? '')?.[0] ?? /\b(?:limit|q)=(\d{1,9})/.exec(policy)?.[1] ?? null;
}
