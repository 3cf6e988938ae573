import { judgeDuringRun } from '../judge/judge-during-run.ts';
import { judgeRun } from '../judge/judge-run.ts';
import { listOf, requireArguments } from '../model/arguments.ts';
import type { AppliedBaseline, Baseline } from '../model/judgement.ts';
import { RESULT, type TestResult, targetKindOf } from '../model/report.ts';
import type { Suite } from '../model/suite.ts';
import { createReplayingProbe, replayClock } from '../probe/replaying-probe.ts';
import { applyBaseline } from '../report/baseline.ts';
import { buildReport } from '../report/build-report.ts';
import { withListing } from '../report/with-listing.ts';
import { selectSteps } from '../run/steps/selection.ts';
import { loadRegistry, loadSuites } from '../suite/load-suites.ts';
import { harnessVersion } from '../suite/product-files.ts';
import { collect } from './check.ts';
import { SUITE } from './check-options.ts';
import { createReplayingSampler } from './replaying-sampler.ts';
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
  const record = await collect({
    selection,
    targetUrl: target.url,
    settings,
    probe: createReplayingProbe(exchanges, report.conversations),
    sampler: createReplayingSampler(report),
    clock: replayClock,
    signal: new AbortController().signal,
    endsAtMs: Number.POSITIVE_INFINITY,
    schemas,
    onOpened: schemas.speak,
    judgeExchange: judgeDuringRun({ settings, targetUrl: target.url, schemas }),
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
    judgements: judgeRun({ record, settings, targetUrl: target.url, schemas }),
    startedAtMs: Date.parse(report.startedAt),
    finishedAtMs: Date.parse(report.finishedAt),
  });
  // In the original order of sending, because a replay sends in another order.
  const result = await withSavedListing({ ...judged, exchanges }, report);
  return report.baseline === undefined ? result : applyBaseline(result, baselineIn(report.baseline));
}

function baselineIn({ problems: _, ...baseline }: AppliedBaseline): Baseline {
  return baseline;
}

/** Decides the listing again from the new judgement and the saved evidence; nothing is fetched again. */
async function withSavedListing(
  result: TestResult,
  { listingBasis }: Pick<TestResult, 'listingBasis'>,
): Promise<TestResult> {
  if (listingBasis === undefined) return result;
  return withListing(result, listingBasis, [...(await loadRegistry()).values()]);
}
