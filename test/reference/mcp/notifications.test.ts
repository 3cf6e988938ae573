import { describe, expect, it } from 'vitest';
import { converse } from './converse.ts';
import { liveCatalog } from './live-catalog.ts';
import { META, opening, PREFIX, request, SESSIONS, STATELESS, stateless } from './messages.ts';

const ID = `${PREFIX}subscriptionId`;
const ABOUT = 'reference://about';

const opened = async (revision: string, live = liveCatalog()) => {
  const { send, next, end } = converse(live.catalog);
  for (const message of opening(revision)) send(message);
  if (revision !== STATELESS) await next();
  return { ...live, send, next, end };
};

const wait = (meta: object) => ({
  name: 'wait',
  arguments: { durationMs: 20 },
  _meta: meta,
});

describe('progress', () => {
  it.each([...SESSIONS, STATELESS])('is reported for who gave a token, in revision %s', async (revision) => {
    const { send, end } = await opened(revision);
    const meta = revision === STATELESS ? META : {};
    for (const [id, progressToken] of [7, 'seven', undefined, {}].entries())
      send(request(1 + id, 'tools/call', wait({ ...meta, progressToken })));
    const lines = await end();
    for (const [id, progressToken] of [
      [1, 7],
      [2, 'seven'],
    ] as const) {
      const mine = lines.filter((line) => line.id === id || line.params?.progressToken === progressToken);
      expect(mine.map((line) => line.params?.progress)).toEqual([50, 100, undefined]);
      expect(mine[0]).toMatchObject({ method: 'notifications/progress', params: { total: 100 } });
    }
    expect(lines.filter(({ method }) => method !== undefined)).toHaveLength(4);
  });

  it('is not reported after the request was cancelled', async () => {
    const { send, end } = await opened('2025-11-25');
    send(request(1, 'tools/call', wait({ progressToken: 1 })));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(await end()).toEqual([]);
  });
});

describe('log messages', () => {
  it('are sent in a session from the level that was set', async () => {
    const { send, end } = await opened('2025-11-25');
    send(request(1, 'tools/call', wait({})));
    send(request(2, 'logging/setLevel', { level: 'debug' }));
    send(request(3, 'tools/call', wait({})));
    const lines = await end();
    expect(lines.filter(({ method }) => method !== undefined)).toMatchObject([
      { method: 'notifications/message', params: { level: 'debug' } },
    ]);
  });

  it('are sent without a session for requests that name a level', async () => {
    const { send, end } = await opened(STATELESS);
    for (const [id, level] of [undefined, 'debug', 'info', 'loud'].entries())
      send(request(id, 'tools/call', wait({ ...META, [`${PREFIX}logLevel`]: level })));
    const lines = await end();
    expect(lines.filter(({ method }) => method !== undefined)).toMatchObject([
      { method: 'notifications/message', params: { level: 'debug' } },
    ]);
    expect(lines.find(({ id }) => id === 3)).toMatchObject({ error: { code: -32602 } });
  });
});

describe('changes in a session', () => {
  it('are sent for lists, and for resources while the client subscribes to them', async () => {
    const { send, next, end, change, watchers } = await opened('2025-11-25');
    for (const list of ['tools', 'prompts', 'resources'] as const) {
      change(list);
      expect(await next()).toMatchObject({ method: `notifications/${list}/list_changed` });
    }
    change({ uri: ABOUT });
    for (const id of [1, 2]) {
      send(request(id, 'resources/subscribe', { uri: ABOUT }));
      expect(await next()).toMatchObject({ id, result: {} });
    }
    change({ uri: 'reference://dot.png' });
    change({ uri: ABOUT });
    const updated = { method: 'notifications/resources/updated', params: { uri: ABOUT } };
    expect(await next()).toEqual({ jsonrpc: '2.0', ...updated });
    send(request(3, 'resources/unsubscribe', { uri: ABOUT }));
    expect(await next()).toMatchObject({ id: 3, result: {} });
    change({ uri: ABOUT });
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      send(request(4, method, { uri: 'reference://nope' }));
      expect(await next()).toMatchObject({ id: 4, error: { code: -32002 } });
    }
    expect(await end()).toEqual([]);
    expect(watchers()).toBe(0);
  });
});

describe('subscriptions/listen', () => {
  const listen = (id: number, notifications: unknown) =>
    stateless(id, 'subscriptions/listen', { notifications });

  it('acknowledges what the server honours, and sends nothing else', async () => {
    const { send, next, end, change, watchers } = await opened(STATELESS);
    const uris = [ABOUT, 'reference://nope', ABOUT];
    send(listen(1, { toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: uris }));
    expect(await next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        _meta: { [ID]: 1 },
        notifications: { toolsListChanged: true, resourceSubscriptions: [ABOUT] },
      },
    });
    send(listen(2, { promptsListChanged: true }));
    expect(await next()).toMatchObject({
      params: { _meta: { [ID]: 2 }, notifications: { promptsListChanged: true } },
    });
    for (const subject of ['resources', 'prompts', 'tools', { uri: ABOUT }] as const) change(subject);
    expect([await next(), await next(), await next()]).toEqual([
      { jsonrpc: '2.0', method: 'notifications/prompts/list_changed', params: { _meta: { [ID]: 2 } } },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: { [ID]: 1 } } },
      {
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { _meta: { [ID]: 1 }, uri: ABOUT },
      },
    ]);
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    send(stateless(3, 'tools/list'));
    expect(await next()).toMatchObject({ id: 3 });
    change('tools');
    expect(await end()).toMatchObject([
      { method: 'notifications/cancelled', params: { _meta: { [ID]: 2 }, requestId: 2 } },
      { id: 2, result: { resultType: 'complete', _meta: { [ID]: 2, [`${PREFIX}serverInfo`]: {} } } },
    ]);
    expect(watchers()).toBe(0);
  });

  it('acknowledges an empty filter, and has its id as it was written', async () => {
    const { send, next, end } = await opened(STATELESS);
    send({ ...listen(1, {}), id: '$& é' });
    expect(await next()).toMatchObject({ params: { _meta: { [ID]: '$& é' }, notifications: {} } });
    expect(await end()).toMatchObject([{ params: { requestId: '$& é' } }, { id: '$& é' }]);
  });

  it.each([undefined, 7, { resourceSubscriptions: ABOUT }, { resourceSubscriptions: [7] }])(
    'refuses the filter %j',
    async (notifications) => {
      const { send, end } = await opened(STATELESS);
      send(listen(1, notifications));
      expect(await end()).toMatchObject([{ id: 1, error: { code: -32602 } }]);
    },
  );
});
