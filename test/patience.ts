/** Settings of checks that must not time out, even on a busy machine. */
export const PATIENT = {
  requestTimeoutMs: 300_000,
  deadlineMs: 3_600_000,
} as const;
