import {
  anyObject,
  listOf,
  objectWith,
  orNull,
  record,
  requireArguments,
  required,
  text,
} from '../model/arguments.ts';
import type { TypeOf } from '../model/kind.ts';
import {
  type Gathered,
  LISTING_LEVELS,
  type ListingDecision,
  type ListingEvidence,
  type ListingJudgement,
  type ListingRequirement,
  type ListingRow,
  PARSED_LISTING,
} from '../model/listing.ts';
import { RESULT } from '../model/report.ts';
import type { Requirement } from '../model/requirement.ts';
import { addressEvidence, found, missing, outcomeOfAll, undecided } from './evidence.ts';
import { recordEvidence } from './measured.ts';
import { neededRowsEvidence } from './needed-rows.ts';
import { openOrVerifiable } from './open-or-verifiable.ts';

/** Null for evidence that the listing does not name. */
const FETCHED = required(orNull(anyObject));

const TO_DECIDE = record({
  listing: PARSED_LISTING,
  /** The newest test of the server; null without one. */
  result: required(orNull(RESULT)),
  gathered: required(
    orNull(
      objectWith<Gathered>('a result of gatherEvidence', {
        repository: FETCHED,
        documentation: FETCHED,
        auditReport: FETCHED,
        instructions: FETCHED,
        artifact: FETCHED,
        attestation: FETCHED,
      }),
    ),
  ),
  /** ISO 8601, UTC. */
  nowIso: required(text),
  /** The registry, which lists the requirements of a complete test. */
  requirements: required(listOf(objectWith<Requirement>('a requirement of the registry', {}))),
  /** What decides what only a test can decide; by default, the command that tests the server. */
  testRemedy: text,
});
export type ToDecide = TypeOf<typeof TO_DECIDE>;

const CONTRACT_AREAS = ['health', 'capabilities', 'execute', 'errors', 'robustness'];

/**
 * Decides all of the listing requirements, each with its evidence. Pure.
 *
 * @throws OptionError when an option is missing, is unknown or is of the wrong kind
 */
export function decideListing(options: ToDecide): ListingJudgement {
  requireArguments('decideListing', { options }, { options: required(TO_DECIDE) });
  const { listing, result, gathered, nowIso, requirements, testRemedy } = options;
  const needed = {
    ...{ listing, result, requirements },
    untestedRemedy: testRemedy ?? 'Test it: `probity check --listing FILE`.',
  };
  const rows = [
    row(
      'listing/mcp-support',
      neededRowsEvidence({
        ...needed,
        areas: CONTRACT_AREAS,
        mustOnly: true,
        what: 'MCP support',
      }),
    ),
    row('listing/documented-api', [
      ...neededRowsEvidence({
        ...needed,
        ...{ areas: ['documentation'], mustOnly: false, advises: true, what: 'documentation' },
      }),
      ...typesEvidence(options),
    ]),
    row('listing/security-audit', [
      ...auditEvidence(options, nowIso.slice(0, 'yyyy-mm-dd'.length)),
      ...neededRowsEvidence({ ...needed, areas: ['security'], mustOnly: false, what: 'security' }),
    ]),
    { ...row('listing/open-or-verifiable', []), ...openOrVerifiable(listing, gathered, testRemedy) },
    row('listing/record', recordEvidence(listing, result, testRemedy)),
  ];
  return { decision: decisionOf(rows), rows };
}

function row(requirement: ListingRequirement, evidence: readonly ListingEvidence[]): ListingRow {
  return { requirement, level: LISTING_LEVELS[requirement], outcome: outcomeOfAll(evidence), evidence };
}

/** A missing MUST requirement counts as undecided. Pure. */
export function decisionOf(rows: readonly ListingRow[]): ListingDecision {
  const outcomes = new Map<string, ListingRow['outcome']>(
    rows.map(({ requirement, outcome }) => [requirement, outcome]),
  );
  const binding = Object.entries(LISTING_LEVELS)
    .filter(([, level]) => level === 'MUST')
    .map(([id]) => outcomes.get(id));
  if (binding.includes('failed')) return 'reject';
  return binding.every((outcome) => outcome === 'passed') ? 'list' : 'hold';
}

const DESCRIPTIONS = 'documentation/function-descriptions';
const TYPES = ['documentation/parameter-types', 'documentation/return-types'];

/**
 * Where the types of parameters and returns are defined: in form B and in the Model Context Protocol, in the schemas of
 * the functions, as documentation rows decide; form A cannot express types.
 */
function typesEvidence({ listing, result, gathered, testRemedy }: ToDecide): readonly ListingEvidence[] {
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
      testRemedy,
      notEmpty: true,
    }),
  ];
}

/** A readable report with its date and auditor. `today` is a day, `2026-03-31` (UTC). */
function auditEvidence(
  { listing, gathered, testRemedy }: ToDecide,
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
      testRemedy,
      notEmpty: true,
    }),
  ];
}
