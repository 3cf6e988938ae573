/** A day as ISO 8601 writes it. */
export const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Takes `2026-02-28` and refuses `2026-02-30`. */
export function isOnCalendar(day: string): boolean {
  const parsed = DAY.test(day) ? new Date(`${day}T00:00:00Z`) : null;
  return (
    parsed !== null && !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, day.length) === day
  );
}

const MS_PER_DAY = 24 * 60 * 60 * 1000;

/** The day (UTC) a number of days after a time. */
export function dayAfter(fromMs: number, days: number): string {
  return new Date(fromMs + days * MS_PER_DAY).toISOString().slice(0, 'yyyy-mm-dd'.length);
}
