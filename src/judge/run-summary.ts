import { isGuess } from '../model/call.ts';
import type { Exchange } from '../model/exchange.ts';
import type { Era } from '../model/wire.ts';
import { listedNamesIn, measurementsIn, type RunRecord, validCallsIn } from '../run/state/record.ts';
import { hadNoConnection } from '../run/state/request-outcome.ts';
import { type Operation, operationOf } from '../run/steps/operation.ts';
import { eraAsked } from '../wires/mcp/opening.ts';
import type { JudgeContext } from './judge-context.ts';
import { type MissingExecute, missingExecute } from './missing-execute.ts';
import { rateLimitAdvice } from './rate-limit-advice.ts';

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

const WANTS_KEY: ReadonlySet<number> = new Set([401, 403]);

function wasSeen(exchange: Exchange): boolean {
  if (hadNoConnection(exchange)) return false;
  return exchange.kind !== 'answered' || !WANTS_KEY.has(exchange.response.status);
}
