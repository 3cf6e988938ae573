import { afterEach, describe, expect, it } from 'vitest';
import { startMcpReferenceServer } from '../../../src/reference/mcp/http.ts';
import { referenceCatalog } from '../../../src/reference/mcp/offers/reference-catalog.ts';
import type { Caller } from '../../../src/reference/mcp/protocol/caller.ts';
import type { Catalog } from '../../../src/reference/mcp/protocol/catalog.ts';
import type { Question } from '../../../src/reference/mcp/protocol/questions.ts';
import type { RunningServer } from '../../../src/reference/server.ts';
import { converse } from './converse.ts';
import { open } from './http-client.ts';
import { initialize, META, PREFIX, request, type Sent, stateless } from './messages.ts';

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

const opening = (capabilities: object): Sent => {
  const message = initialize('2025-11-25');
  return { ...message, params: { ...message.params, capabilities } };
};
const call = (id: number, name: string, input: object = {}): Sent =>
  request(id, 'tools/call', { name, arguments: input });
const answer = (id: unknown, result: object) => ({ jsonrpc: '2.0', id, result });

const opened = async (capabilities: object, catalog: Catalog = referenceCatalog) => {
  const conversing = converse(catalog);
  conversing.send(opening(capabilities));
  await conversing.next();
  return conversing;
};

/** Each tool that asks: its input, what it asks, an answer, and its result. */
const ASKING = [
  [
    'greet-user',
    {},
    { method: 'elicitation/create', params: { requestedSchema: { required: ['name'] } } },
    { action: 'accept', content: { name: 'Ada' } },
    { greeting: 'Hello, Ada!' },
  ],
  [
    'show-specification',
    {},
    { method: 'elicitation/create', params: { mode: 'url', url: expect.stringMatching(/^https:/) } },
    { action: 'accept' },
    { agreed: true },
  ],
  [
    'list-roots',
    {},
    { method: 'roots/list', params: {} },
    { roots: [{ uri: 'file:///a', name: 'a' }, { uri: 'file:///b' }] },
    { roots: ['file:///a', 'file:///b'] },
  ],
  [
    'summarize',
    { text: 'Much.' },
    { method: 'sampling/createMessage', params: { maxTokens: 100 } },
    { role: 'assistant', content: { type: 'text', text: 'Short.' }, model: 'm' },
    { summary: 'Short.' },
  ],
] as const;

describe('in a session', () => {
  it.each(ASKING)('%s asks the client', async (name, input, question, given, result) => {
    const { send, next, end } = await opened(CAPABILITIES);
    send(call(1, name, input));
    const asked = await next();
    expect(asked).toMatchObject(question);
    // An answer to nothing, and a request with the same id as that of the server.
    send(answer('nope', given));
    send({ ...request(0, 'ping'), id: asked.id });
    expect(await next()).toEqual({ jsonrpc: '2.0', id: asked.id, result: {} });
    send(answer(asked.id, given));
    expect(await next()).toMatchObject({ id: 1, result: { structuredContent: result } });
    expect(await end()).toEqual([]);
  });

  it.each([
    ['greet-user', { greeting: 'Hello!' }],
    ['show-specification', { agreed: false }],
    ['list-roots', { roots: [] }],
  ])('%s does without a client that cannot be asked', async (name, result) => {
    const { send, end } = await opened({});
    send(call(1, name));
    expect(await end()).toMatchObject([{ id: 1, result: { structuredContent: result } }]);
  });

  it.each([{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { name: 7 } }])(
    'greet-user greets nobody in particular for %j',
    async (given) => {
      const { send, next } = await opened({ elicitation: {} });
      send(call(1, 'greet-user'));
      send(answer((await next()).id, given));
      expect(await next()).toMatchObject({ result: { structuredContent: { greeting: 'Hello!' } } });
    },
  );

  it('a tool fails that cannot do without', async () => {
    const { send, end } = await opened({ elicitation: {} });
    send(call(1, 'summarize', { text: 'Much.' }));
    const text = 'The client does not offer sampling.';
    expect(await end()).toMatchObject([{ result: { isError: true, content: [{ text }] } }]);
  });

  it.each([
    ['an error', { error: { code: -1, message: 'no' } }],
    ['an invalid answer', { result: { content: 'Short.' } }],
  ])('a tool fails when the client answers with %s', async (_, given) => {
    const { send, next } = await opened(CAPABILITIES);
    send(call(1, 'summarize', { text: 'Much.' }));
    send({ jsonrpc: '2.0', id: (await next()).id, ...given });
    expect(await next()).toMatchObject({ id: 1, result: { isError: true } });
  });

  it('withdraws its request when that of the client is cancelled', async () => {
    const { send, next, end } = await opened(CAPABILITIES);
    send(call(1, 'summarize', { text: 'Much.' }));
    const asked = await next();
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(await next()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: asked.id },
    });
    expect(await end()).toEqual([]);
  });

  it('waits for no answer when its input ends', async () => {
    const { send, next, end } = await opened(CAPABILITIES);
    send(call(1, 'summarize', { text: 'Much.' }));
    await next();
    expect(await end()).toMatchObject([
      { method: 'notifications/cancelled' },
      { id: 1, result: { isError: true } },
    ]);
  });

  it('asks over HTTP on the stream of the call', async () => {
    const server = await startMcpReferenceServer({});
    running.push(server);
    const { url } = server;
    const { headers } = await open(url, 'POST', {}, opening(CAPABILITIES));
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
    const stream = await open(url, 'POST', session, call(1, 'greet-user'));
    expect(await stream.next()).toMatchObject({ message: undefined });
    const asked = await stream.next();
    expect(asked?.message).toMatchObject({ method: 'elicitation/create' });
    const given = answer(asked?.message?.id, { action: 'accept', content: { name: 'Ada' } });
    expect((await open(url, 'POST', session, given)).status).toBe(202);
    expect((await stream.rest()).map(({ message }) => message)).toMatchObject([
      { id: 1, result: { structuredContent: { greeting: 'Hello, Ada!' } } },
    ]);
    const json = { ...session, accept: 'application/json' };
    expect((await open(url, 'POST', json, call(2, 'greet-user'))).status).toBe(200);
  });
});

const elicit = (message: string): Question => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: {} } },
});

/** A server with one tool, which only asks. */
const askingCatalog = (run: (caller: Caller) => Promise<unknown>): Catalog => ({
  ...referenceCatalog,
  tools: [
    {
      listed: { name: 'ask', inputSchema: { type: 'object' } },
      validate: () => undefined,
      run: async (_input, caller) => ({ content: [], structuredContent: await run(caller) }),
    },
  ],
});

const declaring = (capabilities: object) => ({ ...META, [`${PREFIX}clientCapabilities`]: capabilities });

describe('without sessions', () => {
  const ask = (id: number, name: string, input: object, more: object = {}, capabilities = CAPABILITIES) =>
    stateless(id, 'tools/call', { name, arguments: input, _meta: declaring(capabilities), ...more });

  it.each(ASKING)('%s asks in its result', async (name, input, question, given, result) => {
    const { send, next } = converse(referenceCatalog);
    send(ask(1, name, input));
    const first = await next();
    expect(first.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const asked = Object.entries(first.result?.inputRequests ?? {});
    expect(asked.map(([, one]) => one)).toMatchObject([question]);
    const inputResponses = Object.fromEntries(asked.map(([key]) => [key, given]));
    send(ask(2, name, input, { inputResponses, requestState: first.result?.requestState }));
    expect(await next()).toMatchObject({
      id: 2,
      result: { resultType: 'complete', structuredContent: result },
    });
  });

  it('keeps the metadata of a result', async () => {
    const { send, next } = converse({
      ...referenceCatalog,
      tools: [
        {
          listed: { name: 'go', inputSchema: { type: 'object' } },
          validate: () => undefined,
          run: () => ({ content: [], _meta: { 'example.org/cost': 7 } }),
        },
      ],
    });
    send(stateless(1, 'tools/call', { name: 'go' }));
    expect(await next()).toMatchObject({
      result: { _meta: { 'example.org/cost': 7, [`${PREFIX}serverInfo`]: { name: 'probity-reference' } } },
    });
  });

  it('names the capability that a tool needs', async () => {
    const { send, next } = converse(referenceCatalog);
    send(stateless(1, 'tools/call', { name: 'summarize', arguments: { text: 'Much.' } }));
    expect(await next()).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    });
  });

  it.each([
    [{ elicitation: {} }, elicit('form'), undefined],
    [{ elicitation: { url: {} } }, elicit('form'), { elicitation: { form: {} } }],
    [{ elicitation: {} }, { ...elicit('url'), params: { mode: 'url' } }, { elicitation: { url: {} } }],
    [
      { sampling: {} },
      { method: 'sampling/createMessage', params: { tools: [] } },
      { sampling: { tools: {} } },
    ],
  ] as const)('with %j, the question %j lacks %j', async (capabilities, question, missing) => {
    const { send, next } = converse(askingCatalog((caller) => caller.ask({ question })));
    send(stateless(1, 'tools/call', { name: 'ask', _meta: declaring(capabilities) }));
    const { error, result } = await next();
    if (missing === undefined) expect(result?.resultType).toBe('input_required');
    else expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: missing } });
  });

  const twice = askingCatalog(async (caller) => {
    const { a } = await caller.ask({ a: elicit('a') });
    const { b, c } = await caller.ask({ b: elicit('b'), c: elicit('c') });
    return { a, b, c };
  });
  const accept = (value: string) => ({ action: 'accept', content: { value } });

  it('keeps the answers of all rounds in the state, and asks again for what is missing', async () => {
    const { send, next } = converse(twice);
    const round = async (id: number, inputResponses: object, requestState?: unknown) => {
      send(ask(id, 'ask', {}, { inputResponses, requestState }));
      return (await next()).result ?? {};
    };
    const first = await round(1, { other: accept('?') });
    expect(Object.keys(first.inputRequests ?? {})).toEqual(['a']);
    const second = await round(2, { a: accept('A') }, first.requestState);
    expect(Object.keys(second.inputRequests ?? {})).toEqual(['b', 'c']);
    const third = await round(3, { a: accept('changed'), c: accept('C') }, second.requestState);
    expect(Object.keys(third.inputRequests ?? {})).toEqual(['b']);
    const last = await round(4, { b: accept('B') }, third.requestState);
    expect(last.structuredContent).toEqual({ a: accept('A'), b: accept('B'), c: accept('C') });
  });

  it.each<[string, (state: string) => unknown, string]>([
    ['changed', (state) => `x${state}`, 'a'],
    ['cut short', (state) => state.slice(0, -1), 'a'],
    ['without a signature', (state) => state.split('.')[0], 'a'],
    ['not a text', () => 7, 'a'],
    ['of another call', (state) => state, 'b'],
  ])('refuses a state that is %s', async (_, change, text) => {
    const { send, next } = converse(referenceCatalog);
    send(ask(1, 'summarize', { text: 'a' }));
    const requestState = change(String((await next()).result?.requestState));
    send(ask(2, 'summarize', { text }, { requestState }));
    expect(await next()).toMatchObject({ id: 2, error: { code: -32602 } });
  });

  it.each([null, 7, [], { user: 7 }])('refuses the answers %j', async (inputResponses) => {
    const { send, next } = converse(referenceCatalog);
    send(ask(1, 'greet-user', {}, { inputResponses }));
    expect(await next()).toMatchObject({ error: { code: -32602 } });
  });

  it('answers a missing capability over HTTP with 400', async () => {
    const server = await startMcpReferenceServer({});
    running.push(server);
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'summarize',
    };
    const params = { name: 'summarize', arguments: { text: 'Much.' } };
    const { status } = await open(server.url, 'POST', headers, stateless(1, 'tools/call', params));
    expect(status).toBe(400);
  });
});
