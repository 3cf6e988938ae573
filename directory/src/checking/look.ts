import {
  isOverHttp,
  type ListingJudgement,
  type ListingRow,
  stepIn,
  type TestResult,
  type TransportFailure,
  visible,
} from 'probity/model';
import { type Look, reasonOf } from './decide.ts';
import { failedOnOurSide, refusalIn } from './observations-of-test.ts';

/** What a test saw, for a decision. `judgement` is null when the listing checks themselves failed. Pure. */
export function lookOf(
  result: TestResult,
  judgement: ListingJudgement | null,
  { at, isPlanned }: Pick<Look, 'at' | 'isPlanned'>,
): Look {
  const shown = judgement !== null && showsContract(result) ? judgement : null;
  return {
    at,
    isPlanned,
    judgement: shown,
    reason: shown === null ? '' : reasonOf(shown),
    sawOutage: sawOutage(result),
    isCertain: false,
  };
}

/**
 * Whether a result shows anything of the contract: the server answered, and let the directory in. An address that the
 * directory refuses shows that nobody can call the server through it.
 */
function showsContract(result: TestResult): boolean {
  if (failedOnOurSide(result)) return false;
  if (refusalIn(result) !== null) return false;
  return result.reachable || result.exchanges.some((one) => isUnanswered(one, REFUSED_ADDRESS));
}

const REFUSED_ADDRESS: ReadonlySet<string> = new Set(['address-refused']);
/** No connection was made, whatever the request was. */
const AWAY: ReadonlySet<string> = new Set([
  'connection-refused',
  'connect-timeout',
  'name-not-found',
  'name-lookup-failed',
  'network-unreachable',
]);
/** A server may answer a wrong request like this, but not a right one. */
const BROKEN_OFF: ReadonlySet<string> = new Set(['connection-reset', 'closed-early', 'timeout']);
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
/** The steps whose requests are right. */
const RIGHT_STEPS: ReadonlySet<string> = new Set([
  'health/read',
  'capabilities/read',
  'execute/call',
  'mcp-session/open',
  'mcp-session/ping',
]);

/** Whether the server was away for a part of a test in which it answered. Pure. */
function sawOutage({ exchanges }: TestResult): boolean {
  return exchanges.some((exchange) => {
    if (isUnanswered(exchange, AWAY)) return true;
    if (!RIGHT_STEPS.has(stepIn(exchange.request.key) ?? '')) return false;
    if (isUnanswered(exchange, BROKEN_OFF)) return true;
    return (
      exchange.kind === 'answered' && isOverHttp(exchange) && GATEWAY_STATUSES.has(exchange.response.status)
    );
  });
}

function isUnanswered(exchange: TestResult['exchanges'][number], codes: ReadonlySet<string>): boolean {
  return exchange.kind === 'unanswered' && codes.has(exchange.reason.code);
}

/** Why no test of a server that the directory must not call can run. Pure. */
export function refusedWords({ message }: TransportFailure): string {
  return `This server cannot be tested: ${visible(message)}.`;
}

/** What is decided about a server that the directory must not call: it is not listed. Pure. */
export function judgementOfRefused(entryId: string, refusal: TransportFailure): ListingJudgement {
  const row: ListingRow = {
    requirement: 'listing/record',
    level: 'MUST',
    outcome: 'undecided',
    evidence: [
      {
        kind: 'undecided',
        fault: 'harness',
        key: 'endpoint',
        text: refusedWords(refusal),
        expected: 'an endpoint that this directory may call',
        received: 'an endpoint that it may not call',
        where: { file: `listing of ${entryId}`, line: 1, column: 1 },
        remedy: 'Add the listing again with an endpoint on the public internet.',
      },
    ],
  };
  return { decision: 'hold', rows: [row] };
}
