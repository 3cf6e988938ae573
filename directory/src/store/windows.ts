export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** docs/directory.md defines how the figures of an entry are calculated. */
export const UPTIME_DAYS = 30;
export const RESPONSE_TIME_DAYS = 7;

/** Number since 1970 of the first hour that counts for the uptime; the current hour is the last one. */
export function firstHourOfUptime(now: Date): number {
  return Math.floor(now.getTime() / HOUR_MS) - UPTIME_DAYS * 24;
}

/** Number since 1970 of the first day (UTC) that counts for response times; today is the last one. */
export function firstDayOfTimes(now: Date): number {
  return Math.floor(now.getTime() / DAY_MS) - RESPONSE_TIME_DAYS;
}
