import { isOnThisMachine, type RunSettings } from '../../model/report.ts';
import type { Experiment } from '../../model/suite.ts';

/** Most requests of a check within a second. Few are in flight at once, which bounds them too. */
export const RATE_ON_LOOPBACK = 500;
/** A check waits for its timed calls. */
const TIMED_RATE_ON_LOOPBACK = 600;
/** Calls above this rate come only if each is over long before the next one. */
const CAREFUL_RATE = 300;

/** How many items a step times, and how many remain, this one included. */
export interface Among {
  readonly all: number;
  readonly left: number;
}

export interface SampleQuestion {
  readonly calls: Experiment['calls'];
  readonly settings: Pick<RunSettings, 'latency' | 'requestsPerSecond' | 'mcp'>;
  readonly targetUrl: string;
  readonly isCall: boolean;
  readonly among: Among;
  /** How long a call before the timed ones took. */
  readonly ordinaryMs: number;
  /** For all remaining items together. */
  readonly remainingMs: number;
}

export interface SamplePlan {
  readonly calls: number;
  readonly ratePerSecond: number;
  /** Whether the rate limit of the user, or the default one, applies to these calls. */
  readonly isPaced: boolean;
  /** An unreliable measurement is repeated only if all attempts together fit into this time. */
  readonly repeatWithinMs: number;
}

const USUAL_CALLS = 75;
/** For all functions together; each one gets at least the following number. */
const CALLS_OF_FUNCTIONS = 250;
const MIN_CALLS_OF_FUNCTION = 10;
/** With fewer calls there is no percentile. */
const MIN_CALLS = 6;

/** The longest times of the timed calls. */
interface Longest {
  /** Of /health, and of /capabilities. */
  readonly readMs: number;
  readonly functionMs: number;
  /** Of all functions together; exceeded if their minimum numbers of calls take longer. */
  readonly functionsMs: number;
}

/** A check of a local server is repeated often: it waits for a p95 of fast calls, and only for a p50 of slow ones. */
const ON_LOOPBACK: Longest = { readMs: 600, functionMs: 400, functionsMs: 400 };
/** At the default rate of other targets, the usual calls of a read. */
const ELSEWHERE: Longest = { readMs: 1500, functionMs: 1500, functionsMs: 3000 };
/** A configured budget needs the calls of its percentile. */
const FOR_BUDGETS: Longest = { readMs: 5000, functionMs: 3000, functionsMs: 20_000 };
/**
 * The share of what one connection carries if each call takes as long as the earlier ones; above it, calls wait for
 * each other. One connection, because a conforming server may handle one request at a time.
 */
const LOAD = 0.8;
const LOW_LOAD = 0.5;
const MIN_CALL_MS = 0.1;

/** How many calls to time and at which rate, or null if the time is too short for any figure. */
export function planSample(question: SampleQuestion): SamplePlan | null {
  const { settings, targetUrl, isCall, ordinaryMs, remainingMs, among } = question;
  const isPaced = settings.latency.rateGiven || !isOnThisMachine(targetUrl, settings);
  const carriedPerSecond = 1000 / Math.max(MIN_CALL_MS, ordinaryMs);
  const carefulRate = Math.min(isPaced ? settings.requestsPerSecond : CAREFUL_RATE, LOAD * carriedPerSecond);
  const highRate = isPaced ? 0 : Math.min(TIMED_RATE_ON_LOOPBACK, LOW_LOAD * carriedPerSecond);
  const ratePerSecond = Math.max(carefulRate, highRate);
  const callsWithin = (durationMs: number): number => Math.floor((durationMs / 1000) * ratePerSecond);
  const possible = callsWithin(remainingMs);
  if (possible < MIN_CALLS) return null;
  const { readMs, functionMs, functionsMs } = longestOf(settings, isPaced);
  const longestMs = isCall ? Math.min(functionMs, functionsMs / among.all) : readMs;
  const shareMs = Math.min(longestMs, remainingMs / among.left);
  const most = isRequested(question) ? possible : Math.max(MIN_CALLS, callsWithin(shareMs));
  const calls = Math.min(wantedCalls(question), most);
  return { calls, ratePerSecond, isPaced, repeatWithinMs: 2 * shareMs };
}

function longestOf({ latency }: SampleQuestion['settings'], isPaced: boolean): Longest {
  if (latency.budgets.length > 0) return FOR_BUDGETS;
  return isPaced ? ELSEWHERE : ON_LOOPBACK;
}

/** Whether the user or the suite set the number of calls; then only the end of the run limits it. */
function isRequested({ calls, settings }: SampleQuestion): boolean {
  return calls !== 'default' || settings.latency.samples !== null;
}

/** How many calls are timed if there is time for them. */
export function wantedCalls({
  calls,
  settings,
  isCall,
  among,
}: Pick<SampleQuestion, 'calls' | 'settings' | 'isCall' | 'among'>): number {
  if (calls !== 'default') return calls;
  const most = settings.latency.samples ?? USUAL_CALLS;
  if (!isCall) return most;
  const share = Math.floor((CALLS_OF_FUNCTIONS * most) / USUAL_CALLS / among.all);
  return Math.min(most, Math.max(MIN_CALLS_OF_FUNCTION, share));
}
