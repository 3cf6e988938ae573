import { isLoopback } from '../checks/https-endpoint.ts';
import type { RunSettings } from '../model/report.ts';
import type { Step } from '../model/suite.ts';

/** How many items a step times one after the other, and how many of them are still to come, this one included. */
export interface Among {
  readonly all: number;
  readonly left: number;
}

export interface SampleQuestion {
  readonly sample: Step['sample'];
  readonly settings: Pick<RunSettings, 'concurrency' | 'latency' | 'requestsPerSecond'>;
  readonly targetUrl: string;
  readonly isCall: boolean;
  readonly among: Among;
  /** Of the call before the timed ones. */
  readonly ordinaryMs: number;
  /** For the items that are still to come, together. */
  readonly remainingMs: number;
}

export interface SamplePlan {
  readonly calls: number;
  readonly ratePerSecond: number;
  /** The rate that the user set, or the usual one, holds for these calls. */
  readonly isPaced: boolean;
}

const USUAL_CALLS = 75;
/** Of all functions together; each of them is called so often at least. */
const CALLS_OF_FUNCTIONS = 250;
const LEAST_CALLS_OF_FUNCTION = 10;
/** Fewer carry no percentile at all. */
const LEAST_CALLS = 6;
const LONGEST_MS = 5000;
/** A target on this machine is nobody's but the user's own. */
const RATE_ON_LOOPBACK = 200;
/** Of what the connections could carry if each call took as long as the one before: above it, calls wait for each other. */
const LOAD = 0.5;
const LEAST_CALL_MS = 0.1;

/** How many calls to time and at which rate, or null where the time does not suffice for any figure. */
export function planSample(question: SampleQuestion): SamplePlan | null {
  const { settings, targetUrl, ordinaryMs, remainingMs, among } = question;
  const isPaced = settings.latency.rateGiven || !isLoopback(new URL(targetUrl).hostname);
  const carriedPerSecond = (LOAD * settings.concurrency * 1000) / Math.max(LEAST_CALL_MS, ordinaryMs);
  const ratePerSecond = Math.min(isPaced ? settings.requestsPerSecond : RATE_ON_LOOPBACK, carriedPerSecond);
  const callsWithin = (durationMs: number): number => Math.floor((durationMs / 1000) * ratePerSecond);
  const possible = callsWithin(remainingMs);
  if (possible < LEAST_CALLS) return null;
  const wanted = wantedCalls(question);
  if (isAskedFor(question)) return { calls: Math.min(wanted, possible), ratePerSecond, isPaced };
  const shareMs = Math.min(LONGEST_MS, remainingMs / among.left);
  return { calls: Math.min(wanted, Math.max(LEAST_CALLS, callsWithin(shareMs))), ratePerSecond, isPaced };
}

/** What someone asked for is cut short by the end of the run alone. */
function isAskedFor({ sample, settings }: SampleQuestion): boolean {
  return sample !== 'default' || settings.latency.samples !== null;
}

function wantedCalls({ sample, settings, isCall, among }: SampleQuestion): number {
  if (sample !== 'default') return sample;
  const most = settings.latency.samples ?? USUAL_CALLS;
  if (!isCall) return most;
  const share = Math.floor((CALLS_OF_FUNCTIONS * most) / USUAL_CALLS / among.all);
  return Math.min(most, Math.max(LEAST_CALLS_OF_FUNCTION, share));
}
