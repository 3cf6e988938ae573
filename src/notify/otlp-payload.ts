import { createHash } from 'node:crypto';
import type { Exchange } from '../model/exchange.ts';
import type { TestResult } from '../model/report.ts';
import { type ReportView, reportView } from '../report/view/report-view.ts';
import {
  attributes,
  ERROR_STATUS,
  exchangeSpan,
  idsOf,
  isSent,
  nanoOf,
  type Resource,
  resourceOf,
  scopeOf,
  spansPayload,
} from './otlp-spans.ts';
import type { TraceContext } from './trace-context.ts';

const INTERNAL = 1;
const MAX_EVENTS = 100;

/*
 * OpenTelemetry's data as JSON, instead of its SDK, because a command that ends after a check needs none of its batches,
 * contexts and instruments (measured on a busy machine: the SDK with its HTTP exporters is 55 MB of packages and takes .8 s
 * to load).
 */

/** A span of the run, with its findings as events, and below it one for each request. Pure. */
export function tracesPayload(result: TestResult, resource: Resource, context: TraceContext): object {
  const view = reportView(result);
  const spans = [
    runSpan(view, context),
    ...result.exchanges.filter(isSent).map((exchange) => exchangeSpan(exchange, idsBelow(context, exchange))),
  ];
  return spansPayload(spans, resource, result.harness.version);
}

/** Derived, so that a payload depends only on its arguments. */
function idsBelow({ traceId, spanId }: TraceContext, { request }: Exchange) {
  const id = createHash('sha256').update(`${spanId} ${request.key}`).digest('hex').slice(0, 16);
  return { traceId, spanId: id, parentSpanId: spanId };
}

function runSpan(view: ReportView, context: TraceContext): object {
  const startNano = nanoOf(Date.parse(view.startedAt));
  const endNano = nanoOf(Date.parse(view.finishedAt));
  const events = view.toFix.slice(0, MAX_EVENTS).map(({ id, level, state, reason }) => ({
    timeUnixNano: endNano,
    name: 'probity.requirement',
    attributes: attributes({
      'probity.requirement.id': id,
      'probity.requirement.level': level,
      'probity.requirement.state': state,
      'probity.requirement.reason': reason,
    }),
  }));
  return {
    ...idsOf(context, { isParentRemote: true }),
    name: 'probity check',
    kind: INTERNAL,
    startTimeUnixNano: startNano,
    endTimeUnixNano: endNano,
    attributes: attributes({
      'url.full': view.target.url,
      'probity.report.id': view.id,
      'probity.verdict': view.mark,
    }),
    events,
    droppedEventsCount: Math.max(0, view.toFix.length - MAX_EVENTS),
    status:
      view.mark === 'pass' || view.mark === 'measured' ? {} : { code: ERROR_STATUS, message: view.words },
  };
}

/** How many requirements are in each state, the duration of the run, and the response times. Pure. */
export function metricsPayload(result: TestResult, resource: Resource): object {
  const { summary, durationMs, responseTimes, target } = reportView(result);
  const timeUnixNano = nanoOf(Date.parse(result.finishedAt));
  const point = (value: object, more: Readonly<Record<string, string>> = {}): object => ({
    timeUnixNano,
    ...value,
    attributes: attributes({ 'url.full': target.url, ...more }),
  });
  const byOutcome = Object.entries(summary).map(([outcome, count]) =>
    point({ asInt: String(count) }, { 'probity.outcome': outcome }),
  );
  const byFigure = responseTimes.flatMap((times) =>
    FIGURES.flatMap((name) => {
      const value = times[`${name}Ms`];
      const { operation, function: functionName } = times;
      const about = {
        'probity.operation': operation,
        'probity.figure': name,
        ...(functionName === undefined ? {} : { 'probity.function': functionName }),
      };
      return value === undefined ? [] : [point({ asDouble: value / 1000 }, about)];
    }),
  );
  const duration = point({ asDouble: durationMs / 1000 });
  const metrics = [
    gauge('probity.requirements', 'Requirements by outcome', '{requirement}', byOutcome),
    gauge('probity.run.duration', 'Duration of the run', 's', [duration]),
    gauge('probity.response_time', 'Response times by operation and figure', 's', byFigure),
  ].filter(({ gauge: { dataPoints } }) => dataPoints.length > 0);
  return {
    resourceMetrics: [
      {
        resource: resourceOf(resource, result.harness.version),
        scopeMetrics: [{ scope: scopeOf(result.harness.version), metrics }],
      },
    ],
  };
}

function gauge(name: string, description: string, unit: string, dataPoints: readonly object[]) {
  return { name, description, unit, gauge: { dataPoints } };
}

const FIGURES = ['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;
