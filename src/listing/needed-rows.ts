import type { Row } from '../model/judgement.ts';
import type { ListingEvidence, ParsedListing } from '../model/listing.ts';
import { type TestResult, targetKindOf } from '../model/report.ts';
import { type LevelByTarget, levelFor, type Requirement } from '../model/requirement.ts';
import { found, missing, undecided } from './evidence.ts';

/** Requirements of a result that a listing requirement depends on. */
export interface NeededRows {
  readonly listing: ParsedListing;
  readonly result: TestResult | null;
  readonly untestedRemedy: string;
  /** The registry, including requirements that were left out of the run. */
  readonly requirements: readonly Requirement[];
  readonly areas: readonly string[];
  readonly mustOnly: boolean;
  /** Description of the requirements: "the documentation". */
  readonly what: string;
}

const MAX_NAMED = 8;

/** Passes if none of the requirements failed, is undecided, or was left out of the run. */
export function neededRowsEvidence(needed: NeededRows): readonly ListingEvidence[] {
  const { listing, result, what, untestedRemedy } = needed;
  if (result === null)
    return [
      undecided(listing, {
        text: `${what}: the server was never tested`,
        expected: 'the result of a test',
        received: 'none',
        remedy: untestedRemedy,
      }),
    ];
  if (!result.reachable)
    return [
      undecided(listing, {
        text: `${what}: ${result.target.url} answered no request`,
        expected: 'a test in which the server answers',
        received: 'no answer',
        remedy: 'Start the server, check its address, and test it again.',
        fault: 'network',
      }),
    ];
  const isMcp = targetKindOf(result.settings) === 'mcp';
  // What the contract of the three endpoints asks for in these areas, the protocol asks for in its own rows.
  const areas = isMcp && needed.mustOnly ? [...needed.areas, 'mcp'] : needed.areas;
  const rows = new Map(result.results.map((row) => [row.id, row]));
  const levelIn = (id: string, level: LevelByTarget) =>
    rows.get(id)?.level ?? levelFor(level, result.target.form.capabilities);
  const wanted = needed.requirements.filter(
    ({ id, level, wire }) =>
      areas.includes(areaOf(id)) &&
      !(isMcp && wire === 'rest') &&
      (!needed.mustOnly || levelIn(id, level) === 'MUST'),
  );
  const idsOf = (fits: (row: Row | undefined) => boolean): readonly string[] =>
    wanted.filter(({ id }) => fits(rows.get(id))).map(({ id }) => id);
  const failed = idsOf((row) => row?.outcome === 'failed');
  const open = idsOf((row) => row?.outcome === 'undecided');
  const unasked = idsOf((row) => row === undefined);
  const expected = `${what}: every requirement passed or not applicable`;
  const evidence = [
    ...(failed.length === 0
      ? []
      : [
          missing(listing, {
            text: `${what}: ${count(failed)} not met: ${named(failed)}`,
            expected,
            received: `failed: ${named(failed)}`,
            remedy: 'Fix the findings of these requirements, and test the server again.',
          }),
        ]),
    ...(open.length === 0
      ? []
      : [
          undecided(listing, {
            text: `${what}: ${count(open)} undecided: ${named(open)}`,
            expected,
            received: `undecided: ${named(open)}`,
            remedy: 'Follow the advice in the findings of these requirements, and test the server again.',
          }),
        ]),
    ...(unasked.length === 0
      ? []
      : [
          undecided(listing, {
            text: `${what}: ${count(unasked)} left out of this run: ${named(unasked)}`,
            expected,
            received: `left out: ${named(unasked)}`,
            remedy: 'Run a complete test: without --only, --skip, --read-only and --no-latency.',
          }),
        ]),
  ];
  return evidence.length > 0 ? evidence : [found(`${what}: ${count(wanted)} met or not applicable`)];
}

export function areaOf(id: string): string {
  return id.split('/', 1)[0] ?? id;
}

function count(items: readonly unknown[]): string {
  return items.length === 1 ? '1 requirement is' : `${items.length} requirements are`;
}

function named(ids: readonly string[]): string {
  return ids.length <= MAX_NAMED
    ? ids.join(', ')
    : `${ids.slice(0, MAX_NAMED).join(', ')} and ${ids.length - MAX_NAMED} more`;
}
