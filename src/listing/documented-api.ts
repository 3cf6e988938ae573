import type { Gathered, ListingEvidence, ParsedListing } from '../model/listing.ts';
import type { TestResult } from '../model/report.ts';
import { addressEvidence, found, missing, undecided } from './evidence.ts';

const DESCRIPTIONS = 'documentation/function-descriptions';
const TYPES = ['documentation/parameter-types', 'documentation/return-types'];

/**
 * Where the types of parameters and returns are defined: the descriptors of form B hold them, and rows of the
 * documentation say so; form A has no place for them.
 */
export function typesEvidence(
  listing: ParsedListing,
  result: TestResult | null,
  gathered: Gathered | null,
): readonly ListingEvidence[] {
  if (result === null || !result.reachable) return [];
  const outcomes = new Map(result.results.map(({ id, outcome }) => [id, outcome]));
  if (outcomes.get(DESCRIPTIONS) === 'inapplicable')
    return [
      undecided(listing, {
        text: 'the server lists no function, so there is nothing that could be documented',
        expected: 'at least one function in /capabilities',
        received: 'none',
        remedy: 'List what the server offers under "functions".',
      }),
    ];
  const { capabilities: form } = result.target.form;
  if (form === null)
    return [
      undecided(listing, {
        text: 'the form of the descriptors is not known, and with it where types would stand',
        expected: 'descriptors in form A or B',
        received: 'neither',
        remedy: 'Mend what the findings of capabilities say, and test the server again.',
      }),
    ];
  if (form === 'B')
    return TYPES.every((id) => outcomes.get(id) === 'passed' || outcomes.get(id) === 'inapplicable')
      ? [found('the types of parameters and returns are defined in the descriptors')]
      : [];
  if (listing.said.documentation === undefined)
    return [
      missing(listing, {
        key: 'documentation',
        text: 'the types of parameters and returns are defined nowhere: descriptors of form A have no place for them, and the listing names no documentation',
        expected: 'documentation, an address',
        received: 'nothing',
        remedy:
          'Write the types down, and give the address under "documentation"; or describe the functions in form B.',
      }),
    ];
  return [
    addressEvidence({
      listing,
      key: 'documentation',
      what: 'the documentation, which defines the types that form A has no place for,',
      fetched: gathered?.documentation ?? null,
      notEmpty: true,
    }),
  ];
}
