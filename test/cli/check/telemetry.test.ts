import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { MockOtlpServer, normalizeMetrics, normalizeTrace } from '@elastic/mockotlpserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMetrics, readTraces } from '../../notify/otlp-reader.ts';
import { runCommand } from '../run-command.ts';

interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

const HOSTILE = '\u001B[31m\u202E"}] ::error::x';

/** The server under test, and below /otlp a collector. */
let server: Server;
let address: string;
let exported: Request[] = [];
let traceparents: unknown[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = request.url ?? '';
      if (path.startsWith('/otlp')) {
        exported.push({ path, headers: request.headers, body: Buffer.concat(parts) });
        const attempt = exported.filter((one) => one.path === path).length;
        const { status, text = '' } = answerOfCollector(path, attempt);
        response.writeHead(status, { 'retry-after': '0' }).end(text);
        return;
      }
      traceparents.push(request.headers.traceparent);
      response.writeHead(path === '/hostile/health' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: HOSTILE }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function answerOfCollector(
  path: string,
  attempt: number,
): { readonly status: number; readonly text?: string } {
  if (path.startsWith('/otlp/invalid')) return { status: 400 };
  if (path.startsWith('/otlp/refused')) return { status: 503 };
  if (path.startsWith('/otlp/busy')) return { status: attempt === 1 ? 503 : 200 };
  const partialSuccess = PARTIAL[path];
  return partialSuccess === undefined
    ? { status: 200 }
    : { status: 200, text: JSON.stringify({ partialSuccess }) };
}

const PARTIAL: Readonly<Record<string, object>> = {
  '/otlp/partly/v1/traces': { rejectedSpans: '2', errorMessage: HOSTILE },
  '/otlp/partly/v1/metrics': { rejectedDataPoints: '0', errorMessage: 'use v2' },
};

async function checked(env: Readonly<Record<string, string>>, target = address) {
  [exported, traceparents] = [[], []];
  return runCommand(['check', target, '--no-latency', '--only', 'health/*', '--json'], { env });
}

const TRACE = 'c'.repeat(32);
const PATHS = ['/otlp/v1/metrics', '/otlp/v1/traces'];

describe('OpenTelemetry', () => {
  test('exports the run with its requests, which name its span', async () => {
    const { code, stdout } = await checked({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${address}/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k-1',
      TRACEPARENT: `00-${TRACE}-${'d'.repeat(16)}-01`,
    });
    expect(code).toBe(1);
    expect(exported.map(({ path }) => path).sort()).toEqual(PATHS);
    for (const { headers } of exported)
      expect(headers).toMatchObject({
        'api-key': 'k-1',
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^probity\/\d/),
      });
    const traces = exported.find(({ path }) => path.endsWith('traces'))?.body.toString() ?? '';
    const [header] = traceparents;
    expect(header).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(traces).toContain(`"spanId":"${String(header).split('-')[2]}"`);
    const result = JSON.parse(stdout) as { readonly settings: object };
    expect(result.settings).toMatchObject({ headerNames: [] });
  });

  test('compresses the export if the variables say so', async () => {
    const { stderr } = await checked({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${address}/otlp`,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    expect(stderr).not.toContain('warning');
    for (const { path, headers, body } of exported) {
      expect(headers['content-encoding']).toBe('gzip');
      const read = path.endsWith('traces') ? readTraces : readMetrics;
      expect(Object.keys(read(gunzipSync(body).toString()))).toHaveLength(1);
    }
    expect(exported.map(({ path }) => path).sort()).toEqual(PATHS);
  });

  test('sends no other header and nothing else without a collector', async () => {
    await checked({ TRACEPARENT: `00-${TRACE}-${'d'.repeat(16)}-01` });
    expect(exported).toEqual([]);
    expect(traceparents.length).toBeGreaterThan(0);
    expect(new Set(traceparents)).toEqual(new Set([undefined]));
  });

  test('exports again after a temporary failure', async () => {
    const { stderr } = await checked({ OTEL_EXPORTER_OTLP_ENDPOINT: `${address}/otlp/busy` });
    expect(exported).toHaveLength(4);
    expect(stderr).not.toContain('warning');
  });

  test.each([
    ['refused', 503, 6],
    ['invalid', 400, 2],
  ])('only warns if the collector answers %s', async (path, status, requests) => {
    const { code, stderr } = await checked({ OTEL_EXPORTER_OTLP_ENDPOINT: `${address}/otlp/${path}` });
    expect(code).toBe(1);
    expect(exported).toHaveLength(requests);
    expect(stderr).toContain(`the spans were not exported: it answered with status ${status}.`);
    expect(stderr).toContain(`the metrics were not exported: it answered with status ${status}.`);
  });

  test('says what the collector did not accept', async () => {
    const { code, stderr } = await checked({ OTEL_EXPORTER_OTLP_ENDPOINT: `${address}/otlp/partly` });
    expect(code).toBe(1);
    expect(stderr).toContain('warning: the collector rejected 2 of the spans, and says: \\e[31m');
    expect(stderr).not.toMatch(/\u001B\[31m|\u202E|(^|\s)::error/);
    expect(stderr).toContain('warning: the collector accepted all of the metrics, and says: use v2');
    expect(exported).toHaveLength(2);
  });
});

test('an independent receiver accepts what a check exports, with hostile texts', async () => {
  const traces: object[] = [];
  const metrics: object[] = [];
  const collector = new MockOtlpServer({
    services: ['http'],
    httpHostname: '127.0.0.1',
    httpPort: 0,
    logLevel: 'fatal',
    onTrace: (trace: object) => traces.push(trace),
    onMetrics: (received: object) => metrics.push(received),
  });
  await collector.start();
  try {
    const { code, stderr } = await checked(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.httpUrl.href,
        OTEL_SERVICE_NAME: 'checks',
        OTEL_RESOURCE_ATTRIBUTES: `team=${encodeURIComponent(HOSTILE)}`,
      },
      `${address}/hostile`,
    );
    expect(code).toBe(1);
    expect(stderr).not.toContain('warning');
    const [{ resource, scopeSpans } = { resource: { attributes: {} }, scopeSpans: [] }, ...more] =
      traces.flatMap((trace) => normalizeTrace(trace).resourceSpans);
    expect(more).toEqual([]);
    expect(resource.attributes).toMatchObject({ 'service.name': 'checks', 'telemetry.sdk.name': 'probity' });
    const [run, ...calls] = scopeSpans.flatMap(({ spans }) => spans);
    expect(run).toMatchObject({ name: 'probity check', kind: 'SPAN_KIND_INTERNAL' });
    expect(calls.length).toBeGreaterThan(0);
    expect(calls[0]).toMatchObject({
      name: 'GET',
      kind: 'SPAN_KIND_CLIENT',
      parentSpanId: run?.spanId,
      attributes: {
        'http.request.method': 'GET',
        'url.full': `${address}/hostile/health`,
        'server.address': '127.0.0.1',
        'http.response.status_code': 200,
      },
    });
    expect(resource.attributes.team).toContain('\\e[31m');
    expect(JSON.stringify(traces)).not.toMatch(/\\u001b|\u202E|::error/);
    const names = metrics.flatMap((received) =>
      normalizeMetrics(received).resourceMetrics.flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap((scope) => scope.metrics.map(({ name }) => name)),
      ),
    );
    expect(names).toEqual(['probity.requirements', 'probity.run.duration', 'probity.response_time']);
  } finally {
    await collector.close();
  }
});
