/** For checks that look at whatever was answered. */
export const NO_ANSWER = { reasons: { 'no-answer': 'no request was answered' } } as const;
