import { type Policy, RUN } from './policy.ts';

/** The rate limit of a directory is only used up where the user wants that. */
export const rateLimitTrialAllowed: Policy = ({ burst }, { settings }) =>
  burst > 0 && settings.directory?.tryRateLimit !== true
    ? { kind: 'inapplicable', reason: 'not asked to try it: see --try-rate-limit' }
    : RUN;
