import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestResult } from 'probity/model';
import { telemetryIn } from 'probity/service';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReference } from '../../../src/reference/contract.ts';
import { serve } from '../../../test/conforming/serve.ts';
import { eventually } from '../../../test/eventually.ts';
import { startHttpSubject } from '../../../test/mcp/http-subject.ts';
import { type ReadSpan, readTraces } from '../../../test/notify/otlp-reader.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { answer, startTarget, type Target } from '../target.ts';

const TRACE = 'a'.repeat(32);
const CALLER = 'b'.repeat(16);
const CALL = { function: 'f', input: {} };

let target: Target;
let plain: DirectoryUnderTest;
beforeAll(async () => {
  target = await startTarget({ execute: (_, response) => answer(response, 200, { output: {} }) });
  plain = await startDirectory();
  await plain.list('traced', target.url);
});
afterAll(async () => {
  await plain?.stop();
  await target?.close();
});

/** What the target gets of the trace when a caller sends these headers. */
async function passedOn(directory: DirectoryUnderTest, headers: Readonly<Record<string, string>>) {
  expect((await directory.execute('traced', CALL, headers)).status).toBe(200);
  const { traceparent, tracestate } = target.calls.at(-1)?.headers ?? {};
  return { traceparent, tracestate };
}

it.each(['00', '01'])('continues the trace of a caller to the target, with its flag %s', async (flags) => {
  const given = `00-${TRACE}-${CALLER}-${flags}`;
  const { traceparent, tracestate } = await passedOn(plain, {
    traceparent: given,
    tracestate: 'vendor=opaque,other@system=1',
  });
  expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-${flags}$`));
  expect(traceparent).not.toContain(CALLER);
  expect(tracestate).toBe('vendor=opaque,other@system=1');
});

it.each([
  ['no traceparent', {}],
  ['an invalid traceparent', { traceparent: `00-${'0'.repeat(32)}-${CALLER}-01`, tracestate: 'vendor=1' }],
])('sends nothing of a trace to the target after %s', async (_, headers) => {
  expect(await passedOn(plain, headers)).toEqual({ traceparent: undefined, tracestate: undefined });
});

it('sends no invalid tracestate to the target', async () => {
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  for (const tracestate of ['no pair', `a=${'x'.repeat(600)}`, 'Upper=1'])
    expect((await passedOn(plain, { traceparent, tracestate })).tracestate).toBeUndefined();
});

it('exports the spans of sampled requests, and counts those that no collector accepts', async () => {
  const bodies: string[] = [];
  let status = 200;
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(Buffer.concat(chunks).toString());
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  const telemetry = telemetryIn(environment, 'probity-directory');
  try {
    const exporting = await plain.another({ telemetry });
    const { traceparent } = await passedOn(exporting, { traceparent: `00-${TRACE}-${CALLER}-01` });
    await passedOn(exporting, { traceparent: `00-${TRACE}-${'c'.repeat(16)}-00` });
    const fresh = await passedOn(exporting, { traceparent: 'invalid' });
    expect(fresh.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(fresh.traceparent).not.toContain(TRACE);
    // What waits is exported at the end.
    await exporting.stop();
    const [resource] = bodies.flatMap((body) => readTraces(body).resourceSpans);
    expect(JSON.stringify(resource?.resource)).toContain('probity-directory');
    const spans: readonly ReadSpan[] = bodies
      .flatMap((body) => readTraces(body).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    const ofCaller = spans.filter(({ traceId }) => traceId === TRACE);
    const server = ofCaller.find(({ parentSpanId }) => parentSpanId === CALLER);
    expect(server).toMatchObject({ name: 'POST /v1/servers/:serverId/execute', kind: 'SPAN_KIND_SERVER' });
    expect(server?.attributes.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['http.request.method', 'http.response.status_code', 'http.route', 'url.path']),
    );
    const [client, ...others] = ofCaller.filter((span) => span !== server);
    expect(others).toEqual([]);
    expect(client).toMatchObject({ name: 'POST', kind: 'SPAN_KIND_CLIENT', parentSpanId: server?.spanId });
    expect(traceparent).toBe(`00-${TRACE}-${client?.spanId}-01`);

    status = 400;
    const refused = await plain.another({ telemetry });
    // As many as are exported at once.
    for (let call = 0; call < 512; call += 1) await refused.ask('/livez');
    await eventually(refused.metrics, (text) =>
      /^probity_spans_total\{outcome="dropped"\} [1-9]/m.test(text),
    );
    await refused.stop();
  } finally {
    collector.closeAllConnections();
    collector.close();
  }
});

it('continues the trace of a caller in the test that it requests, and in no other', async () => {
  const reference = createReference({ form: 'A' });
  const tested = await serve(async (request) => reference.answer(request));
  try {
    await plain.list('tested', tested.url);
    const route = '/v1/servers/tested/test';
    const traceparent = `00-${TRACE}-${CALLER}-01`;
    const result = await plain.ask(route, { method: 'POST', headers: { traceparent, tracestate: 'a=1' } });
    const { verdict, settings } = (await result.json()) as TestResult;
    expect([result.status, verdict, settings.headerNames]).toEqual([200, 'pass', []]);
    // Requests without the headers of the caller, such as those of a web page, have none.
    const sent = tested.arrived.flatMap(({ headers }) => headers.traceparent ?? []);
    expect([sent.length > tested.arrived.length / 2, new Set(sent).size]).toEqual([true, 1]);
    const [ofJob = ''] = sent;
    expect(ofJob).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(ofJob).not.toContain(CALLER);
    expect(tested.arrived.every(({ headers }) => headers.tracestate === undefined)).toBe(true);
    const before = tested.arrived.length;
    expect((await plain.ask(route, { method: 'POST' })).status).toBe(200);
    const later = tested.arrived.slice(before);
    expect([later.length > 0, later.some(({ headers }) => 'traceparent' in headers)]).toEqual([true, false]);
  } finally {
    await tested.close();
  }
});

it('continues the trace of a caller over a bridge, in `_meta` of the call', async () => {
  const metas: unknown[] = [];
  const subject = await startHttpSubject({
    change: (message, { method, params }) => {
      if (method === 'tools/call') metas.push((params as { _meta?: unknown })._meta);
      return message;
    },
  });
  try {
    await plain.list('bridged', subject.url, { protocol: 'mcp' });
    const call = { function: 'add', input: { a: 1, b: 2 } };
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'vendor=opaque' };
    expect((await plain.execute('bridged', call, headers)).status).toBe(200);
    expect((await plain.execute('bridged', call)).status).toBe(200);
    expect(metas).toEqual([
      {
        traceparent: expect.stringMatching(new RegExp(`^00-${TRACE}-(?!${CALLER})[0-9a-f]{16}-01$`)),
        tracestate: 'vendor=opaque',
      },
      undefined,
    ]);
  } finally {
    await subject.close();
  }
});

it('interrupts an export that hangs when it stops', async () => {
  const closed: Promise<unknown>[] = [];
  const collector = createServer(() => undefined);
  collector.on('connection', (socket) => closed.push(once(socket, 'close')));
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
  };
  try {
    const exporting = await plain.another({ telemetry: telemetryIn(environment, 'probity-directory') });
    await exporting.ask('/livez');
    await exporting.stop();
    // It would keep the process alive.
    expect(closed).toHaveLength(1);
    await closed[0];
  } finally {
    collector.closeAllConnections();
    collector.close();
  }
});
