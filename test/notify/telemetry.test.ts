import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { metricsPayload, tracesPayload } from '../../src/notify/otlp-payload.ts';
import { telemetryIn } from '../../src/notify/telemetry-settings.ts';
import { newTrace, traceparentOf } from '../../src/notify/trace-context.ts';
import { BENCH, EXCHANGES, PASSING, UNREACHABLE, WHOLE } from '../report/formats/cells.ts';
import { finding, resultOf, row } from '../report/results.ts';

const validate = new Ajv({ strict: false, allErrors: true }).compile(
  JSON.parse(readFileSync(new URL('otlp.json', import.meta.url), 'utf8')) as object,
);
const RESOURCE = { 'service.name': 'checks' };
const CONTEXT = newTrace(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`);

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

function spansOf(result: typeof WHOLE): readonly Span[] {
  const { resourceSpans } = tracesPayload(result, RESOURCE, CONTEXT) as {
    readonly resourceSpans: readonly {
      readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
    }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

describe('OTLP in JSON', () => {
  test.each([
    ['whole', WHOLE] as const,
    ['passing', PASSING] as const,
    ['bench', BENCH] as const,
    ['unreachable', UNREACHABLE] as const,
    ['with exchanges', resultOf([], { exchanges: EXCHANGES })] as const,
  ])('is what the protocol describes: %s', (_, result) => {
    for (const payload of [tracesPayload(result, RESOURCE, CONTEXT), metricsPayload(result, RESOURCE)])
      expect(validate(payload), JSON.stringify(validate.errors)).toBe(true);
  });

  test('has a span of the run below that of the job, and one for each exchange below it', () => {
    const [run, ...others] = spansOf(resultOf([row('a/b', 'passed')], { exchanges: EXCHANGES }));
    expect(run).toMatchObject({
      name: 'probity check',
      spanId: CONTEXT.spanId,
      parentSpanId: 'b'.repeat(16),
    });
    expect(others).toHaveLength(EXCHANGES.length);
    expect(new Set(others.map(({ spanId }) => spanId)).size).toBe(EXCHANGES.length);
    for (const { parentSpanId } of others) expect(parentSpanId).toBe(CONTEXT.spanId);
    const [call, read, broken, unanswered] = others;
    expect(BigInt(read?.endTimeUnixNano ?? 0) - BigInt(read?.startTimeUnixNano ?? 0)).toBe(4_000_000n);
    expect(call).toMatchObject({
      name: 'POST',
      attributes: expect.arrayContaining([
        { key: 'http.response.status_code', value: { intValue: '200' } },
        { key: 'server.port', value: { intValue: '3000' } },
      ]),
    });
    expect([call, broken, unanswered].map((span) => span?.status.code)).toEqual([undefined, 2, 2]);
  });

  test('makes hostile texts visible', () => {
    const text = '\u001B[31m\u202E ::error::x';
    const result = resultOf([row('a/b', 'failed')], {
      findings: [finding('a/b', { message: text })],
      target: { url: `http://127.0.0.1/?${text}`, form: { capabilities: null, execute: null } },
      exchanges: EXCHANGES.map((exchange) => ({
        ...exchange,
        request: { ...exchange.request, method: text },
      })),
    });
    const payloads = [tracesPayload(result, RESOURCE, CONTEXT), metricsPayload(result, RESOURCE)];
    expect(JSON.stringify(payloads)).not.toMatch(/\\u001b|\u202E|::error/);
  });
});

describe('the variables of OpenTelemetry', () => {
  test('name no collector by default', () => {
    expect(telemetryIn({})).toMatchObject({ tracesUrl: null, metricsUrl: null, problems: [] });
  });

  test('name the address of both signals, or one for each', () => {
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/otlp/' };
    expect(telemetryIn(base)).toMatchObject({
      tracesUrl: 'http://127.0.0.1:4318/otlp/v1/traces',
      metricsUrl: 'http://127.0.0.1:4318/otlp/v1/metrics',
    });
    expect(
      telemetryIn({
        ...base,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://example.com/spans',
        OTEL_METRICS_EXPORTER: 'none',
      }),
    ).toMatchObject({ tracesUrl: 'https://example.com/spans', metricsUrl: null });
    expect(telemetryIn({ ...base, OTEL_SDK_DISABLED: 'true' })).toMatchObject({
      tracesUrl: null,
      metricsUrl: null,
    });
  });

  test('name headers and the resource', () => {
    expect(
      telemetryIn({
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x=y=z',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=core',
        OTEL_SERVICE_NAME: 'checks',
      }),
    ).toMatchObject({
      headers: { 'api-key': 'a b', x: 'y=z' },
      resource: { 'service.name': 'checks', team: 'core' },
    });
  });

  test('are refused without their value, which may be a secret', () => {
    const { problems } = telemetryIn({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' });
    expect(problems).toEqual([
      'OTEL_EXPORTER_OTLP_ENDPOINT is not an address that begins with http:// or https://',
    ]);
  });

  test.each([
    '',
    'x',
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  ])('start a new trace for the TRACEPARENT %j', (traceparent) => {
    const context = newTrace(traceparent);
    expect(context.parentSpanId).toBeNull();
    expect(traceparentOf(context)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});
