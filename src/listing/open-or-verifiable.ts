import type { Gathered, ListingEvidence, ListingRow, ParsedListing } from '../model/listing.ts';
import { addressEvidence, found, missing, outcomeOfAll } from './evidence.ts';
import { buildEvidence } from './verifiable-build.ts';

/** One way is enough; the evidence of every way in the listing is reported. */
export function openOrVerifiable(
  listing: ParsedListing,
  gathered: Gathered | null,
): Pick<ListingRow, 'outcome' | 'evidence'> {
  const { repository, build, deployment, openSource } = listing.said;
  const ways: readonly (readonly ListingEvidence[])[] = [
    ...(repository === undefined
      ? []
      : [
          [
            addressEvidence({
              listing,
              key: 'repository',
              what: 'the source repository',
              fetched: gathered?.repository ?? null,
            }),
          ],
        ]),
    ...(build === undefined ? [] : [buildEvidence(listing, build, gathered)]),
    ...(deployment === undefined
      ? []
      : [
          [
            found(`the deployment must produce ${deployment.digest}`),
            addressEvidence({
              listing,
              key: 'deployment',
              what: 'the instructions of the deployment',
              fetched: gathered?.instructions ?? null,
              notEmpty: true,
            }),
          ],
        ]),
  ];
  const contradiction =
    openSource === true && repository === undefined
      ? [
          missing(listing, {
            key: 'openSource',
            text: 'the listing claims open source, but names no repository',
            expected: 'repository, an address',
            received: 'nothing',
            remedy: 'Set "repository" to the address of the source, or set `openSource: false`.',
          }),
        ]
      : [];
  const none =
    ways.length === 0 && contradiction.length === 0
      ? [
          missing(listing, {
            text: 'the listing names no source repository, no verifiable build and no reproducible deployment',
            expected: 'repository, build or deployment',
            received: 'none of them',
            remedy:
              'Add a public repository, a build with its digest or attestation, or a deployment with its instructions and digest.',
          }),
        ]
      : [];
  const evidence = [...contradiction, ...none, ...ways.flat()];
  const outcomes = ways.map(outcomeOfAll);
  if (outcomes.includes('passed')) return { outcome: 'passed', evidence };
  return { outcome: outcomes.includes('undecided') ? 'undecided' : 'failed', evidence };
}
