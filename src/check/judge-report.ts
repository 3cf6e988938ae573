import { judgeRun } from '../judge/judge-run.ts';
import { listOf, requireArguments } from '../model/arguments.ts';
import { isMeasurement } from '../model/measurement.ts';
import type { Sampler } from '../model/probe.ts';
import { RESULT, type TestResult, targetKindOf } from '../model/report.ts';
import type { Suite, TargetKind } from '../model/suite.ts';
import { createReplayingProbe, replayClock } from '../probe/replaying-probe.ts';
import { applyBaseline } from '../report/baseline.ts';
import { buildReport } from '../report/build-report.ts';
import { withListing } from '../report/with-listing.ts';
import { selectSteps } from '../run/steps/selection.ts';
import { loadRegistry, loadSuites } from '../suite/load-suites.ts';
import { harnessVersion } from '../suite/product-files.ts';
import { collect } from './check.ts';
import { SUITE } from './check-options.ts';
import { TargetSchemas } from './target-schemas.ts';

/**
 * Judges the exchanges of a saved report again, without a network. With the same suites and harness, the results are
 * the same to the byte; with others, they are what those would have found.
 *
 * @throws OptionError when an argument is of the wrong kind, or when the suites decide no requirement of the report
 */
export async function judgeReport(report: TestResult, given?: readonly Suite[]): Promise<TestResult> {
  requireArguments('judgeReport', { report, suites: given }, { report: RESULT, suites: listOf(SUITE) });
  const { settings, target, exchanges } = report;
  const suites = given ?? (await loadSuites([], targetKindOf(settings))).suites;
  const schemas = new TargetSchemas(settings);
  const selection = selectSteps(suites, settings);
  const basis = { settings, targetUrl: target.url, schemas };
  const record = await collect({
    ...basis,
    selection,
    probe: createReplayingProbe(exchanges, report.conversations),
    sampler: createReplayingSampler(report),
    clock: replayClock,
    signal: new AbortController().signal,
    endsAtMs: Number.POSITIVE_INFINITY,
    onOpened: schemas.speak,
    commonHeaders: [],
  });
  const judged = buildReport({
    id: report.id,
    harnessVersion: harnessVersion(),
    suites,
    settings,
    targetUrl: target.url,
    requirements: selection.requirements,
    record,
    judgements: judgeRun({ ...basis, record }),
    startedAtMs: Date.parse(report.startedAt),
    finishedAtMs: Date.parse(report.finishedAt),
  });
  // In the original order of sending, because a replay sends in another order.
  let result: TestResult = { ...judged, exchanges };
  // From the saved evidence; nothing is fetched again.
  if (report.listingBasis !== undefined)
    result = withListing(result, report.listingBasis, [...(await loadRegistry()).values()]);
  if (report.baseline === undefined) return result;
  const { problems: _, ...baseline } = report.baseline;
  return applyBaseline(result, baseline);
}

/** Answers with the measurements of a saved report; a missing one counts as not measured for lack of time. */
function createReplayingSampler({ responseTimes }: TestResult): Sampler {
  const byKey = new Map(responseTimes.filter(isMeasurement).map((one) => [one.key, one]));
  return { measure: async ({ key }) => byKey.get(key) ?? null };
}

export type SuitesFor = (kind: TargetKind) => Promise<readonly Suite[]>;

/** The suites of the product and of the user, which are read once for each kind of target. */
export function suitesWith(files: readonly string[]): SuitesFor {
  const known = new Map<TargetKind, Promise<readonly Suite[]>>();
  return (kind) => {
    const suites = known.get(kind) ?? loadSuites(files, kind).then((loaded) => loaded.suites);
    known.set(kind, suites);
    return suites;
  };
}

export interface JudgedAgain {
  readonly result: TestResult;
  /** Suites that have changed since the report was made. */
  readonly changed: readonly string[];
}

/** @throws ExpectedError if the suites cannot be read, or decide no requirement of the report */
export async function judgeAgain(saved: TestResult, suitesFor: SuitesFor): Promise<JudgedAgain> {
  const suites = await suitesFor(targetKindOf(saved.settings));
  const changed = saved.suites
    .filter(({ id, digest }) => suites.find((suite) => suite.id === id)?.digest !== digest)
    .map(({ id }) => id);
  return { result: await judgeReport(saved, suites), changed };
}
