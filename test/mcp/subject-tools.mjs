// A small server of the Model Context Protocol, written without a library so that it can also break the rules.
import { setTimeout as delay } from 'node:timers/promises';
import { askingTools } from './subject-asking.mjs';
import { offersOf } from './subject-offers.mjs';

const object = (properties = {}, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const text = (value) => ({ content: [{ type: 'text', text: value }] });

const WORKING = {
  add: {
    description: 'Adds the numbers a and b.',
    inputSchema: object({
      a: { type: 'number', description: 'The first number.' },
      b: { $ref: '#/$defs/addend' },
    }),
    outputSchema: object({ sum: { type: 'number', description: 'The sum.' } }),
    annotations: { readOnlyHint: true },
    run: ({ a, b }) => {
      if (typeof a !== 'number' || typeof b !== 'number')
        return { ...text('a and b must be numbers'), isError: true };
      const sum = a + b;
      // JSON has no infinity.
      if (!Number.isFinite(sum)) return { ...text('the sum is too large'), isError: true };
      return { ...text(JSON.stringify({ sum })), structuredContent: { sum } };
    },
  },
  greet: {
    title: 'Greets somebody',
    inputSchema: object({ name: { type: 'string', description: 'A name.' } }),
    run: ({ name }) =>
      typeof name === 'string'
        ? text(`Hello, ${name}!`)
        : { ...text('name must be a string'), isError: true },
  },
  show: {
    description: 'Shows content of every type.',
    inputSchema: object(),
    run: () => ({
      content: [
        { type: 'text', text: 'a text', annotations: { priority: 1 } },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///notes.txt', name: 'notes' },
        { type: 'resource', resource: { uri: 'file:///notes.txt', text: 'embedded' } },
      ],
    }),
  },
  fail: {
    description: 'Always fails.',
    inputSchema: object(),
    run: () => ({ ...text('The disk is full.'), isError: true }),
  },
  slowSum: {
    description: 'Adds the numbers a and b, slowly.',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }),
    run: async ({ a, b }) => {
      await delay(Math.random() * 30);
      return { ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } };
    },
  },
  ponder: {
    description: 'Thinks for a moment.',
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    run: async () => {
      await delay(100);
      return text('done');
    },
  },
  wait: {
    description: 'Answers after a time.',
    inputSchema: object({ ms: { type: 'integer' } }),
    run: async ({ ms }) => {
      await delay(ms);
      return text('done');
    },
  },
};
WORKING.add.inputSchema.$defs = { addend: { type: 'number', description: 'The other number.' } };

/** Tools with a memory. */
function notesTools(habit) {
  const notes = [];
  const taking = (what) => object({ text: { type: 'string', description: what } });
  const withText = (run) => (input) =>
    typeof input.text === 'string'
      ? text(run(input.text))
      : { ...text('text must be a string'), isError: true };
  return {
    listNotes: {
      description: 'Lists all notes.',
      inputSchema: object(),
      annotations: { readOnlyHint: true },
      run: () => text(notes.map((note) => `note: ${note}`).join('\n') || 'none'),
    },
    findText: {
      description: 'Finds a text.',
      inputSchema: taking('What to find.'),
      annotations: { readOnlyHint: true },
      run: withText((wanted) => {
        if (habit === 'changed by reading') notes.push(wanted);
        return `found ${wanted.length} letters`;
      }),
    },
    putNote: {
      description: 'Puts a note.',
      inputSchema: taking('The note.'),
      annotations: { readOnlyHint: false, idempotentHint: true },
      run: withText((note) => {
        if (habit === 'put again' || !notes.includes(note)) notes.push(note);
        return 'put';
      }),
    },
  };
}

const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const STATELESS_VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const IDENTIFIED = { [`${PREFIX}serverInfo`]: { name: 'subject', version: '1.2.3' } };

/** An error of the protocol instead of a result, and the status that it has over HTTP. */
class RpcError extends Error {
  constructor(code, message, { data, status = 200 } = {}) {
    super(message);
    Object.assign(this, { code, data, status });
  }
}

/** What revision 2026-07-28 asks of every request. */
function checkStateless({ method, params = {} }, headers) {
  const { [`${PREFIX}protocolVersion`]: version, [`${PREFIX}clientCapabilities`]: client } =
    params._meta ?? {};
  if (headers !== undefined && version !== undefined && headers['mcp-protocol-version'] !== version)
    throw new RpcError(-32020, 'MCP-Protocol-Version is not that of _meta', { status: 400 });
  if (method === 'initialize' || (version !== undefined && version !== STATELESS_VERSION))
    throw new RpcError(-32022, 'unsupported revision', {
      data: { supported: [STATELESS_VERSION], requested: version ?? params.protocolVersion },
      status: 400,
    });
  if (version === undefined || client === undefined)
    throw new RpcError(-32602, 'the request lacks _meta', { status: 400 });
  if (headers === undefined) return;
  if (headers['mcp-method'] !== method)
    throw new RpcError(-32020, 'Mcp-Method is another one', { status: 400 });
  const named = { 'tools/call': params.name, 'prompts/get': params.name, 'resources/read': params.uri };
  if (Object.hasOwn(named, method) && decoded(headers['mcp-name']) !== named[method])
    throw new RpcError(-32020, 'Mcp-Name is another one', { status: 400 });
}

function decoded(header = '') {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(header) ?? [];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString();
}

/** Of a subscription to changes of the tools. */
function acknowledgement(id, { notifications: { toolsListChanged } }) {
  const params = { _meta: { [`${PREFIX}subscriptionId`]: id }, notifications: { toolsListChanged } };
  return { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
}

/**
 * Resolves with the answer to a message, and its status over HTTP; null without an answer. Only over HTTP, messages
 * have headers.
 */
export function createSubject(
  {
    era = 'session',
    version = null,
    pageSize = 100,
    endless = false,
    quiet = false,
    only = null,
    wrongSums = false,
    refusal = null,
    notes = null,
    offers = [],
    listening = false,
    unstoppable = false,
    traversed = false,
    asking = null,
    // Of a subject in the process of the tests, nothing may.
    endProcess = () => {
      throw new Error('this process is not that of the server');
    },
  },
  send,
) {
  let seen = 0;
  let declared = {};
  const cancelled = [];
  const tools = {
    ...WORKING,
    refuse: {
      description: 'Answers with an error of the protocol.',
      inputSchema: object(),
      run: () => {
        throw new RpcError(-32000, 'not today');
      },
    },
    pick: {
      description: 'Refuses every input.',
      inputSchema: object(),
      run: () => {
        throw new RpcError(-32602, 'colour must be red');
      },
    },
    odd: { description: 'Returns no content.', inputSchema: object(), run: () => ({ nothing: true }) },
    empty: { description: 'Answers with null.', inputSchema: object(), run: () => null },
    untyped: {
      description: 'Returns a number as content.',
      inputSchema: object(),
      run: () => ({ content: [1] }),
    },
    unstructured: {
      description: 'Returns no structured content.',
      inputSchema: object(),
      outputSchema: { type: 'object', properties: {} },
      run: () => text('7'),
    },
    yes: {
      description: 'Fails with a text as isError.',
      inputSchema: object(),
      run: () => ({ ...text('x'), isError: 'true' }),
    },
    bare: {
      description: 'Has no parameters.',
      inputSchema: { type: 'object', additionalProperties: false },
      run: (input) =>
        Object.keys(input).length > 0 ? { ...text('no parameters'), isError: true } : text('ok'),
    },
    hang: { description: 'Never answers.', inputSchema: object(), run: () => new Promise(() => undefined) },
    crash: { description: 'Ends the process.', inputSchema: object(), run: () => endProcess() },
    stats: {
      description: 'What was asked so far.',
      inputSchema: object(),
      run: () => ({
        content: [],
        structuredContent: { seen, cancelled: cancelled.length, pid: process.pid },
      }),
    },
    grow: {
      description: 'Adds a tool called later.',
      inputSchema: object(),
      run: () => {
        tools.later = { description: 'Was added.', inputSchema: object(), run: () => text('here') };
        if (!quiet) send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        return text('grown');
      },
    },
  };

  /** Requests of the server that wait for the answer of the client. */
  const waiting = new Map();
  const ask = (request, sendNow) =>
    new Promise((resolve) => {
      const id = `ask-${waiting.size}`;
      waiting.set(id, resolve);
      sendNow({ jsonrpc: '2.0', id, ...request });
    });
  if (notes !== null) Object.assign(tools, notesTools(notes));
  if (wrongSums)
    tools.add = {
      ...tools.add,
      run: (input) => {
        const result = WORKING.add.run(input);
        if (result.isError) return result;
        const sum = String(result.structuredContent.sum);
        return { ...text(JSON.stringify({ sum })), structuredContent: { sum } };
      },
    };
  const refuseNow = (code, words, data, status) => {
    throw new RpcError(code, words, { data, status });
  };
  for (const name of Object.keys(tools)) if (only !== null && !only.includes(name)) delete tools[name];

  if (asking !== null) Object.assign(tools, askingTools(asking, { era, refuse: refuseNow }));

  const pageOf = (entries, { cursor }) => {
    if (
      cursor !== undefined &&
      !(Number(cursor) < entries.length || (endless && Number(cursor) === pageSize))
    )
      throw new RpcError(-32602, 'unknown cursor');
    const from = endless ? 0 : Number(cursor ?? 0);
    const next = from + pageSize;
    return {
      entries: entries.slice(from, next),
      ...(endless || next < entries.length ? { nextCursor: String(next) } : {}),
    };
  };
  const list = (params) => {
    const described = Object.entries(tools).map(([name, { run: _run, ...rest }]) => ({ name, ...rest }));
    const { entries, ...rest } = pageOf(described, params);
    return { tools: entries, ...rest };
  };
  const refuse = (code, message, data) => {
    throw new RpcError(code, message, { data });
  };
  const offered = offersOf(offers, era, refuse, pageOf, traversed);

  const versions = version === null ? SESSION_VERSIONS : [version];
  const cached = { ttlMs: 0, cacheScope: 'private' };
  const calls = {
    'tools/call': (params, sendNow) => {
      const { name, arguments: input } = params;
      seen += 1;
      if (!Object.hasOwn(tools, name)) throw new RpcError(-32602, `unknown tool ${name}`);
      if (typeof (input ?? {}) !== 'object') throw new RpcError(-32602, 'arguments must be an object');
      const capabilities =
        era === 'session' ? declared : params._meta?.['io.modelcontextprotocol/clientCapabilities'];
      return tools[name].run(input ?? {}, { capabilities, params, ask: (request) => ask(request, sendNow) });
    },
  };
  const ofSession = {
    initialize: ({ protocolVersion }) => {
      if (refusal !== null) throw new RpcError(-32000, refusal);
      return {
        protocolVersion: versions.includes(protocolVersion) ? protocolVersion : versions[0],
        capabilities: { tools: quiet ? {} : { listChanged: true }, ...offered.capabilities },
        serverInfo: { name: 'subject', version: '1.2.3', title: 'A subject' },
        instructions: 'Call add.',
      };
    },
    ping: () => ({}),
    'tools/list': list,
    ...calls,
    ...offered.methods,
  };
  const stateless = {
    'server/discover': () => ({
      supportedVersions: [STATELESS_VERSION],
      capabilities: { tools: listening ? { listChanged: true } : {}, ...offered.capabilities },
      ...cached,
    }),
    'tools/list': (params) => ({ ...list(params), ...cached }),
    ...calls,
    ...offered.methods,
  };
  const [methods, complete] =
    era === 'session'
      ? [ofSession, (result) => result]
      : [stateless, (result) => ({ resultType: 'complete', _meta: IDENTIFIED, ...result })];

  return async (message, headers, sendNow = send) => {
    const { id, method, params = {} } = message;
    if (method === undefined && waiting.has(id)) waiting.get(id)(message);
    if (method === 'initialize') declared = params.capabilities ?? {};
    if (method === 'notifications/cancelled') cancelled.push(params.requestId);
    if (id === undefined || method === undefined) return null;
    try {
      if (era === 'stateless') checkStateless(message, headers);
      if (!Object.hasOwn(methods, method) && !(listening && method === 'subscriptions/listen'))
        throw new RpcError(-32601, `no method ${method}`, { status: era === 'session' ? 200 : 404 });
      if (listening && method === 'subscriptions/listen')
        return { answer: acknowledgement(id, params), status: 200, staysOpen: true };
      const result = await methods[method](params, sendNow);
      if (cancelled.includes(id) && !unstoppable) return null;
      return { answer: { jsonrpc: '2.0', id, result: complete(result) }, status: 200 };
    } catch ({ code = -32603, message: words, data, status = 200 }) {
      return { answer: { jsonrpc: '2.0', id, error: { code, message: words, data } }, status };
    }
  };
}
