/** What a configuration for the reference servers would say: the one input on which a handler fails. */
export const REFERENCE_SAMPLES = {
  divide: [{ input: { dividend: 10, divisor: 4 } }, { input: { dividend: 1, divisor: 0 }, fails: true }],
} as const;
