/** A longer pause is one without an end: somebody has to look at the server again. */
const MAX_PAUSE_DAYS = 366;

/** What every way to give the end of a pause says when it refuses one. */
export const PAUSE_END_RULE = `a time in the future, at most ${MAX_PAUSE_DAYS} days ahead`;

/** Whether a pause may end then; false for an invalid date. */
export function isPauseEnd(time: Date): boolean {
  const aheadMs = time.getTime() - Date.now();
  return aheadMs > 0 && aheadMs <= MAX_PAUSE_DAYS * 86_400_000;
}
