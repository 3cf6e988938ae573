import { checkServer } from 'probity';
import { messageMethod, type TestResult } from 'probity/model';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMcpReferenceServer } from '../../../src/reference/mcp/http.ts';
import { type HttpSubjectOptions, startHttpSubject } from '../../../test/mcp/http-subject.ts';
import {
  capabilitiesOfTest,
  failedOnOurSide,
  observationsOfTest,
} from '../../src/checking/observations-of-test.ts';
import { Bridges } from '../../src/targets/bridges.ts';
import { createTargetPool, readCapabilities, validCapabilities } from '../../src/targets/target-client.ts';
import { listingOf } from '../entries/listings.ts';

async function subject(options: HttpSubjectOptions) {
  const server = await startHttpSubject(options);
  onTestFinished(server.close);
  return server.url;
}

const check = (url: string): Promise<TestResult> => checkServer(url, { mcp: {}, latency: { off: true } });

/** The operations, states and times that a test shows, with the methods of what was sent in that millisecond. */
function observed(result: TestResult) {
  const sentAt = (at: Date) =>
    result.exchanges
      .filter(({ timing }) => timing.startedAtMs === at.getTime())
      .map(({ request }) => messageMethod(request));
  return observationsOfTest('it', result).map(({ operation, up, duration_ms, at }) => ({
    operation,
    up,
    isTimed: duration_ms !== null,
    methods: sentAt(at),
  }));
}

describe('what the directory keeps of a test of a server of the Model Context Protocol', () => {
  it.each([
    ['on one page', { only: ['add', 'greet', 'show'] }],
    ['on several pages', { only: ['add', 'greet', 'show'], pageSize: 1 }],
    ['on pages that never end', { only: ['add', 'greet', 'show'], pageSize: 2, endless: true }],
    ['in streams of events', { only: ['add', 'greet', 'show'], answers: 'events' }],
  ] satisfies (readonly [string, HttpSubjectOptions])[])(
    'has the capabilities that the gateway reads: tools %s',
    async (_name, options) => {
      const url = await subject(options);
      const settings = { publicOnly: false, ca: null, environment: {}, callTimeoutMs: 60_000 };
      const pool = createTargetPool(settings);
      const bridges = new Bridges(settings);
      const targets = { settings, pool, bridges, ending: new AbortController().signal };
      const entry = { id: 'it', endpoint: url, listing: listingOf('it', url, { protocol: 'mcp' }) };
      const record = validCapabilities(await readCapabilities(entry, targets));
      await bridges.close();
      await pool.close();
      expect(record).toMatchObject({ server: { name: 'subject', transport: 'streamable HTTP' } });
      expect(capabilitiesOfTest(await check(url))).toEqual(record);
    },
  );

  it('has the state and the time by ping in the session era', async () => {
    const result = await check(await subject({ only: ['add', 'greet'] }));
    expect(observed(result)).toEqual([
      { operation: 'health', up: true, isTimed: true, methods: expect.arrayContaining(['ping']) },
      { operation: 'capabilities', up: null, isTimed: true, methods: expect.arrayContaining(['tools/list']) },
      { operation: 'execute', up: null, isTimed: true, methods: expect.arrayContaining(['tools/call']) },
      { operation: 'execute', up: null, isTimed: true, methods: expect.arrayContaining(['tools/call']) },
    ]);
  });

  it('has them by server/discover in the stateless era', async () => {
    const server = await startMcpReferenceServer({});
    onTestFinished(server.close);
    const result = await check(server.url);
    expect(result.target.conversation).toEqual({ channel: 'http', era: 'stateless' });
    expect(observed(result)[0]).toEqual({
      operation: 'health',
      up: true,
      isTimed: true,
      methods: expect.arrayContaining(['server/discover']),
    });
    expect(capabilitiesOfTest(result)).toMatchObject({ server: { name: 'probity-reference' } });
  });

  it.each([
    // It is alive.
    ['that wants a key', { intercept: () => ({ status: 401 }) }, true],
    ['that opens no session', { intercept: () => ({ status: 500 }) }, false],
    [
      'that asks for a pause',
      { intercept: () => ({ status: 429, headers: { 'retry-after': '1800' } }) },
      null,
    ],
    ['whose ping fails', { change: (message, { method }) => (method === 'ping' ? {} : message) }, false],
  ] satisfies (readonly [string, HttpSubjectOptions, boolean | null])[])(
    'has the state of a server %s',
    async (_name, options, up) => {
      const result = await check(await subject({ only: ['add'], ...options }));
      expect(observed(result)[0]).toMatchObject({ operation: 'health', up, isTimed: false });
      expect(failedOnOurSide(result)).toBe(false);
    },
  );

  it('has the state of a server that is not there', async () => {
    const server = await startHttpSubject();
    await server.close();
    const result = await check(server.url);
    expect(observed(result)).toMatchObject([{ operation: 'health', up: false, isTimed: false }]);
    expect(capabilitiesOfTest(result)).toBeNull();
  });
});
