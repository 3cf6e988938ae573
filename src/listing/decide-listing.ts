import {
  anyObject,
  type Kinds,
  listOf,
  objectWith,
  orNull,
  record,
  requireArguments,
  required,
  text,
} from '../model/arguments.ts';
import {
  type Gathered,
  LISTING_LEVELS,
  type ListingDecision,
  type ListingEvidence,
  type ListingJudgement,
  type ListingRequirement,
  type ListingRow,
  PARSED_LISTING,
  type ParsedListing,
} from '../model/listing.ts';
import { RESULT, type TestResult, targetKindOf } from '../model/report.ts';
import type { Requirement } from '../model/requirement.ts';
import { typesEvidence } from './documented-api.ts';
import { outcomeOfAll } from './evidence.ts';
import { neededRowsEvidence } from './needed-rows.ts';
import { openOrVerifiable } from './open-or-verifiable.ts';
import { auditEvidence } from './security-audit.ts';
import { recordEvidence } from './server-record.ts';

export interface ToDecide {
  readonly listing: ParsedListing;
  /** The newest test of the server; null without one. */
  readonly result: TestResult | null;
  /** Null if nothing was fetched. */
  readonly gathered: Gathered | null;
  /** ISO 8601, UTC. */
  readonly nowIso: string;
  /** The registry, which lists the requirements of a complete test. */
  readonly requirements: readonly Requirement[];
  /** What to do when there is no test; by default, the command that tests the server. */
  readonly untestedRemedy?: string;
}

/** Null for evidence that the listing does not name. */
const FETCHED = required(orNull(anyObject));

const TO_DECIDE = {
  listing: PARSED_LISTING,
  result: orNull(RESULT),
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
  nowIso: required(text),
  requirements: required(listOf(anyObject)),
  untestedRemedy: text,
} satisfies Kinds<ToDecide>;

const CONTRACT_AREAS = ['health', 'capabilities', 'execute', 'errors', 'robustness'];

/**
 * Decides all of the listing requirements, each with its evidence. Pure.
 *
 * @throws OptionError when an option is missing, is unknown or is of the wrong kind
 */
export function decideListing(options: ToDecide): ListingJudgement {
  requireArguments('decideListing', { options }, { options: required(record(TO_DECIDE)) });
  const { listing, result, gathered, nowIso, requirements, untestedRemedy } = options;
  const needed = {
    ...{ listing, result, requirements },
    untestedRemedy: untestedRemedy ?? 'Test it: `probity check --listing FILE`.',
  };
  // Only then the messages of the server itself are judged.
  const isMcp = result !== null && targetKindOf(result.settings) === 'mcp';
  const rows = [
    row(
      'listing/mcp-support',
      neededRowsEvidence({
        ...needed,
        areas: isMcp ? [...CONTRACT_AREAS, 'mcp'] : CONTRACT_AREAS,
        mustOnly: true,
        what: 'MCP support',
      }),
    ),
    row('listing/documented-api', [
      ...neededRowsEvidence({ ...needed, areas: ['documentation'], mustOnly: false, what: 'documentation' }),
      ...typesEvidence(listing, result, gathered),
    ]),
    row('listing/security-audit', [
      ...auditEvidence(listing, gathered, nowIso.slice(0, 'yyyy-mm-dd'.length)),
      ...neededRowsEvidence({ ...needed, areas: ['security'], mustOnly: false, what: 'security' }),
    ]),
    { ...row('listing/open-or-verifiable', []), ...openOrVerifiable(listing, gathered) },
    row('listing/record', recordEvidence(listing, result)),
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
