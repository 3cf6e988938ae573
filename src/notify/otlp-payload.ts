import { createHash } from 'node:crypto';
import { type Exchange, NEVER_SENT } from '../model/exchange.ts';
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
/** Of a span: its trace is sampled, and it is known whether its parent is remote; and for a remote parent. */
const SAMPLED = 0x101;
const OF_REMOTE_PARENT = 0x200;

/** A span of the run, with its findings as events, and below it one for each request. Pure. */
export function tracesPayload(result: TestResult, resource: Resource, context: TraceContext): object {
  const view = reportView(result);
  const spans = [
    runSpan(view, context),
    ...result.exchanges
      .filter((exchange) => exchange.kind === 'answered' || !NEVER_SENT.has(exchange.reason.code))
      .map((exchange) => exchangeSpan(exchange, context)),
  ];
  return {
    resourceSpans: [
      { resource: resourceOf(resource, result), scopeSpans: [{ scope: scopeOf(result), spans }] },
    ],
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
    ...(parentSpanId === null ? { flags: SAMPLED } : { parentSpanId, flags: SAMPLED + OF_REMOTE_PARENT }),
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
  const status = exchange.kind === 'answered' ? exchange.response.status : null;
  const failure = exchange.kind === 'unanswered' ? exchange.reason : (exchange.response.bodyProblem ?? null);
  const method = METHODS.has(request.method) ? request.method : null;
  // Many steps provoke a refusal (4xx); a server error is never what they want.
  const errorType = failure?.code ?? (status !== null && status >= 500 ? String(status) : null);
  return {
    traceId,
    spanId: createHash('sha256').update(`${spanId} ${request.key}`).digest('hex').slice(0, 16),
    parentSpanId: spanId,
    flags: SAMPLED,
    name: method ?? 'HTTP',
    kind: CLIENT,
    startTimeUnixNano: nanoOf(timing.startedAtMs),
    endTimeUnixNano: nanoOf(timing.startedAtMs + timing.durationMs),
    attributes: attributes({
      'http.request.method': method ?? '_OTHER',
      ...(method === null ? { 'http.request.method_original': request.method } : {}),
      'url.full': request.url,
      ...(url === null
        ? {}
        : {
            'server.address': url.hostname.replace(/^\[|\]$/g, ''),
            'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
          }),
      ...(status === null ? {} : { 'http.response.status_code': status }),
      ...(errorType === null ? {} : { 'error.type': errorType }),
      'probity.exchange': request.key,
    }),
    status:
      errorType === null
        ? {}
        : { code: ERROR, ...(failure === null ? {} : { message: said(failure.message) }) },
  };
}

/** Other methods would make too many different names: https://opentelemetry.io/docs/specs/semconv/http/http-spans/. */
const METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/** How many requirements are in each state, the duration of the run, and the response times. Pure. */
export function metricsPayload(result: TestResult, resource: Resource): object {
  const { summary, durationMs, responseTimes, target } = reportView(result);
  const timeUnixNano = nanoOf(Date.parse(result.finishedAt));
  const point = (value: object, more: Readonly<Record<string, string>> = {}): object => ({
    timeUnixNano,
    ...value,
    attributes: attributes({ 'url.full': target.url, ...more }),
  });
  const metrics = [
    {
      name: 'probity.requirements',
      description: 'Requirements by outcome',
      unit: '{requirement}',
      gauge: {
        dataPoints: Object.entries(summary).map(([outcome, count]) =>
          point({ asInt: String(count) }, { 'probity.outcome': outcome }),
        ),
      },
    },
    {
      name: 'probity.run.duration',
      description: 'Duration of the run',
      unit: 's',
      gauge: { dataPoints: [point({ asDouble: durationMs / 1000 })] },
    },
    {
      name: 'probity.response_time',
      description: 'Response times by operation and figure',
      unit: 's',
      gauge: {
        dataPoints: responseTimes.flatMap((times) =>
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
        ),
      },
    },
  ].filter(({ gauge }) => gauge.dataPoints.length > 0);
  return {
    resourceMetrics: [
      { resource: resourceOf(resource, result), scopeMetrics: [{ scope: scopeOf(result), metrics }] },
    ],
  };
}

const FIGURES = ['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;

function resourceOf(resource: Resource, { harness }: TestResult): object {
  const sdk = {
    'telemetry.sdk.name': 'probity',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': harness.version,
  };
  return { attributes: attributes({ ...resource, ...sdk }) };
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
