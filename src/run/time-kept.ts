import type { Step } from '../model/suite.ts';
import { isAbuse } from './outage.ts';
import type { RunState } from './run-state.ts';

const LAST_STEPS_SHARE = 0.25;
/** Kept from timed calls for the abuse that comes after them. */
const ABUSE_SHARE = 0.25;
const MAX_ABUSE_MS = 15_000;
/** Besides the time-out of a request: the time of a few that are answered. */
const ANSWERING_MS = 500;

/** When the requests of a step must end, so that time is left for the steps after it, however long the target takes. */
export function requestsEndAtMs(step: Step, state: RunState): number {
  return state.endsAtMs - keptMs(step, state);
}

function keptMs(step: Step, state: RunState): number {
  if (isAbuse(step)) return lastStepsMs(state);
  if (step.sample === 0) return 0;
  const abuseMs = Math.min(MAX_ABUSE_MS, state.settings.deadlineMs * ABUSE_SHARE);
  return lastStepsMs(state) + (state.steps.some(isAbuse) ? abuseMs : 0);
}

function lastStepsMs({ steps, settings }: RunState): number {
  if (!steps.some((step) => step.finally)) return 0;
  return Math.min(settings.requestTimeoutMs + ANSWERING_MS, settings.deadlineMs * LAST_STEPS_SHARE);
}
