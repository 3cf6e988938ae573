import type { BenchFigures, PreparedCall } from '../model/bench.ts';
import { type Measurement, TEST_RESULT_SCHEMA_ID, type TestResult } from '../model/report.ts';
import type { ReportInput } from './build-report.ts';

export interface BenchResultInput
  extends Omit<ReportInput, 'suites' | 'requirements' | 'record' | 'judgements'> {
  readonly calls: readonly PreparedCall[];
  readonly measurements: readonly Measurement[];
  readonly figures: BenchFigures;
}

/** The test result of a load. It decides no requirement, so its verdict is never a pass. Pure. */
export function benchResult(input: BenchResultInput): TestResult {
  const { settings, calls, measurements } = input;
  return {
    schema: TEST_RESULT_SCHEMA_ID,
    id: input.id,
    harness: { name: 'probity', version: input.harnessVersion },
    suites: [],
    seed: settings.seed,
    settings,
    target: { url: input.targetUrl, form: { capabilities: null, execute: null } },
    startedAt: new Date(input.startedAtMs).toISOString(),
    finishedAt: new Date(input.finishedAtMs).toISOString(),
    durationMs: input.finishedAtMs - input.startedAtMs,
    verdict: 'incomplete',
    reachable: true,
    summary: { passed: 0, failed: 0, warnings: 0, inapplicable: 0, undecided: 0 },
    results: [],
    findings: [],
    responseTimes: measurements,
    errors: measurements.flatMap(({ operation, errorKinds }) =>
      errorKinds.map((error) => ({ operation, ...error })),
    ),
    samples: [],
    facts: [],
    exchanges: calls.map(({ exchange }) => exchange),
    bench: input.figures,
  };
}
