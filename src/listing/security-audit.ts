import type { Gathered, ListingEvidence, ParsedListing } from '../model/listing.ts';
import { addressEvidence, found, missing } from './evidence.ts';

/** A readable report with its date and auditor. `today` is a day, `2026-03-31` (UTC). */
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
            ? 'the listing claims an audit, but names no audit report'
            : 'the listing names no audit report',
        expected: 'auditReport, with url, date and auditor',
        received: 'nothing',
        remedy:
          audited === true
            ? 'Set "auditReport", or set `audited: false`.'
            : 'An audit is preferred, not required. If there is one, set "auditReport".',
      }),
    ];
  const { date, auditor } = auditReport;
  return [
    ...(date > today
      ? [
          missing(listing, {
            key: 'auditReport',
            text: `the date of the audit report, ${date}, is in the future`,
            expected: `a day up to ${today}`,
            received: date,
            remedy: 'Set the date of the audit.',
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
