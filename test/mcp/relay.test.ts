import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { httpBridge, stdioBridge, type TestedBridge } from './bridges.ts';

const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};
const initialize = { jsonrpc: '2.0', id: 'one', method: 'initialize', params: CLIENT };
const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

async function relayed(
  { url }: TestedBridge,
  body: unknown,
  type = 'application/json',
): Promise<{ readonly status: number; readonly value: JsonObject }> {
  const response = await fetch(`${url}/messages`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, value: (await response.json()) as JsonObject };
}

describe('POST /messages of a bridge', () => {
  it('passes messages on as they are, and returns everything that comes back', async () => {
    const bridge = await stdioBridge({ only: ['add'], noise: true });
    const { status, value } = await relayed(bridge, {
      session: 'a',
      send: [initialize, '{"half":', ping(2)],
    });
    expect(status).toBe(200);
    expect(value).toMatchObject({ transport: 'stdio', answered: true, ended: null });
    expect((value.answers as readonly JsonObject[]).map(({ id }) => id).toSorted()).toEqual([2, null, 'one']);
    expect(value.noise).toEqual(expect.arrayContaining(['starting …', '{"half":', '[1]', '"text"']));
    expect(value.learned).toMatchObject({ serverInfo: { name: 'subject' } });
  });

  it('keeps sessions apart, and answers of one exchange out of the next', async () => {
    const bridge = await stdioBridge({ only: ['add'] });
    const [one, other] = await Promise.all([
      relayed(bridge, { session: 'a', send: [initialize] }),
      relayed(bridge, { session: 'b', send: [initialize] }),
    ]);
    expect([one, other].map(({ value }) => (value.answers as readonly unknown[]).length)).toEqual([1, 1]);
    const turns = await Promise.all(
      [5, 6, 7].map((id) => relayed(bridge, { session: 'a', send: [ping(id)] })),
    );
    expect(turns.map(({ value }) => value.answers)).toEqual(
      [5, 6, 7].map((id) => [{ jsonrpc: '2.0', id, result: {} }]),
    );
  });

  it('follows the cursors of a list', async () => {
    const bridge = await stdioBridge({ only: ['add', 'greet', 'show'], pageSize: 1 });
    await relayed(bridge, { session: 'a', send: [initialize] });
    const list = { jsonrpc: '2.0', id: 10, method: 'tools/list', params: {} };
    const { value } = await relayed(bridge, { session: 'a', pages: true, send: [list] });
    expect(value).toMatchObject({ answers: [{ id: 10 }, { id: 11 }, { id: 12 }], paged: true });
  });

  it('closes the input of a process, and says how it ended', async () => {
    const bridge = await stdioBridge({ only: ['add'] });
    await relayed(bridge, { session: 'a', send: [initialize] });
    const { value } = await relayed(bridge, { session: 'a', end: true });
    expect(value).toMatchObject({ inputClosed: true, ended: expect.stringContaining('exit code 0') });
  });

  it('reports statuses and headers over HTTP, and sends what is asked for', async () => {
    const { bridge } = await httpBridge({ only: ['add'] });
    const opened = await relayed(bridge, { session: 'a', send: [initialize] });
    expect(opened.value).toMatchObject({
      transport: 'streamable HTTP',
      replies: [{ status: 200, type: 'application/json' }],
      sessionId: expect.any(String),
    });
    const headers = { origin: 'https://other.example' };
    const refused = await relayed(bridge, { session: 'a', send: [ping(2)], headers });
    expect(refused.value).toMatchObject({ replies: [{ status: 403 }], answered: false });
    expect((await relayed(bridge, { session: 'a', end: true })).value).toMatchObject({ sessionEnded: true });
    expect((await relayed(bridge, { session: 'a', send: [ping(3)] })).value).toMatchObject({
      replies: [{ status: 404 }],
    });
  });

  it('sends nothing that is only for the other transport', async () => {
    const bridge = await stdioBridge({ only: ['add'] });
    const { value } = await relayed(bridge, { session: 'a', over: 'http', send: [initialize] });
    expect(value).toMatchObject({ transport: 'stdio', sent: [], answers: [], replies: [] });
  });

  it('returns what the bridge itself got', async () => {
    const bridge = await stdioBridge({ only: ['add'] });
    await bridge.call('add', { a: 1, b: 2 }, { requestId: 'r' });
    const { value } = await relayed(bridge, { recorded: true });
    expect(value).toMatchObject({
      toolLists: [[{ name: 'add' }]],
      calls: [{ requestId: 'r', tool: 'add', result: { structuredContent: { sum: 3 } } }],
      omitted: 0,
    });
  });

  it.each([
    ['no JSON', '{', 'The body must be a JSON object.'],
    ['no session', '{}', '`session` must be a name.'],
    ['a text to send', '{"session":"a","send":"x"}', '`send` must be a list of messages.'],
    ['another method', '{"session":"a","method":"PUT"}', '`method` must be one of GET, POST, DELETE.'],
    ['a number as header', '{"session":"a","headers":{"x":1}}', '`headers` must be'],
    ['no time', '{"session":"a","waitMs":0}', '`waitMs` must be'],
    ['another transport', '{"session":"a","over":"sse"}', '`over` must be http or stdio.'],
  ])('refuses %s', async (_what, body, message) => {
    const { status, value } = await relayed(await stdioBridge({ only: ['add'] }), body);
    expect(status).toBe(400);
    expect(value).toMatchObject({ error: { message: expect.stringContaining(message) } });
  });

  it('refuses what a web page can send without asking', async () => {
    const bridge = await stdioBridge({ only: ['add'] });
    const { status } = await relayed(bridge, { session: 'a', send: [initialize] }, 'text/plain');
    expect(status).toBe(415);
  });
});
