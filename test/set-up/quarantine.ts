/** A test that is known to pass only sometimes. It is not run until that day, and from then on as any other. */
export interface Quarantined {
  /** As the runner names it: file, groups and test, with ` > ` between. */
  readonly test: string;
  readonly because: string;
  /** Its last day: `2027-01-31`. */
  readonly until: string;
}

export const quarantine: readonly Quarantined[] = [];
