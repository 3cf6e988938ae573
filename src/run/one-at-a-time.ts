import { type Policy, RUN } from './policy.ts';

export const severalAtOnceAllowed: Policy = ({ parallel }, { settings }) =>
  parallel > 1 && settings.concurrency < 2
    ? { kind: 'inapplicable', reason: 'only one request at a time is allowed: see --concurrency' }
    : RUN;
