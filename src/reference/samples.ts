/** Configured samples for the reference servers: the one input on which a function fails. */
export const REFERENCE_SAMPLES = {
  divide: [{ input: { dividend: 10, divisor: 4 } }, { input: { dividend: 1, divisor: 0 }, fails: true }],
} as const;
