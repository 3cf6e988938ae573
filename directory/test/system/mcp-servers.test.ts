import type { ServerDetails, ServerRecord, TestResult } from 'probity/model';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { type HttpSubjectOptions, startHttpSubject } from '../../../test/mcp/http-subject.ts';
import { QUEUE_NAMES } from '../../src/settings/settings.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { startTarget, type Target } from '../target.ts';

const MINIMAL = { only: ['add'] } satisfies HttpSubjectOptions;
const SUM = { function: 'add', input: { a: 2, b: 3 } };

async function subject(options: HttpSubjectOptions = MINIMAL) {
  const server = await startHttpSubject(options);
  onTestFinished(server.close);
  return server;
}

describe('a server of the Model Context Protocol in a directory', () => {
  let directory: DirectoryUnderTest;
  let web: Target;

  beforeAll(async () => {
    directory = await startDirectory({ environment: { PROBITY_TARGET_KEYED: 'a-secret-token' } });
    // Serves the documents that listings name.
    web = await startTarget({ execute: (_call, response) => response.end('a document') });
  });
  afterAll(async () => {
    await directory.stop();
    await web.close();
  });

  const listingAt = (id: string, endpoint: string, more: Parameters<typeof listingOf>[2] = {}) =>
    listingOf(id, endpoint, {
      protocol: 'mcp',
      repository: `${web.url}/source`,
      documentation: `${web.url}/docs`,
      ...more,
    });
  const found = async (q: string): Promise<readonly ServerRecord[]> => {
    const answer = await directory.ask(`/v1/servers/search?q=${q}`);
    return ((await answer.json()) as { servers: readonly ServerRecord[] }).servers;
  };
  const page = async (route: string): Promise<string> =>
    (await directory.ask(route, { headers: { accept: 'text/html' } })).text();

  it.each(['json', 'events'] as const)(
    'is tested, listed, found, called and shown, with answers as %s',
    async (answers) => {
      const server = await subject({ ...MINIMAL, answers });
      const id = `adder-${new URL(server.url).port}`;
      await directory.add(listingAt(id, server.url, { description: `Adds for ${id}` }));
      const result = (await (await directory.test(id)).json()) as TestResult;
      const { verdict, listingDecision, settings, target, responseTimes, findings } = result;
      // The audit is optional.
      expect({ verdict, listingDecision, findings: findings.map((finding) => finding.id) }).toEqual({
        verdict: 'pass',
        listingDecision: 'list',
        findings: ['listing/security-audit'],
      });
      expect(target).toMatchObject({
        url: server.url,
        name: 'subject',
        version: '1.2.3',
        mcpVersion: '2025-11-25',
        conversation: { channel: 'http', era: 'session' },
      });
      expect(settings.mcp).toMatchObject({ address: server.url, channel: 'http' });
      const measured = new Set(responseTimes.map((times) => times.operation));
      expect([...measured]).toEqual(expect.arrayContaining(['health', 'capabilities', 'execute']));

      await directory.decide(id);
      const [record, ...others] = await found(id);
      expect(others).toEqual([]);
      expect(record).toMatchObject({ id, endpoint: server.url, protocol: 'mcp', uptime: 100 });
      const details = await directory.details(id);
      expect(details).toMatchObject({ protocol: 'mcp', status: 'up', listing: { decision: 'list' } });
      expect(details.functions.map(({ name }) => name)).toEqual(['add']);

      const called = await directory.execute(id, SUM);
      expect(called).toMatchObject({ status: 200, body: { output: { sum: 5 }, server: id } });
      expect(await page(`/servers/${id}`)).toContain('Model Context Protocol');
      expect(await page(`/?q=${id}`)).toContain('Model Context Protocol');
    },
  );

  it('leaves no trace of the bridge in what it stores and shows', async () => {
    const server = await subject();
    await directory.add(listingAt('traceless', server.url));
    const result = await (await directory.test('traceless')).text();
    const allowed = [server.url, web.url, 'http://127.0.0.1:3000'];
    const shown = [
      result,
      JSON.stringify(await directory.details('traceless')),
      await page('/servers/traceless'),
    ].join('\n');
    const others = shown.match(/(?:127\.0\.0\.1|localhost|\[::1\]):\d+/g) ?? [];
    const hosts = new Set([...allowed, directory.url].map((url) => new URL(url).host));
    expect(others.length).toBeGreaterThan(0);
    expect([...new Set(others)].filter((host) => !hosts.has(host))).toEqual([]);
  });

  it('reports a server that breaks its own output schema', async () => {
    const server = await subject({ ...MINIMAL, wrongSums: true });
    await directory.add(listingAt('wrong', server.url));
    const result = (await (await directory.test('wrong')).json()) as TestResult;
    expect(result).toMatchObject({ verdict: 'fail', listingDecision: 'reject' });
    const finding = result.findings.find(({ id }) => id === 'mcp/structured-content');
    expect(finding).toMatchObject({ fault: 'server', request: { url: server.url } });
    expect(finding?.check).toContain(`probity check --mcp ${server.url} `);
    await directory.decide('wrong');
    expect(await directory.execute('wrong', SUM)).toMatchObject({
      status: 403,
      body: { code: 'server-rejected' },
    });
  });

  it('is not listed when its messages break the protocol', async () => {
    const server = await subject({ ...MINIMAL, notified: 200 });
    await directory.add(listingAt('unaccepting', server.url));
    const result = (await (await directory.test('unaccepting')).json()) as TestResult;
    expect(result).toMatchObject({ verdict: 'fail', listingDecision: 'reject' });
    const failed = result.results.filter(({ level, outcome }) => level === 'MUST' && outcome === 'failed');
    expect(failed.map(({ id }) => id)).toEqual(['mcp/http-notification-accepted', 'listing/mcp-support']);
  });

  it('gets the token of its entry, which is in no answer', async () => {
    const server = await subject({
      ...MINIMAL,
      change: (message) => JSON.parse(JSON.stringify(message).replaceAll('Adds', 'a-secret-token adds')),
    });
    await directory.add(listingAt('keyed', server.url, { bearerEnv: 'PROBITY_TARGET_KEYED' }));
    const result = await (await directory.test('keyed')).text();
    expect(JSON.parse(result)).toMatchObject({ verdict: 'pass' });
    const called = await directory.execute('keyed', SUM);
    expect(called).toMatchObject({ status: 200, body: { output: { sum: 5 } } });
    const tokens = new Set(server.received.map(({ authorization }) => authorization));
    // A test also asks without the token, and with a changed one.
    expect([...tokens].toSorted()).toEqual([
      expect.stringMatching(/^Bearer a-sec[a-z]{3}-[a-z]{5}$/),
      'Bearer a-secret-token',
      undefined,
    ]);
    const shown = [result, called.text, JSON.stringify(await directory.details('keyed'))].join('\n');
    expect(shown).toContain('$PROBITY_TOKEN adds');
    expect(shown).not.toContain('a-sec');
  });

  it('is on hold while no session can be opened, and the reason is shown', async () => {
    const server = await startHttpSubject(MINIMAL);
    await server.close();
    await directory.add(listingAt('absent', server.url));
    const result = (await (await directory.test('absent')).json()) as TestResult;
    expect(result).toMatchObject({
      reachable: false,
      target: { url: server.url },
      listingDecision: 'hold',
    });
    const messages = result.findings.map(({ message }) => message).join('\n');
    expect(messages).toContain('the connection was refused');
    expect(result.facts.map(({ name }) => name)).not.toContain('bridge');
    expect(await directory.execute('absent', SUM)).toMatchObject({
      status: 502,
      body: { code: 'target-unreachable', called: false },
    });
  });

  it.each([
    ['fail', {}, 502, 'target-failed', 'The function reported an error: The disk is full.'],
    ['refuse', {}, 502, 'target-failed', 'not today'],
    ['pick', {}, 422, 'input-refused', 'colour must be red'],
    ['odd', {}, 502, 'target-broken', 'content'],
    ['nothing', {}, 404, 'function-not-found', 'nothing'],
  ])('answers a call of %s', async (name, input, status, code, words) => {
    const server = await subject({});
    await directory.list(`calls-${name}`, server.url, { protocol: 'mcp' });
    const { body, ...answer } = await directory.execute(`calls-${name}`, { function: name, input });
    expect([answer.status, body.code]).toEqual([status, code]);
    expect(body.detail).toContain(words);
  });

  it.each([401, 403])('reports that the server refuses the directory with %d', async (refusal) => {
    const server = await subject({ ...MINIMAL, intercept: () => ({ status: refusal }) });
    await directory.list(`refuses-${refusal}`, server.url, { protocol: 'mcp' });
    const called = await directory.execute(`refuses-${refusal}`, SUM);
    expect(called).toMatchObject({ status: 502, body: { code: 'target-refused', called: false } });
  });

  it('keeps one session for several calls, and opens another when the server forgot it', async () => {
    const server = await subject();
    await directory.list('forgets', server.url, { protocol: 'mcp' });
    for (const forget of [false, false, true]) {
      if (forget) server.forget();
      const called = await directory.execute('forgets', SUM);
      expect(called).toMatchObject({ status: 200, body: { output: { sum: 5 } } });
    }
    expect([server.opened(), server.calls()]).toEqual([2, 3]);
  });
});

/** Nothing answers at the addresses of its listing, so that it is undecided while it is up. */
function isUp(status: ServerDetails['status']): boolean {
  return status === 'up' || status === 'undecided';
}

it('observes when a server of the Model Context Protocol goes down and comes back', async () => {
  const server = await startHttpSubject(MINIMAL);
  const directory = await startDirectory({
    queues: QUEUE_NAMES,
    probeEveryMs: 200,
    testEveryMs: 3_600_000,
  });
  try {
    await directory.add(listingOf('watched', server.url, { protocol: 'mcp' }));
    const details = () => directory.details('watched');
    const tested = await eventually(details, ({ lastResult, status }) => lastResult !== null && isUp(status));
    expect(tested).toMatchObject({ figures: 'observed', uptime: 100 });

    await server.close();
    const down = await eventually(details, ({ uptime }) => uptime !== null && uptime < 90);
    expect(down.status).toBe('down');

    const back = await startHttpSubject({ ...MINIMAL, port: Number(new URL(server.url).port) });
    try {
      const up = await eventually(details, ({ status, uptime }) => isUp(status) && uptime !== down.uptime);
      expect(up.uptime).toBeGreaterThan(0);
    } finally {
      await back.close();
    }
  } finally {
    await directory.stop();
  }
});
