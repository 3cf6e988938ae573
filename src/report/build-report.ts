import type { Exchange } from '../model/exchange.ts';
import type { Judgement, Row } from '../model/judgement.ts';
import { failingLevel, type RunSettings, TEST_RESULT_SCHEMA_ID, type TestResult } from '../model/report.ts';
import type { Suite } from '../model/suite.ts';
import type { RunRecord } from '../run/state/record.ts';
import type { PlannedRequirement } from '../run/steps/selection.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { clientViewOf } from './client-view.ts';
import { coverageOf } from './coverage.ts';
import { buildFacts } from './facts.ts';
import { operationErrors, outputSamples, responseTimes } from './measurements.ts';
import { buildFindings, buildRows, summarise, verdictOf } from './rows.ts';
import { describeTarget } from './target-facts.ts';

// This folder makes the test result of a run, and all that is done with a result: rows and findings (`rows.ts`), facts,
// coverage and times, baselines, merging, reading and storing. `compare/` compares results, `view/` decides what is
// shown of them, and `terminal/`, `html/` and `formats/` lay that out.

export interface ReportInput {
  readonly id: string;
  readonly harnessVersion: string;
  readonly suites: readonly Suite[];
  readonly settings: RunSettings;
  readonly targetUrl: string;
  readonly requirements: ReadonlyMap<string, PlannedRequirement>;
  readonly record: RunRecord;
  readonly judgements: readonly Judgement[];
  /** Unix time in milliseconds. */
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
}

export function buildReport(input: ReportInput): TestResult {
  const { record, settings, targetUrl, requirements, judgements } = input;
  const built = buildRows(requirements, judgements, record.forms.capabilities);
  const rows = withExchanges(built, judgements, record.exchanges);
  const summary = summarise(rows, failingLevel(settings));
  const coverage = coverageOf(record, judgements, settings);
  const covered = coverage === null ? {} : { coverage };
  const clientView = clientViewOf(record.exchanges, settings);
  return {
    schema: TEST_RESULT_SCHEMA_ID,
    id: input.id,
    harness: { name: 'probity', version: input.harnessVersion },
    suites: input.suites.map(({ id, digest }) => ({ id, digest })),
    seed: settings.seed,
    settings,
    target: describeTarget(record, targetUrl, settings),
    startedAt: new Date(input.startedAtMs).toISOString(),
    finishedAt: new Date(input.finishedAtMs).toISOString(),
    durationMs: input.finishedAtMs - input.startedAtMs,
    verdict: verdictOf({ results: rows, summary, ...covered }, settings),
    reachable: isReachable(record.exchanges),
    summary,
    ...covered,
    ...(clientView === null ? {} : { clientView }),
    results: rows,
    findings: buildFindings(requirements, judgements, targetUrl, settings),
    responseTimes: responseTimes(record, targetUrl),
    errors: operationErrors(record, targetUrl),
    samples: outputSamples(record),
    facts: buildFacts(record, targetUrl, settings),
    exchanges: record.exchanges,
    ...(record.conversations.length === 0 ? {} : { conversations: record.conversations }),
  };
}

/** The reasons of runs without an answer that do not show that the target is unreachable. */
const REACHABLE_CODES: ReadonlySet<string> = new Set(['interrupted', 'gated']);

function isReachable(exchanges: readonly Exchange[]): boolean {
  const unansweredBecause = exchanges.map((one) => (one.kind === 'unanswered' ? one.reason.code : null));
  // It answers, but nothing that a check can speak with.
  if (unansweredBecause.includes('old-transport')) return false;
  const answered = exchanges.some(
    (exchange) =>
      exchange.kind === 'answered' ||
      exchange.timing.firstByteMs !== null ||
      (exchange.heard ?? []).length > 0,
  );
  const mayBeReachable = unansweredBecause.every((code) => code !== null && REACHABLE_CODES.has(code));
  return answered || (exchanges.length > 0 && mayBeReachable);
}

/**
 * The rows with the first of the exchanges from which each is decided, their number, and the time that they took. An
 * exchange that decides several rows counts for each of them. Pure.
 */
export function withExchanges(
  rows: readonly Row[],
  judgements: readonly Judgement[],
  exchanges: readonly Exchange[],
): readonly Row[] {
  const durations = new Map(exchanges.map(({ request, timing }) => [request.key, timing.durationMs]));
  const byRequirement = groupedBy(judgements, ({ requirement }) => requirement);
  return rows.map((row) => {
    const keys = (byRequirement.get(row.id) ?? [])
      .filter(({ finding }) => finding.outcome !== 'blocked' && finding.outcome !== 'inapplicable')
      .flatMap(({ where }) => where.exchange ?? []);
    const known = [...new Set(keys)].filter((key) => durations.has(key));
    const [exchange] = known;
    if (exchange === undefined) return row;
    const sumMs = known.reduce((sum, key) => sum + (durations.get(key) ?? 0), 0);
    return {
      ...row,
      // To microseconds, which also removes rounding errors of the sum.
      durationMs: Math.round(sumMs * 1000) / 1000,
      decidedBy: { exchange, count: known.length },
    };
  });
}
