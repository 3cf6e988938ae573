/** A test that passes only sometimes. It is skipped until its last day, and then runs like any other. */
export interface Quarantined {
  /** Its name in the runner: file, groups and test, separated by ` > `. */
  readonly test: string;
  readonly because: string;
  /** Its last day: `2027-01-31`, at most 60 days ahead. */
  readonly until: string;
}

export const quarantine: readonly Quarantined[] = [];

const MAX_DAYS = 60;
const DAY_MS = 86_400_000;

/** What is wrong with the last day of an entry, with the remedy; null if it is valid. */
export function wrongLastDay({ until }: Quarantined, today: string): string | null {
  const lastMs = /^\d{4}-\d\d-\d\d$/.test(until) ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(lastMs) || dayOf(lastMs) !== until)
    return `its last day is no date, but '${until}': write it as in 2027-01-31`;
  const most = dayOf(Date.parse(today) + MAX_DAYS * DAY_MS);
  return until > most
    ? `its last day, ${until}, is more than ${MAX_DAYS} days ahead: fix the test, or use ${most} at the latest`
    : null;
}

/** Whether the test is skipped today. */
export function isHeld(entry: Quarantined, today: string): boolean {
  return wrongLastDay(entry, today) === null && entry.until >= today;
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
