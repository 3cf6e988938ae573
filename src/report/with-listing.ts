import { decideListing, decisionOf } from '../listing/decide-listing.ts';
import type { ReportedFinding, Row } from '../model/judgement.ts';
import { fileOf, type ListingBasis, type ListingEvidence, type ListingRow } from '../model/listing.ts';
import { failingLevel, type TestResult } from '../model/report.ts';
import { type Requirement, severityOf, textFor } from '../model/requirement.ts';
import { listingWanted } from '../run/steps/selection.ts';
import { againWithListing } from './again-command.ts';
import { fingerprintOf } from './fingerprint.ts';
import { concluded } from './rows.ts';

/**
 * Adds the requirements of a listing to a result; their rows and findings count like all others. They are decided as of
 * the end of the check, so that a saved result gives the same. `requirements` is the registry; `testRemedy` as
 * in `decideListing`. Pure.
 */
export function withListing(
  result: TestResult,
  basis: ListingBasis,
  requirements: readonly Requirement[],
  testRemedy?: string,
): TestResult {
  const { rows: decided } = decideListing({
    ...{ ...basis, result, nowIso: result.finishedAt, requirements },
    ...(testRemedy === undefined ? {} : { testRemedy }),
  });
  const wanted = new Set(listingWanted(result.settings));
  const listing = decided.filter(({ requirement }) => wanted.has(requirement));
  const registry = new Map(requirements.map((row) => [row.id, row]));
  const results = [
    ...result.results,
    ...listing.map(({ requirement: id, level, outcome }): Row => {
      const { spec = '1', text } = registry.get(id) ?? {};
      return { id, level, outcome, spec, ...(text === undefined ? {} : { text: textFor(text, 'rest') }) };
    }),
  ];
  const findings = listing.flatMap((row) =>
    findingsOf(row, registry.get(row.requirement), result, fileOf(basis.listing)),
  );
  return concluded({
    ...result,
    results,
    findings: [...result.findings, ...findings],
    listing,
    listingDecision: decisionOf(listing),
    listingBasis: basis,
  });
}

type Lack = Exclude<ListingEvidence, { readonly kind: 'found' }>;

/** A row that passed has no findings, even if one of several ways to meet it failed. */
function findingsOf(
  { requirement: id, level, outcome: rowOutcome, evidence }: ListingRow,
  row: Requirement | undefined,
  { target, settings }: TestResult,
  file: string | null,
): readonly ReportedFinding[] {
  if (rowOutcome === 'passed') return [];
  const lacks = evidence.filter((one): one is Lack => one.kind !== 'found');
  return lacks.map(({ kind, text, expected, received, remedy, fault, key, where }) => {
    const outcome = kind === 'missing' ? 'failed' : 'undecided';
    const at = { suite: where.file, line: where.line, column: where.column, step: 'listing' };
    const pointer = key === undefined ? undefined : `/${key}`;
    return {
      id,
      level,
      severity: severityOf(level, failingLevel(settings)),
      outcome,
      ...(outcome === 'undecided' ? { because: 'cut-short' as const } : {}),
      subject: null,
      message: text,
      expected,
      received,
      where: pointer === undefined ? at : { ...at, pointer },
      request: null,
      curl: null,
      check: againWithListing(id, target.url, settings, file),
      why: row?.why ?? '',
      fix: remedy,
      spec: row?.spec ?? '1',
      fault,
      fingerprint: fingerprintOf({ id, outcome, message: text, expected, received, where: at, pointer }),
    };
  });
}
