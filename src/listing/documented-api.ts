import type { Gathered, ListingEvidence, ParsedListing } from '../model/listing.ts';
import type { TestResult } from '../model/report.ts';
import { addressEvidence, found, missing, undecided } from './evidence.ts';

const DESCRIPTIONS = 'documentation/function-descriptions';
const TYPES = ['documentation/parameter-types', 'documentation/return-types'];

/**
 * Where the types of parameters and returns are defined: in form B and in the Model Context Protocol, in the schemas of
 * the functions, as documentation rows decide; form A cannot express types.
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
        text: 'the server lists no function, so no function is documented',
        expected: 'at least one function in /capabilities',
        received: 'none',
        remedy: 'List the functions of the server under "functions".',
      }),
    ];
  const { capabilities: form } = result.target.form;
  const haveSchemas = form === 'B' || result.settings.mcp !== undefined;
  if (form === null && !haveSchemas)
    return [
      undecided(listing, {
        text: 'the form of the descriptors is unknown, so it is unknown where types are defined',
        expected: 'descriptors in form A or B',
        received: 'neither',
        remedy: 'Fix the findings of capabilities, and test the server again.',
      }),
    ];
  if (haveSchemas)
    return TYPES.every((id) => outcomes.get(id) === 'passed' || outcomes.get(id) === 'inapplicable')
      ? [found('the types of parameters and returns are defined in the descriptors')]
      : [];
  if (listing.said.documentation === undefined)
    return [
      missing(listing, {
        key: 'documentation',
        text: 'the types of parameters and returns are not defined: descriptors of form A cannot express types, and the listing names no documentation',
        expected: 'documentation, an address',
        received: 'nothing',
        remedy:
          'Publish the types, and set "documentation" to their address; or describe the functions in form B.',
      }),
    ];
  return [
    addressEvidence({
      listing,
      key: 'documentation',
      what: 'the documentation, which must define the types that form A cannot express,',
      fetched: gathered?.documentation ?? null,
      notEmpty: true,
    }),
  ];
}
