import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/model/exchange.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { HttpExchange } from '../../src/model/sent.ts';
import { metricsPayload, tracesPayload } from '../../src/notify/otlp-payload.ts';
import { telemetryIn } from '../../src/notify/telemetry-settings.ts';
import { isSampled, newSpan, newTrace, traceparentOf } from '../../src/notify/trace-context.ts';
import { BENCH, EXCHANGES, PASSING, UNREACHABLE, WHOLE } from '../report/formats/cells.ts';
import { finding, resultOf, row } from '../report/results.ts';
import {
  type ReadAttribute,
  type ReadMetric,
  type ReadSpan,
  readMetrics,
  readTraces,
} from './otlp-reader.ts';

const RESOURCE = { 'service.name': 'checks' };
const CONTEXT = newTrace(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`);

const tracesOf = (result: TestResult) => readTraces(JSON.stringify(tracesPayload(result, RESOURCE, CONTEXT)));
const metricsOf = (result: TestResult) => readMetrics(JSON.stringify(metricsPayload(result, RESOURCE)));

function spansIn(result: TestResult): readonly ReadSpan[] {
  return tracesOf(result).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

function metricsIn(result: TestResult): readonly ReadMetric[] {
  return metricsOf(result).resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics),
  );
}

function named(attributes: readonly ReadAttribute[] = []): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}

/** Without those of which no request went out. */
const sentIn = ({ exchanges }: Pick<TestResult, 'exchanges'>): readonly Exchange[] =>
  exchanges.filter((exchange) => exchange.kind !== 'unanswered' || exchange.reason.code !== 'no-valid-input');

const exchangesAs = (change: (exchange: HttpExchange) => HttpExchange): TestResult =>
  resultOf([], { exchanges: EXCHANGES.map(change) });

describe('OTLP in JSON, read with the official definitions of the protocol', () => {
  test.each([
    ['whole', WHOLE] as const,
    ['passing', PASSING] as const,
    ['bench', BENCH] as const,
    ['unreachable', UNREACHABLE] as const,
    ['with exchanges', resultOf([], { exchanges: EXCHANGES })] as const,
  ])('is complete: %s', (_, result) => {
    const resource = {
      'service.name': 'checks',
      'telemetry.sdk.name': 'probity',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': result.harness.version,
    };
    const { resourceSpans } = tracesOf(result);
    const { resourceMetrics } = metricsOf(result);
    for (const part of [...resourceSpans, ...resourceMetrics])
      expect(named(part.resource.attributes)).toEqual(resource);
    const scopes = [
      ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans),
      ...resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics),
    ];
    expect(scopes.map(({ scope }) => scope)).toEqual(
      Array.from({ length: 2 }, () => ({ name: 'probity', version: result.harness.version })),
    );
    const [run, ...exchanges] = spansIn(result);
    expect(run?.kind).toBe('SPAN_KIND_INTERNAL');
    expect(run?.startTimeUnixNano).toBe(`${Date.parse(result.startedAt)}000000`);
    expect(run?.endTimeUnixNano).toBe(`${Date.parse(result.finishedAt)}000000`);
    expect(exchanges).toHaveLength(sentIn(result).length);
    for (const span of exchanges) {
      expect(span).toMatchObject({ kind: 'SPAN_KIND_CLIENT', traceId: 'a'.repeat(32), flags: 0x101 });
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    for (const { name, data, gauge } of metricsIn(result)) {
      expect([name, data]).toEqual([name, 'gauge']);
      // A metric whose numbers change their type is refused by some backends.
      const type = name === 'probity.requirements' ? 'asInt' : 'asDouble';
      expect(new Set(gauge.dataPoints.map(({ value }) => value))).toEqual(new Set([type]));
      for (const { timeUnixNano } of gauge.dataPoints)
        expect(timeUnixNano).toBe(`${Date.parse(result.finishedAt)}000000`);
    }
  });

  test('has a span of the run below that of the job, and one for each request below it', () => {
    const [run, ...others] = spansIn(resultOf([row('a/b', 'passed')], { exchanges: EXCHANGES }));
    expect(run).toMatchObject({
      name: 'probity check',
      spanId: CONTEXT.spanId,
      parentSpanId: 'b'.repeat(16),
      flags: 0x301,
    });
    const sent = sentIn({ exchanges: EXCHANGES });
    expect(sent.length).toBeLessThan(EXCHANGES.length);
    expect(others).toHaveLength(sent.length);
    expect(new Set(others.map(({ spanId }) => spanId)).size).toBe(sent.length);
    for (const { parentSpanId } of others) expect(parentSpanId).toBe(CONTEXT.spanId);
    const [call, read, broken, unanswered] = others;
    expect(BigInt(read?.endTimeUnixNano ?? 0) - BigInt(read?.startTimeUnixNano ?? 0)).toBe(4_000_000n);
    expect(call?.name).toBe('POST');
    expect(named(call?.attributes)).toMatchObject({
      'http.request.method': 'POST',
      'url.full': EXCHANGES[0]?.request.url,
      'http.response.status_code': '200',
      'server.port': '3000',
    });
    expect(named(call?.attributes)).not.toHaveProperty('error.type');
    expect([call, broken, unanswered].map((span) => span?.status.code)).toEqual([
      undefined,
      'STATUS_CODE_ERROR',
      'STATUS_CODE_ERROR',
    ]);
    expect(named(unanswered?.attributes)['error.type']).toBe('connection-refused');
  });

  test.each([
    [404, undefined, undefined],
    [503, 'STATUS_CODE_ERROR', '503'],
  ])('has for the status %i the span status %s', (status, code, errorType) => {
    const spans = spansIn(
      exchangesAs((exchange) =>
        exchange.kind === 'answered' ? { ...exchange, response: { ...exchange.response, status } } : exchange,
      ),
    );
    const [, call] = spans;
    expect(call?.status).toEqual(code === undefined ? {} : { code });
    expect(named(call?.attributes)['error.type']).toBe(errorType);
  });

  test('names unusual methods and addresses as the conventions say', () => {
    const [, call] = spansIn(
      exchangesAs((exchange) => ({
        ...exchange,
        request: { ...exchange.request, method: 'BREW', url: 'https://[::1]/health' },
      })),
    );
    expect(call?.name).toBe('HTTP');
    expect(named(call?.attributes)).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'BREW',
      'server.address': '::1',
      'server.port': '443',
    });
  });

  test('has the counts and times of the result', () => {
    const metrics = metricsIn(WHOLE);
    const points = (name: string) =>
      metrics
        .find((metric) => metric.name === name)
        ?.gauge.dataPoints.map((point) => {
          const { 'url.full': _, ...about } = named(point.attributes);
          return [about, Number(point.asInt ?? point.asDouble)] as const;
        }) ?? [];
    expect(metrics.map(({ name, unit }) => [name, unit])).toEqual([
      ['probity.requirements', '{requirement}'],
      ['probity.run.duration', 's'],
      ['probity.response_time', 's'],
    ]);
    expect(points('probity.requirements')).toContainEqual([
      { 'probity.outcome': 'failed' },
      WHOLE.summary.failed,
    ]);
    expect(points('probity.run.duration')).toEqual([[{}, WHOLE.durationMs / 1000]]);
    const timed = WHOLE.responseTimes.find(({ function: name, p50Ms }) => name !== undefined && p50Ms);
    expect(points('probity.response_time')).toContainEqual([
      {
        'probity.operation': timed?.operation,
        'probity.function': timed?.function,
        'probity.figure': 'p50',
      },
      (timed?.p50Ms ?? 0) / 1000,
    ]);
  });

  test('makes hostile texts visible', () => {
    const text = '\u001B[31m\u202E\uD800 ::error::x \uFFFE"}]';
    const result = resultOf([row('a/b', 'failed')], {
      findings: [finding('a/b', { message: text })],
      target: { url: `http://127.0.0.1/?${text}`, form: { capabilities: null, execute: null } },
      exchanges: EXCHANGES.map((exchange) => ({
        ...exchange,
        request: { ...exchange.request, method: text, url: `http://127.0.0.1/?${text}` },
      })),
    });
    const read = JSON.stringify([tracesOf(result), metricsOf(result)]);
    expect(read).not.toMatch(/\\u001b|\u202E|\\ud800|\uFFFD|\uFFFE|::error/);
    const [run, call] = spansIn(result);
    expect(named(run?.events?.[0]?.attributes)['probity.requirement.reason']).toContain('\\e[31m');
    expect(named(call?.attributes)['http.request.method_original']).toContain('"}]');
  });
});

describe('the variables of OpenTelemetry', () => {
  const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/otlp/' };
  const urlsIn = (environment: Readonly<Record<string, string>>) => {
    const { traces, metrics } = telemetryIn(environment);
    return [traces?.url ?? null, metrics?.url ?? null];
  };

  test('name no collector by default', () => {
    expect(telemetryIn({})).toMatchObject({ traces: null, metrics: null, problems: [] });
  });

  test('name the address of both signals, or one for each', () => {
    const [traces, metrics] = [
      'http://127.0.0.1:4318/otlp/v1/traces',
      'http://127.0.0.1:4318/otlp/v1/metrics',
    ];
    expect(urlsIn(BASE)).toEqual([traces, metrics]);
    const own = 'https://example.com/spans?key=1';
    expect(urlsIn({ ...BASE, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own })).toEqual([own, metrics]);
    expect(urlsIn({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318' })).toEqual([
      'http://127.0.0.1:4318/',
      null,
    ]);
  });

  test.each<[variables: Readonly<Record<string, string>>, traces: boolean, metrics: boolean]>([
    [{ OTEL_METRICS_EXPORTER: 'none' }, true, false],
    [{ OTEL_TRACES_EXPORTER: 'console' }, false, true],
    [{ OTEL_TRACES_EXPORTER: 'console, otlp' }, true, true],
    [{ OTEL_TRACES_EXPORTER: '' }, true, true],
    [{ OTEL_SDK_DISABLED: 'True' }, false, false],
    [{ OTEL_SDK_DISABLED: '1' }, true, true],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, true, true],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, false, false],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }, true, false],
  ])('choose what is sent: %j', (variables, traces, metrics) => {
    expect(urlsIn({ ...BASE, ...variables }).map((url) => url !== null)).toEqual([traces, metrics]);
  });

  test('name headers, time limit and compression, for both signals or for one', () => {
    const variables = {
      ...BASE,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x=y=z',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'api-key=m',
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '700',
      OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: 'none',
    };
    expect(telemetryIn(variables)).toMatchObject({
      traces: { headers: { 'api-key': 'a b', x: 'y=z' }, timeoutMs: 500, compression: 'gzip' },
      metrics: { headers: { 'api-key': 'm' }, timeoutMs: 700, compression: 'none' },
      problems: [],
    });
    expect(telemetryIn(BASE).traces).toEqual({
      url: 'http://127.0.0.1:4318/otlp/v1/traces',
      headers: {},
      timeoutMs: 10_000,
      compression: 'none',
      tls: [],
    });
  });

  test('name the resource', () => {
    const variables = {
      ...BASE,
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=a%2Cb',
      OTEL_SERVICE_NAME: 'checks',
    };
    expect(telemetryIn(variables).resource).toEqual({ 'service.name': 'checks', team: 'a,b' });
    expect(telemetryIn(BASE).resource).toEqual({ 'service.name': 'probity' });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4317', 'an address that begins with http:// or https://'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'exports over HTTP only'],
    ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', '-7', 'The limit is 10000 ms'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd', 'not compressed'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 's3cret', 'is ignored'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=s3cret%0A', 'is ignored'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'team=s3cret%', 'is ignored'],
    ['OTEL_TRACES_SAMPLER', 's3cret', 'is ignored'],
  ])('are refused without their value, which may be a secret: %s=%s', (name, value, consequence) => {
    const { problems, resource } = telemetryIn({ ...BASE, [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} is .+${consequence}`));
    expect(problems[0]).not.toMatch(/s3cret|4317|zstd|-7/);
    expect(resource).toEqual({ 'service.name': 'probity' });
  });

  test.each<[variables: Readonly<Record<string, string>>, fresh: number, below: readonly [boolean, boolean]]>(
    [
      [{}, 1, [true, false]],
      [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on' }, 1, [true, false]],
      [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 0, [true, false]],
      [
        { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
        0.25,
        [true, false],
      ],
      [{ OTEL_TRACES_SAMPLER: 'always_on' }, 1, [true, true]],
      [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0, [false, false]],
      [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, 0, [false, false]],
    ],
  )('choose which traces are exported: %j', (variables, fresh, below) => {
    const { sampler } = telemetryIn({ ...BASE, ...variables });
    const { traceId } = newSpan(null, sampler);
    if (fresh !== 0.25) expect(isSampled(sampler, traceId, null)).toBe(fresh === 1);
    expect([true, false].map((isParentSampled) => isSampled(sampler, traceId, isParentSampled))).toEqual(
      below,
    );
  });

  test('samples the given share of trace ids', () => {
    const { sampler } = telemetryIn({
      ...BASE,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    const ids = Array.from(
      { length: 256 },
      (_, index) => `${'a'.repeat(19)}${index.toString(16).padStart(2, '0')}${'0'.repeat(11)}`,
    );
    expect(ids.filter((id) => isSampled(sampler, id, null))).toEqual(ids.slice(192));
  });

  test.each([
    '',
    'x',
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`,
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  ])('start a new trace for the TRACEPARENT %j', (traceparent) => {
    const context = newTrace(traceparent);
    expect(context.parentSpanId).toBeNull();
    expect(traceparentOf(context)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});
