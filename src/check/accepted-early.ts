import type { EarlyAcceptance, SeenFailure } from '../judge/first-failure.ts';
import type { AcceptedFinding } from '../model/judgement.ts';
import {
  fingerprintOf,
  identityInReport,
  identityOfEntry,
  identityOfFinding,
  lastingName,
  placeOf,
} from '../report/fingerprint.ts';
import { dayAfter } from '../text/day.ts';

/** What the entries of a baseline accept of a run that began at this time, asked while the run goes on. */
export function acceptedEarly(entries: readonly AcceptedFinding[], startedAtMs: number): EarlyAcceptance {
  const today = dayAfter(startedAtMs, 0);
  const valid = entries.filter(({ outcome, until }) => outcome === 'failed' && until >= today);
  const identities = new Set(valid.map(identityOfEntry));
  const places = new Set(valid.map(({ requirement, function: name }) => placeOf(requirement, name)));
  // A report has a finding on repeated answers once, with what the first of them was: the others are accepted with it.
  const accepted = new Set<string>();
  return {
    // The finding is that of the report, so its fingerprint is known.
    accepts: ({ requirement: id, finding, where }) => {
      const inReport = identityInReport(id, finding, where);
      const { outcome, message, expected, received, pointer } = finding;
      const fingerprint = fingerprintOf({ id, outcome, message, expected, received, where, pointer });
      const isAccepted =
        accepted.has(inReport) || identities.has(identityOfFinding({ id, where, outcome, fingerprint }));
      if (isAccepted) accepted.add(inReport);
      return isAccepted;
    },
    // Which answer the finding of the report is about is known only at the end, and so is its fingerprint.
    mayAccept: ({ requirement, where }: SeenFailure) =>
      places.has(placeOf(requirement, lastingName(where.function))),
  };
}
