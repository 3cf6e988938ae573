import { type Evidence, type Finding, undecided } from '../model/judgement.ts';

export const TIMING_REFUSED = 'the target’s rate limiter ended the timing';

/** The finding for what a rate limiter left without response times. */
export function timingRefused(evidence: Omit<Evidence, 'message' | 'fault'>): Finding {
  return undecided({ ...evidence, because: 'turned-away', message: TIMING_REFUSED, fault: 'server' });
}
