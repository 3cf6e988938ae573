import type { Gathered, ListingEvidence, ListingRow, ParsedListing } from '../model/listing.ts';
import { addressEvidence, found, missing, outcomeOfAll } from './evidence.ts';
import { buildEvidence } from './verifiable-build.ts';

/** Any one way is enough, and each that the listing takes is told. */
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
            found(`the deployment is to arrive at ${deployment.digest}`),
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
            text: 'the listing says that the source is open, and names no repository: that is a contradiction',
            expected: 'repository, an address',
            received: 'nothing',
            remedy: 'Give the address of the source under "repository", or say `openSource: false`.',
          }),
        ]
      : [];
  const none =
    ways.length === 0 && contradiction.length === 0
      ? [
          missing(listing, {
            text: 'the listing names neither a source repository nor a build that can be verified nor a reproducible deployment',
            expected: 'repository, build or deployment',
            received: 'none of them',
            remedy:
              'Name a public repository, a build with its digest or attestation, or a deployment with its steps and digest.',
          }),
        ]
      : [];
  const evidence = [...contradiction, ...none, ...ways.flat()];
  const outcomes = ways.map(outcomeOfAll);
  if (outcomes.includes('passed')) return { outcome: 'passed', evidence };
  return { outcome: outcomes.includes('inconclusive') ? 'inconclusive' : 'failed', evidence };
}
