import { afterEach, describe, expect, it } from 'vitest';
import { startMcpReferenceServer } from '../../../src/reference/mcp/http.ts';
import type { Catalog } from '../../../src/reference/mcp/protocol/catalog.ts';
import type { RunningServer } from '../../../src/reference/server.ts';
import { type Headers, type Opened, open } from './http-client.ts';
import { liveCatalog } from './live-catalog.ts';
import { initialize, META, PREFIX, request, SESSIONS, STATELESS, stateless } from './messages.ts';

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function start(catalog: Catalog = liveCatalog().catalog): Promise<RunningServer> {
  const server = await startMcpReferenceServer({ catalog });
  running.push(server);
  return server;
}

async function openSession(url: string, revision = '2025-11-25'): Promise<Headers> {
  const { headers } = await open(url, 'POST', {}, initialize(revision));
  return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': revision };
}

const waiting = (progressToken: unknown) => ({
  name: 'wait',
  arguments: { durationMs: 20 },
  _meta: { progressToken },
});
const ofStateless = (method: string, name?: string): Headers => ({
  'mcp-protocol-version': STATELESS,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});
const methodsIn = (events: Awaited<ReturnType<Opened['rest']>>) => events.map((e) => e.message?.method);

describe('an answer with notifications', () => {
  it.each(SESSIONS)('is an event stream with ids in revision %s', async (revision) => {
    const { url } = await start();
    const session = await openSession(url, revision);
    const { status, headers, rest } = await open(url, 'POST', session, request(1, 'tools/call', waiting(7)));
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(headers['x-accel-buffering']).toBe('no');
    const events = await rest();
    const primed = revision === '2025-11-25' ? [undefined] : [];
    expect(events.map((event) => event.message?.method ?? event.message?.id)).toEqual([
      ...primed,
      'notifications/progress',
      'notifications/progress',
      1,
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('is one without ids in the revision without sessions', async () => {
    const { url } = await start();
    const call = stateless(1, 'tools/call', { ...waiting(7), _meta: { ...META, progressToken: 7 } });
    const { rest } = await open(url, 'POST', ofStateless('tools/call', 'wait'), call);
    const events = await rest();
    expect(methodsIn(events)).toEqual(['notifications/progress', 'notifications/progress', undefined]);
    expect(events.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
  });

  it('is JSON alone for a client that accepts no stream', async () => {
    const { url } = await start();
    const session = { ...(await openSession(url)), accept: 'application/json' };
    const { headers } = await open(url, 'POST', session, request(1, 'tools/call', waiting(7)));
    expect(headers['content-type']).toMatch(/^application\/json/);
  });
});

/** A server whose tools leave their clients in the middle, and wait. */
function leavingCatalog(waited: Promise<void>): Catalog {
  const { catalog } = liveCatalog();
  return {
    ...catalog,
    tools: catalog.tools.map((tool) => ({
      ...tool,
      run: async (_input, caller) => {
        caller.reportProgress(1, 3, 'before');
        caller.disconnect();
        caller.reportProgress(2, 3, 'between');
        await waited;
        return { content: [] };
      },
    })),
  };
}

describe('a client that connects again', () => {
  it('gets what it has missed, and nothing twice', async () => {
    let go = (): void => undefined;
    const waited = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { url } = await start(leavingCatalog(waited));
    const session = await openSession(url);
    const first = await open(url, 'POST', session, request(1, 'tools/call', waiting(7)));
    const before = await first.rest();
    expect(methodsIn(before)).toEqual([undefined, 'notifications/progress']);
    const again = await open(url, 'GET', { ...session, 'last-event-id': before.at(-1)?.id ?? '' });
    expect((await again.next())?.message).toMatchObject({ params: { message: 'between' } });
    go();
    const after = await again.rest();
    expect(after.map(({ message }) => message)).toMatchObject([{ id: 1, result: { content: [] } }]);
    const late = await open(url, 'GET', { ...session, 'last-event-id': before[0]?.id ?? '' });
    expect(await late.rest()).toEqual([before[1], expect.anything(), ...after]);
  });

  it('is not needed in revisions that have no event to begin with', async () => {
    const { url } = await start(leavingCatalog(Promise.resolve()));
    const called = ['notifications/progress', 'notifications/progress', undefined];
    const session = await openSession(url, '2025-06-18');
    const inSession = await open(url, 'POST', session, request(1, 'tools/call', waiting(7)));
    expect(methodsIn(await inSession.rest())).toEqual(called);
    const call = stateless(1, 'tools/call', { ...waiting(7), _meta: { ...META, progressToken: 7 } });
    const without = await open(url, 'POST', ofStateless('tools/call', 'wait'), call);
    expect(methodsIn(await without.rest())).toEqual(called);
  });

  it.each(['', 'nope', '99.1', '1'])('is refused with the event id "%s"', async (id) => {
    const { url } = await start();
    const session = await openSession(url);
    expect((await open(url, 'GET', { ...session, 'last-event-id': id })).status).toBe(400);
  });
});

describe('the stream for messages that belong to no request', () => {
  it('has the changes of a session, and ends with it', async () => {
    const { catalog, change } = liveCatalog();
    const { url } = await start(catalog);
    const [session, other] = [await openSession(url), await openSession(url)];
    const stream = await open(url, 'GET', session);
    expect(await stream.next()).toMatchObject({ message: undefined });
    const uri = 'reference://about';
    for (const one of [session, other])
      await open(url, 'POST', one, request(1, 'resources/subscribe', { uri }));
    change({ uri });
    change('tools');
    const [updated, listed] = [await stream.next(), await stream.next()];
    expect(updated?.message).toMatchObject({ method: 'notifications/resources/updated', params: { uri } });
    expect(listed?.message).toMatchObject({ method: 'notifications/tools/list_changed' });
    await fetch(url, { method: 'DELETE', headers: session });
    expect(await stream.next()).toBeUndefined();
  });

  it('stays open beside many answers, of which the last ones can be resumed', async () => {
    const { catalog, change } = liveCatalog();
    const { url } = await start(catalog);
    const session = await openSession(url);
    const stream = await open(url, 'GET', session);
    await stream.next();
    const answers: (string | undefined)[] = [];
    for (let id = 0; id < 25; id += 1) {
      const { rest } = await open(url, 'POST', session, request(id, 'tools/call', waiting(id)));
      answers.push((await rest()).at(-1)?.id);
    }
    const statusOf = async (id: string | undefined) =>
      (await open(url, 'GET', { ...session, 'last-event-id': id ?? '' })).status;
    expect([await statusOf(answers[0]), await statusOf(answers.at(-1))]).toEqual([400, 200]);
    change('tools');
    expect((await stream.next())?.message).toMatchObject({ method: 'notifications/tools/list_changed' });
    await fetch(url, { method: 'DELETE', headers: session });
    expect(await stream.next()).toBeUndefined();
  });

  it('is refused without a session, and to who accepts none', async () => {
    const { url } = await start();
    const session = await openSession(url);
    const status = async (headers: Headers) => (await open(url, 'GET', headers)).status;
    expect(await status({})).toBe(400);
    expect(await status({ 'mcp-session-id': 'nope' })).toBe(404);
    expect(await status({ ...session, accept: 'application/json' })).toBe(406);
    expect(await status({ ...session, 'mcp-protocol-version': STATELESS })).toBe(405);
  });
});

describe('subscriptions/listen', () => {
  const filter = { notifications: { toolsListChanged: true } };
  const listen = (url: string, headers: Headers = {}) =>
    open(
      url,
      'POST',
      { ...ofStateless('subscriptions/listen'), ...headers },
      stateless(5, 'subscriptions/listen', filter),
    );

  it('sends changes until the client closes the connection', async () => {
    const { catalog, change, watchers } = liveCatalog();
    const { url } = await start(catalog);
    const stream = await listen(url);
    const tag = { _meta: { [`${PREFIX}subscriptionId`]: 5 } };
    expect((await stream.next())?.message).toMatchObject({ params: { ...tag, ...filter } });
    change('prompts');
    change('tools');
    expect((await stream.next())?.message).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: tag,
    });
    stream.close();
    await expect.poll(watchers).toBe(0);
  });

  it('ends with an answer when the server closes', async () => {
    const server = await start();
    const stream = await listen(server.url);
    await stream.next();
    const [, events] = await Promise.all([server.close(), stream.rest()]);
    expect(events.map(({ message }) => message)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: 5 } },
      { id: 5, result: { resultType: 'complete' } },
    ]);
  });

  it('is refused to who accepts no stream', async () => {
    const { url } = await start();
    expect((await listen(url, { accept: 'application/json' })).status).toBe(406);
  });
});

it.each([
  ['example.com', 403],
  ['localhost:80', 200],
])('a request for the host %s is answered with %s', async (host, status) => {
  const { url } = await start();
  expect((await open(url, 'POST', { host }, initialize('2025-11-25'))).status).toBe(status);
});
