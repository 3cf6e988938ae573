import { createHash } from 'node:crypto';
import { decisionOf } from '../listing/decide-listing.ts';
import { listOf, record, requireArguments, required, text } from '../model/arguments.ts';
import { ExpectedError } from '../model/expected-error.ts';
import type { AppliedBaseline, ReportedFinding, Row } from '../model/judgement.ts';
import { callName, isMeasurement, type ResponseTimes } from '../model/measurement.ts';
import { RESULT, type TestResult } from '../model/report.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { summedErrors } from './operations.ts';
import { concluded } from './rows.ts';

/** A report, with the name by which messages call it. */
export interface NamedReport {
  readonly file: string;
  readonly result: TestResult;
}

/** Reports that do not belong together. */
export class MergeError extends ExpectedError {
  override readonly name = 'MergeError';
}

export interface MergedReports {
  /** One result for each target, in the order of the reports. */
  readonly results: readonly TestResult[];
  /** What the reader of the merged reports must know: different versions of the harness, the suites or the server. */
  readonly notes: readonly string[];
}

/**
 * Merges reports: those of the same target, which must have decided different requirements, into one. Pure.
 * @throws OptionError when they are not named reports, and MergeError for reports that contradict each other, or are not of checks
 */
export function mergeReports(reports: readonly NamedReport[]): MergedReports {
  requireArguments(
    'mergeReports',
    { reports },
    { reports: required(listOf(record({ file: required(text), result: RESULT }))) },
  );
  for (const { file, result } of reports)
    if (result.bench !== undefined)
      throw new MergeError(`${file} is the report of a load. Merge reports of probity check.`);
  const groups = groupedBy(reports, ({ result }) => `${result.target.url} ${result.settings.targetName}`);
  return {
    results: [...groups.values()].flatMap((parts) => {
      const [first, ...more] = parts;
      if (first === undefined) return [];
      return [more.length === 0 ? first.result : mergeParts(first, parts)];
    }),
    notes: [
      ...differences(reports, 'versions of Probity', ({ harness }) => harness.version),
      ...[...new Set(reports.flatMap(({ result }) => result.suites.map(({ id }) => id)))].flatMap((id) =>
        differences(
          reports,
          `versions of the suite ${id}`,
          ({ suites }) => suites.find((suite) => suite.id === id)?.digest,
        ),
      ),
      ...[...groups.values()].flatMap((parts) =>
        differences(
          parts,
          `versions of the server ${parts[0]?.result.target.url}`,
          ({ target }) => target.version,
        ),
      ),
    ],
  };
}

const MAX_DIGEST_CHARACTERS = 20;

/** One sentence if the reports differ; those without a value do not count. */
function differences(
  reports: readonly NamedReport[],
  what: string,
  versionIn: (result: TestResult) => string | undefined,
): readonly string[] {
  const versioned = reports.filter(({ result }) => versionIn(result) !== undefined);
  const byValue = groupedBy(versioned, ({ result }) => versionIn(result) ?? '');
  if (byValue.size < 2) return [];
  const named = [...byValue].map(([value, [first]]) => {
    const short = value.length > MAX_DIGEST_CHARACTERS ? `${value.slice(0, MAX_DIGEST_CHARACTERS)}…` : value;
    return `${short} (${first?.file ?? ''})`;
  });
  return [`The reports were made with different ${what}: ${named.join(', ')}.`];
}

function mergeParts({ result: first }: NamedReport, parts: readonly NamedReport[]): TestResult {
  const all = parts.map(({ result }) => result);
  const { rows, findings } = rowsOf(parts);
  const baseline = baselineOf(all);
  const byTime = (one: string, other: string): number => Date.parse(one) - Date.parse(other);
  const startedAt = all.map((one) => one.startedAt).toSorted(byTime)[0] ?? first.startedAt;
  const finishedAt =
    all
      .map((one) => one.finishedAt)
      .toSorted(byTime)
      .at(-1) ?? first.finishedAt;
  const known = all.find(({ target }) => target.form.capabilities !== null) ?? first;
  const words = `from ${parts.length} reports; judge these again, because they may have got different answers`;
  return concluded({
    ...first,
    id: idOf(all),
    suites: unique(all, 'suites', ({ id, digest }) => `${id} ${digest}`),
    settings: settingsOf(parts),
    target: known.target,
    startedAt,
    finishedAt,
    durationMs: Date.parse(finishedAt) - Date.parse(startedAt),
    reachable: all.some(({ reachable }) => reachable),
    ...coverageOf(all),
    ...clientViewOf(all),
    results: rows,
    findings,
    responseTimes: timesOf(all),
    errors: summedErrors(all.flatMap(({ errors }) => errors)),
    samples: unique(all, 'samples', ({ function: name, input }) => JSON.stringify([name, input])),
    facts: [{ name: 'merged', text: words }, ...unique(all, 'facts', ({ name, text }) => `${name} ${text}`)],
    exchanges: unique(all, 'exchanges', ({ request }) => request.key),
    ...listingOf(all),
    ...(baseline === undefined ? {} : { baseline }),
  });
}

/** Every requirement once, with its findings. */
function rowsOf(parts: readonly NamedReport[]) {
  const seen = new Map<string, Decided & { readonly fingerprint: string }>();
  const findings: ReportedFinding[] = [];
  for (const { file, result } of parts) {
    const byId = groupedBy(result.findings, ({ id }) => id);
    for (const row of result.results) {
      const own = byId.get(row.id) ?? [];
      const fingerprints = own.map((finding) => finding.fingerprint).sort();
      const fingerprint = JSON.stringify([row.outcome, row.accepted, fingerprints]);
      const known = seen.get(row.id);
      if (known === undefined) {
        seen.set(row.id, { file, row, fingerprint });
        findings.push(...own);
      } else if (known.fingerprint !== fingerprint)
        throw new MergeError(
          `${row.id} of ${result.target.url} is ${conflictWords(known, { file, row })}. Merge parts of one run, each with its own requirements (--only).`,
        );
    }
  }
  return { rows: [...seen.values()].map(({ row }) => row), findings };
}

type Decided = { readonly file: string; readonly row: Row };

function conflictWords(known: Decided, other: Decided): string {
  return known.row.outcome === other.row.outcome
    ? `${known.row.outcome} in ${known.file} and in ${other.file}, with different findings`
    : `${known.row.outcome} in ${known.file} and ${other.row.outcome} in ${other.file}`;
}

function settingsOf(parts: readonly NamedReport[]): TestResult['settings'] {
  const all = parts.map(({ result }) => result.settings);
  const [first] = all;
  const other = parts.find(({ result }) => result.settings.failOn !== first?.failOn);
  if (first === undefined || other !== undefined)
    throw new MergeError(
      `${parts[0]?.file} was made with --fail-on ${first?.failOn}, and ${other?.file} with ${other?.result.settings.failOn}. Check all parts with the same level.`,
    );
  const isWhole = all.some(({ only }) => only.length === 0);
  return {
    ...first,
    only: isWhole ? [] : [...new Set(all.flatMap(({ only }) => only))],
    // A part may have timed nothing.
    latency: all.find(({ latency }) => !latency.off)?.latency ?? first.latency,
    skip: first.skip.filter((pattern) => all.every(({ skip }) => skip.includes(pattern))),
  };
}

/** Timed calls rather than single requests, and of several measurements the one with the most calls. */
function timesOf(all: readonly TestResult[]): readonly ResponseTimes[] {
  const weight = (times: ResponseTimes): number => (isMeasurement(times) ? 1e9 : 0) + times.count;
  const times = all.flatMap(({ responseTimes }) => responseTimes);
  return [...groupedBy(times, callName).values()].flatMap((same) =>
    same.toSorted((left, right) => weight(right) - weight(left)).slice(0, 1),
  );
}

function listingOf(
  all: readonly TestResult[],
): Pick<TestResult, 'listing' | 'listingDecision' | 'listingBasis'> {
  const listing = unique(all, 'listing', ({ requirement }) => requirement);
  const basis = all.find(({ listingBasis }) => listingBasis !== undefined)?.listingBasis;
  return basis === undefined ? {} : { listing, listingDecision: decisionOf(listing), listingBasis: basis };
}

/** All parts saw the same definitions; one of them may have compared them with a contract. */
function clientViewOf(all: readonly TestResult[]): Pick<TestResult, 'clientView'> {
  const views = all.flatMap(({ clientView }) => clientView ?? []);
  const view = views.find(({ changes }) => changes !== undefined) ?? views[0];
  return view === undefined ? {} : { clientView: view };
}

/** A function that any part exercised is exercised. */
function coverageOf(all: readonly TestResult[]): Pick<TestResult, 'coverage'> {
  const parts = all.flatMap(({ coverage }) => coverage ?? []);
  const [first] = parts;
  if (first === undefined) return {};
  const notExercised = first.notExercised.filter(({ function: name }) =>
    parts.every((part) => part.notExercised.some((one) => one.function === name)),
  );
  const exercised = first.listed - first.excluded - notExercised.length;
  return { coverage: { ...first, exercised, notExercised } };
}

function baselineOf(all: readonly TestResult[]): AppliedBaseline | undefined {
  const given = all.flatMap(({ baseline }) => (baseline === undefined ? [] : [baseline]));
  if (given.length === 0) return undefined;
  const exercised = given.flatMap((one) => one.exercised ?? []);
  return {
    ...(exercised.length === 0 ? {} : { exercised: Math.max(...exercised) }),
    entries: unique(given, 'entries', (entry) => JSON.stringify(entry)),
    problems: unique(given, 'problems', (problem) => JSON.stringify(problem)),
  };
}

/** The same for the same parts, whatever their order. */
function idOf(all: readonly TestResult[]): string {
  const ids = all.map(({ id }) => id).sort();
  const hex = createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

type Item<Part, Name extends keyof Part> = NonNullable<Part[Name]> extends readonly (infer T)[] ? T : never;

/** The items of the same list of all parts, of each key the first. */
function unique<Part, Name extends keyof Part>(
  parts: readonly Part[],
  name: Name,
  keyOf: (item: Item<Part, Name>) => string,
): readonly Item<Part, Name>[] {
  const items = parts.flatMap((part) => (part[name] ?? []) as readonly Item<Part, Name>[]);
  return [...groupedBy(items, keyOf).values()].flatMap((same) => same.slice(0, 1));
}
