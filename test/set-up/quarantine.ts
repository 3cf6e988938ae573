/** A test that is known to pass only sometimes. It is not run until that day, and from then on as any other. */
export interface Quarantined {
  /** As the runner names it: file, groups and test, with ` > ` between. */
  readonly test: string;
  readonly because: string;
  /** Its last day: `2027-01-31`, at most 60 days ahead. */
  readonly until: string;
}

export const quarantine: readonly Quarantined[] = [];

const MAX_DAYS = 60;
const DAY_MS = 86_400_000;

/** What is wrong with the last day of an entry, with the remedy; null when nothing is. */
export function wrongLastDay({ until }: Quarantined, today: string): string | null {
  const lastMs = /^\d{4}-\d\d-\d\d$/.test(until) ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(lastMs) || dayOf(lastMs) !== until)
    return `its last day is no date, but '${until}': write it as in 2027-01-31`;
  const most = dayOf(Date.parse(today) + MAX_DAYS * DAY_MS);
  return until > most
    ? `its last day, ${until}, is more than ${MAX_DAYS} days ahead: mend the test, or give ${most} at the latest`
    : null;
}

/** Whether the test is not run today. */
export function isHeld(entry: Quarantined, today: string): boolean {
  return wrongLastDay(entry, today) === null && entry.until >= today;
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
