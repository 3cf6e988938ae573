import type { Gathered, ListingEvidence, ParsedListing } from '../model/listing.ts';
import { addressEvidence, found, missing } from './evidence.ts';

/** A report with its date and auditor, which can be read. `today` is a day, `2026-03-31` (UTC). */
export function auditEvidence(
  listing: ParsedListing,
  gathered: Gathered | null,
  today: string,
): readonly ListingEvidence[] {
  const { auditReport, audited } = listing.said;
  if (auditReport === undefined)
    return [
      missing(listing, {
        key: audited === true ? 'audited' : 'auditReport',
        text:
          audited === true
            ? 'the listing says that the server was audited, and names no report of it: that is a contradiction'
            : 'the listing names no audit report',
        expected: 'auditReport, with url, date and auditor',
        received: 'nothing',
        remedy:
          audited === true
            ? 'Name the report under "auditReport", or say `audited: false`.'
            : 'An audit is preferred, not required. Where there is one, name it under "auditReport".',
      }),
    ];
  const { date, auditor } = auditReport;
  return [
    ...(date > today
      ? [
          missing(listing, {
            key: 'auditReport',
            text: `the audit report is of ${date}, a day that is still to come`,
            expected: `a day up to ${today}`,
            received: date,
            remedy: 'Write the day on which the audit was made.',
          }),
        ]
      : [found(`audited by ${auditor} on ${date}`)]),
    addressEvidence({
      listing,
      key: 'auditReport',
      what: 'the audit report',
      fetched: gathered?.auditReport ?? null,
      notEmpty: true,
    }),
  ];
}
