/** Of checks that nothing may cut short, however busy the machine is. */
export const PATIENT = { requestTimeoutMs: 300_000, deadlineMs: 3_600_000 } as const;
