import { encodeHistogram } from '../../src/latency/encoded-histogram.ts';
import { estimatePercentiles } from '../../src/latency/percentiles.ts';
import type { Measurement } from '../../src/model/measurement.ts';
import type { TestResult } from '../../src/model/report.ts';
import { severityOf } from '../../src/model/requirement.ts';
import { applyBaseline, baselineOf } from '../../src/report/baseline.ts';
import { histogramOf } from '../latency/histogram-of.ts';
import { CLIENT_VIEW } from './client-view.ts';
import { finding, ROW_KINDS, resultOf, row } from './results.ts';

const LEVELS = ['MUST', 'SHOULD', 'MAY'] as const;

/** A result with every outcome on every level, and with data in every other part. */
export function fullResult(): TestResult {
  const rows = ROW_KINDS.flatMap((kind) =>
    LEVELS.map((level) =>
      row(`${level === 'MUST' ? 'health' : 'execute'}/${kind}-${level.toLowerCase()}`, kind, {
        level,
        text: `What must be so, said by ${kind} and ${level}`,
        ...(kind === 'blocked' ? { blockedBy: 'health/failed-must' } : {}),
        ...(kind === 'inapplicable' ? { reason: 'nothing of the kind is declared' } : {}),
      }),
    ),
  );
  const findings = rows
    .filter(
      ({ outcome, blockedBy }) =>
        outcome === 'failed' || (outcome === 'undecided' && blockedBy === undefined),
    )
    .flatMap(({ id, level, outcome, because }, index) =>
      [0, 1].map((turn) =>
        finding(id, {
          level,
          severity: severityOf(level, 'MUST'),
          outcome: outcome === 'failed' ? 'failed' : 'undecided',
          ...(because === undefined ? {} : { because }),
          fault: outcome === 'failed' ? 'server' : 'harness',
          fingerprint: `${index}${turn}`.padStart(16, 'f'),
          where: {
            suite: 'suites/server/health.suite.yaml',
            line: 10,
            column: 15,
            step: 'health/read',
            function: `forecast-${turn}`,
            pointer: `/result/${turn}`,
          },
        }),
      ),
    );
  return resultOf(rows, {
    findings,
    responseTimes: [
      measurement('health', undefined, 400, 1),
      measurement('execute', 'forecast', 60, 40),
      { operation: 'other', count: 3, errors: 1, minMs: 1, meanMs: 2, maxMs: 3, intervals: {} },
    ],
    errors: [
      { operation: 'execute', code: 'EXECUTION_ERROR', message: 'no such city', status: 500, count: 2 },
    ],
    samples: [
      { function: 'forecast', input: { city: 'Paris' }, output: { celsius: 21.5 }, durationMs: 12.25 },
    ],
    clientView: CLIENT_VIEW,
    facts: [{ name: 'clock offset', text: '0.0 s between the target’s clock and this one' }],
  });
}

/** The same with a baseline: one finding accepted, and an entry that no longer occurs. */
export function resultWithBaseline(): TestResult {
  const result = fullResult();
  const terms = { reason: 'the old clients need it', until: '2026-12-31', all: true };
  const entries = baselineOf(result, terms).entries.filter(
    ({ requirement }) => requirement === 'health/failed-must',
  );
  return applyBaseline(result, {
    entries: [
      ...entries,
      {
        requirement: 'health/passed-must',
        outcome: 'failed',
        fingerprint: 'ffffffffffffffff',
        reason: 'it was broken',
        until: '2026-12-31',
      },
    ],
  });
}

/** Times that rise evenly up to five times the smallest, with one slower call in fifty. */
function measurement(
  operation: Measurement['operation'],
  name: string | undefined,
  count: number,
  leastMs: number,
): Measurement {
  const sorted = Array.from({ length: count }, (_, index) =>
    index % 50 === 49 ? leastMs * 30 : leastMs * (1 + (4 * index) / count),
  ).sort((left, right) => left - right);
  const percentiles = estimatePercentiles(sorted);
  return {
    key: `performance/${operation}${name === undefined ? '' : `[${name}]`}`,
    operation,
    ...(name === undefined ? {} : { function: name }),
    count,
    samples: count,
    errors: 2,
    minMs: sorted[0] ?? 0,
    meanMs: sorted.reduce((sum, ms) => sum + ms, 0) / count,
    maxMs: sorted.at(-1) ?? 0,
    ...Object.fromEntries(percentiles.map(({ percentile, value }) => [`${percentile}Ms`, value])),
    intervals: Object.fromEntries(percentiles.map(({ percentile, interval }) => [percentile, interval])),
    load: {
      model: { kind: 'open', ratePerSecond: 200, arrivals: 'constant', maxConnections: 1 },
      transport: 'lean',
      planned: count,
      attempts: 1,
      stoppedBy: null,
    },
    throughputPerSecond: 200,
    client: null,
    histogram: encodeHistogram(histogramOf(sorted.map((ms) => ms * 1000))),
    unreliable: name === undefined ? [] : ['the client was held up for 8 ms'],
    errorKinds: [{ code: 'HTTP_503', message: 'status 503', status: 503, count: 2 }],
  };
}
