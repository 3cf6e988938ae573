import type { Row } from '../model/judgement.ts';
import type { ListingEvidence, ParsedListing } from '../model/listing.ts';
import { type TestResult, targetKindOf } from '../model/report.ts';
import { areaOf, type LevelByTarget, levelFor, type Requirement } from '../model/requirement.ts';
import { namesInLine } from '../text/words.ts';
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
  /** Requirements below MUST that fail are named, and keep nobody out. */
  readonly advises?: true;
  /** Description of the requirements: "the documentation". */
  readonly what: string;
}

const MAX_NAMED = 8;

/** Passes if none of the requirements failed, is undecided, or was left out of the run; see `advises`. */
export function neededRowsEvidence(needed: NeededRows): readonly ListingEvidence[] {
  const { listing, result, what, untestedRemedy } = needed;
  if (result === null)
    return [
      undecided(listing, {
        text: `${what}: there is no test of this listing yet`,
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
  const idsOf = (fits: (row: Row | undefined, requirement: Requirement) => boolean): readonly string[] =>
    wanted.filter((one) => fits(rows.get(one.id), one)).map(({ id }) => id);
  const expected = `${what}: every requirement passed or not applicable`;
  const lacking = (
    make: typeof missing,
    ids: readonly string[],
    [state, words]: readonly [state: string, words: string],
    remedy: string,
  ): readonly ListingEvidence[] => {
    if (ids.length === 0) return [];
    const names = namesInLine(ids, MAX_NAMED);
    const text = `${what}: ${count(ids)} ${words}: ${names}`;
    return [make(listing, { text, expected, received: `${state}: ${names}`, remedy })];
  };
  const failed = idsOf((row) => row?.outcome === 'failed');
  const advised = needed.advises === true ? failed.filter((id) => rows.get(id)?.level !== 'MUST') : [];
  const evidence = [
    ...lacking(
      missing,
      failed.filter((id) => !advised.includes(id)),
      ['failed', 'not met'],
      'Fix the findings of these requirements, and test the server again.',
    ),
    ...lacking(
      undecided,
      idsOf((row) => row?.outcome === 'undecided'),
      ['undecided', 'undecided'],
      'Follow the advice in the findings of these requirements, and test the server again.',
    ),
    ...lacking(
      undecided,
      idsOf((row, { extra }) => row === undefined && extra !== true),
      ['left out', 'left out of this run'],
      'Run a complete test: without --only, --skip, --read-only and --no-latency.',
    ),
  ];
  const words =
    advised.length === 0
      ? `${what}: ${count(wanted)} met or not applicable`
      : `${what}: recommended, and not met: ${namesInLine(advised, MAX_NAMED)}`;
  return evidence.length > 0 ? evidence : [found(words)];
}

function count(items: readonly unknown[]): string {
  return items.length === 1 ? '1 requirement is' : `${items.length} requirements are`;
}
