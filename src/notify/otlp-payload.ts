import { createHash } from 'node:crypto';
import type { Exchange } from '../model/exchange.ts';
import { shorten } from '../model/json.ts';
import type { TestResult } from '../model/report.ts';
import { visible } from '../model/visible.ts';
import { type ReportView, reportView } from '../report/view/report-view.ts';
import type { TraceContext } from './trace-context.ts';

/*
 * The JSON of OTLP (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids are hexadecimal, 64-bit
 * integers are texts.
 */

type Resource = Readonly<Record<string, string>>;
type AttributeValue = string | number;

const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;
const MAX_EVENTS = 100;
const MAX_CHARACTERS = 1000;

/** A span of the run, with its findings as events, and below it one for each exchange. Pure. */
export function tracesPayload(result: TestResult, resource: Resource, context: TraceContext): object {
  const view = reportView(result);
  const spans = [
    runSpan(view, context),
    ...result.exchanges.map((exchange) => exchangeSpan(exchange, context)),
  ];
  return {
    resourceSpans: [{ resource: resourceOf(resource), scopeSpans: [{ scope: scopeOf(result), spans }] }],
  };
}

function runSpan(view: ReportView, { traceId, spanId, parentSpanId }: TraceContext): object {
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
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
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
    status: view.mark === 'pass' || view.mark === 'measured' ? {} : { code: ERROR, message: view.words },
  };
}

function exchangeSpan(exchange: Exchange, { traceId, spanId }: TraceContext): object {
  const { request, timing } = exchange;
  const url = URL.canParse(request.url) ? new URL(request.url) : null;
  const failure = exchange.kind === 'unanswered' ? exchange.reason : (exchange.response.bodyProblem ?? null);
  return {
    traceId,
    spanId: createHash('sha256').update(`${spanId} ${request.key}`).digest('hex').slice(0, 16),
    parentSpanId: spanId,
    name: said(request.method),
    kind: CLIENT,
    startTimeUnixNano: nanoOf(timing.startedAtMs),
    endTimeUnixNano: nanoOf(timing.startedAtMs + timing.durationMs),
    attributes: attributes({
      'http.request.method': request.method,
      'url.full': request.url,
      ...(url === null
        ? {}
        : {
            'server.address': url.hostname,
            'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
          }),
      ...(exchange.kind === 'answered' ? { 'http.response.status_code': exchange.response.status } : {}),
      ...(failure === null ? {} : { 'error.type': failure.code }),
      'probity.exchange': request.key,
    }),
    // A refusal may be what a step expects, so that a status alone is no error.
    status: failure === null ? {} : { code: ERROR, message: said(failure.message) },
  };
}

/** How many requirements are in each state, the duration of the run, and the response times. Pure. */
export function metricsPayload(result: TestResult, resource: Resource): object {
  const { summary, durationMs, responseTimes, target } = reportView(result);
  const timeUnixNano = nanoOf(Date.parse(result.finishedAt));
  const point = (value: number, more: Readonly<Record<string, string>> = {}): object => ({
    timeUnixNano,
    ...(Number.isInteger(value) ? { asInt: String(value) } : { asDouble: value }),
    attributes: attributes({ 'url.full': target.url, ...more }),
  });
  const metrics = [
    {
      name: 'probity.requirements',
      description: 'Requirements by outcome',
      unit: '{requirement}',
      gauge: { dataPoints: Object.entries(summary).map(([outcome, count]) => point(count, { outcome })) },
    },
    {
      name: 'probity.run.duration',
      description: 'Duration of the run',
      unit: 'ms',
      gauge: { dataPoints: [point(durationMs)] },
    },
    {
      name: 'probity.response_time',
      description: 'Response times by operation and figure',
      unit: 'ms',
      gauge: {
        dataPoints: responseTimes.flatMap((times) =>
          FIGURES.flatMap((name) => {
            const value = times[`${name}Ms`];
            const { operation, function: functionName } = times;
            const about = {
              operation,
              figure: name,
              ...(functionName === undefined ? {} : { function: functionName }),
            };
            return value === undefined ? [] : [point(value, about)];
          }),
        ),
      },
    },
  ].filter(({ gauge }) => gauge.dataPoints.length > 0);
  return {
    resourceMetrics: [
      { resource: resourceOf(resource), scopeMetrics: [{ scope: scopeOf(result), metrics }] },
    ],
  };
}

const FIGURES = ['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;

function resourceOf(resource: Resource): object {
  return { attributes: attributes(resource) };
}

function scopeOf({ harness }: TestResult): object {
  return { name: 'probity', version: harness.version };
}

function attributes(values: Readonly<Record<string, AttributeValue>>): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: said(value) },
  }));
}

/** Texts of a target are shown in other tools, too. */
function said(text: string): string {
  return shorten(visible(text), MAX_CHARACTERS);
}

/** To microseconds: more is lost in a Unix time in milliseconds. */
function nanoOf(unixMs: number): string {
  return String(BigInt(Math.round(unixMs * 1000)) * 1000n);
}
