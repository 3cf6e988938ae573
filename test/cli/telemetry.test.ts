import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

/** The server under test, and below /otlp a collector. */
let server: Server;
let address: string;
let exported: { readonly path: string; readonly key: unknown; readonly body: string }[] = [];
let traceparents: unknown[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      if (path.startsWith('/otlp')) exported.push({ path, key: request.headers['api-key'], body });
      else traceparents.push(request.headers.traceparent);
      response.writeHead(path.startsWith('/otlp/refused') ? 503 : path.startsWith('/otlp') ? 200 : 404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

async function checked(env: Readonly<Record<string, string>>) {
  [exported, traceparents] = [[], []];
  return runCommand(['check', address, '--no-latency', '--only', 'health/*', '--json'], { env });
}

const TRACE = 'c'.repeat(32);

describe('OpenTelemetry', () => {
  test('exports the run with its requests, which name its span', async () => {
    const { code, stdout } = await checked({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${address}/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k-1',
      TRACEPARENT: `00-${TRACE}-${'d'.repeat(16)}-01`,
    });
    expect(code).toBe(1);
    expect(exported.map(({ path }) => path).sort()).toEqual(['/otlp/v1/metrics', '/otlp/v1/traces']);
    for (const { key } of exported) expect(key).toBe('k-1');
    const traces = exported.find(({ path }) => path.endsWith('traces'))?.body ?? '';
    const [header] = traceparents;
    expect(header).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(traces).toContain(`"spanId":"${String(header).split('-')[2]}"`);
    const result = JSON.parse(stdout) as { readonly settings: object };
    expect(result.settings).toMatchObject({ headerNames: [] });
  });

  test('sends no other header and nothing else without a collector', async () => {
    await checked({ TRACEPARENT: `00-${TRACE}-${'d'.repeat(16)}-01` });
    expect(exported).toEqual([]);
    expect(traceparents.length).toBeGreaterThan(0);
    expect(new Set(traceparents)).toEqual(new Set([undefined]));
  });

  test('only warns if the collector refuses', async () => {
    const { code, stderr } = await checked({ OTEL_EXPORTER_OTLP_ENDPOINT: `${address}/otlp/refused` });
    expect(code).toBe(1);
    expect(stderr).toContain('the spans were not exported: it answered with status 503.');
    expect(stderr).toContain('the metrics were not exported: it answered with status 503.');
  });
});
