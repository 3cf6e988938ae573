import type { HttpSubjectOptions } from '../../mcp/http-subject.ts';
import type { Message } from '../../mcp/subject-options.ts';

/** A server of the Model Context Protocol that breaks one rule, over streamable HTTP. */
export interface SubjectMutant {
  /** The rule that it breaks. */
  readonly requirement: string;
  readonly what: string;
  readonly subject: HttpSubjectOptions;
}

type Change = NonNullable<HttpSubjectOptions['change']>;
type Tool = Readonly<Record<string, unknown>>;

const json = (value: unknown): string => JSON.stringify(value);
const body = (value: unknown) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: json(value),
});

/** Changes answers to one method. */
const to =
  (method: string, change: (message: Message, request: Message) => unknown): Change =>
  (message, request) =>
    request.method === method ? change(message, request) : message;

const result = (method: string, change: (result: Tool, request: Message) => unknown): Change =>
  to(method, (message, request) =>
    message.result === undefined ? message : { ...message, result: change(message.result as Tool, request) },
  );

const initialized = (change: (result: Tool) => unknown): Change => result('initialize', change);
const listed = (change: (tools: readonly Tool[]) => unknown): Change =>
  result('tools/list', (page) => ({ ...page, tools: change(page.tools as readonly Tool[]) }));
const tool = (change: (tool: Tool) => Tool): Change =>
  listed(([first = {}, ...rest]) => [change(first), ...rest]);
const called = (change: (result: Tool) => unknown): Change => result('tools/call', change);
const without = (members: Tool, name: string): Tool =>
  Object.fromEntries(Object.entries(members).filter(([key]) => key !== name));
const requestParams = (request: Message): Tool => (request.params ?? {}) as Tool;

const broken = (
  requirement: string,
  what: string,
  change: Change,
  more: HttpSubjectOptions = {},
): SubjectMutant => ({
  requirement: `mcp/${requirement}`,
  what,
  subject: { only: ['add'], change, ...more },
});

const http = (requirement: string, what: string, more: HttpSubjectOptions): SubjectMutant => ({
  requirement: `mcp/${requirement}`,
  what,
  subject: { only: ['add'], ...more },
});

const add = { inputSchema: { type: 'object' } };

export const SUBJECT_MUTANTS: readonly SubjectMutant[] = [
  broken(
    'initialize-answered',
    'refuses initialize',
    to('initialize', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no' } })),
  ),
  broken(
    'initialize-answered',
    'answers initialize with null',
    to('initialize', (m) => ({ ...m, result: null })),
  ),
  broken(
    'protocol-version',
    'names no version',
    initialized((r) => without(r, 'protocolVersion')),
  ),
  broken(
    'protocol-version',
    'has a number as version',
    initialized((r) => ({ ...r, protocolVersion: 2025 })),
  ),
  broken(
    'protocol-version',
    'has a word as version',
    initialized((r) => ({ ...r, protocolVersion: 'latest' })),
  ),
  broken(
    'server-capabilities',
    'has no capabilities',
    initialized((r) => without(r, 'capabilities')),
  ),
  broken(
    'server-capabilities',
    'lists capabilities',
    initialized((r) => ({ ...r, capabilities: ['tools'] })),
  ),
  broken(
    'server-info',
    'has no serverInfo',
    initialized((r) => without(r, 'serverInfo')),
  ),
  broken(
    'server-info',
    'has no version of its own',
    initialized((r) => ({ ...r, serverInfo: { name: 'x' } })),
  ),
  broken(
    'server-info',
    'has an empty name',
    initialized((r) => ({ ...r, serverInfo: { name: '', version: '1' } })),
  ),
  broken(
    'version-negotiated',
    'accepts every version',
    to('initialize', (m, request) => ({
      ...m,
      result: { ...(m.result as Tool), protocolVersion: requestParams(request).protocolVersion },
    })),
  ),
  broken(
    'ping-answered',
    'does not know ping',
    to('ping', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })),
  ),
  broken(
    'valid-messages',
    'answers ping with a list',
    to('ping', (m) => ({ ...m, result: [] })),
  ),
  broken(
    'valid-messages',
    'uses an older JSON-RPC',
    to('ping', (m) => ({ ...m, jsonrpc: '1.0' })),
  ),
  broken(
    'valid-messages',
    'leaves out jsonrpc',
    to('tools/list', (m) => without(m, 'jsonrpc')),
  ),
  broken(
    'valid-messages',
    'sends a result with an error',
    to('ping', (m) => ({ ...m, error: { code: 1, message: 'x' } })),
  ),
  broken(
    'valid-messages',
    'sends a text as code',
    to('probity/unknown', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: '-32601', message: 'x' } })),
  ),
  broken(
    'valid-messages',
    'sends an error without a message',
    to('probity/unknown', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32601 } })),
  ),
  broken(
    'valid-messages',
    'sends neither result nor error',
    to('ping', ({ id }) => ({ jsonrpc: '2.0', id })),
  ),
  broken(
    'valid-messages',
    'sends null as the title of a tool',
    tool((t) => ({ ...t, title: null })),
  ),
  broken(
    'valid-messages',
    'describes a parameter with true',
    tool((t) => ({ ...t, inputSchema: { type: 'object', properties: { a: true } } })),
  ),
  broken(
    'valid-messages',
    'gives a text a priority of more than 1',
    called((r) => ({ ...r, content: [{ type: 'text', text: '{"sum":2}', annotations: { priority: 5 } }] })),
  ),
  broken(
    'ids-returned',
    'returns numbers as texts',
    to('ping', (m) => ({ ...m, id: String(m.id) })),
  ),
  broken(
    'ids-returned',
    'returns texts as numbers',
    to('probity/unknown', (m) => ({ ...m, id: 7 })),
  ),
  broken(
    'ids-returned',
    'counts by itself',
    to('ping', (m) => ({ ...m, id: Number(m.id) + 1 })),
  ),
  broken(
    'ids-returned',
    'has no id in an answer',
    to('ping', (m) => ({ ...m, id: null })),
  ),
  broken(
    'ids-returned',
    'answers twice',
    to('ping', (m) => [m, m]),
    { answers: 'events' },
  ),
  broken(
    'ids-returned',
    'answers with an additional result',
    to('tools/list', (m) => [{ ...m, id: 'other' }, m]),
    { answers: 'events' },
  ),
  broken(
    'only-messages',
    'answers with a list of messages',
    to('ping', (m) => [m]),
  ),
  broken(
    'only-messages',
    'sends an event that is a word',
    to('ping', (m) => ['ready', m]),
    { answers: 'events' },
  ),
  broken(
    'unknown-method',
    'accepts every method',
    to('probity/unknown', ({ id }) => ({ jsonrpc: '2.0', id, result: {} })),
  ),
  broken(
    'unknown-method',
    'has a code of its own',
    to('probity/unknown', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: 404, message: 'no' } })),
  ),
  broken(
    'tools-listed',
    'lists no tools',
    result('tools/list', () => ({})),
  ),
  broken(
    'tools-listed',
    'lists tools by name',
    result('tools/list', () => ({ tools: { add } })),
  ),
  broken(
    'tools-capability',
    'does not announce its tools',
    initialized((r) => ({ ...r, capabilities: {} })),
  ),
  broken('tool-pages', 'never ends the list', (m) => m, { endless: true }),
  broken(
    'tool-pages',
    'has numbers as cursors',
    result('tools/list', (page) => ({ ...page, nextCursor: 1 })),
  ),
  broken(
    'tool-pages',
    'refuses its own cursor',
    to('tools/list', (m, request) =>
      requestParams(request).cursor === undefined
        ? { ...m, result: { ...(m.result as Tool), nextCursor: 'more' } }
        : { jsonrpc: '2.0', id: m.id, error: { code: -32602, message: 'no' } },
    ),
  ),
  broken(
    'unknown-cursor',
    'ignores unknown cursors',
    to('tools/list', (m) =>
      m.error === undefined ? m : { jsonrpc: '2.0', id: m.id, result: { tools: [] } },
    ),
    { only: ['add', 'greet'], pageSize: 1 },
  ),
  broken(
    'tool-names-unique',
    'lists a tool twice',
    listed(([first]) => [first, first]),
  ),
  broken(
    'tool-names-unique',
    'lists two tools of one name',
    listed(([first = {}]) => [first, { ...first, description: 'Adds more numbers.' }]),
  ),
  broken(
    'tool-name-format',
    'has spaces in a name',
    listed((tools) => [...tools, { name: 'add more', description: 'Adds.', ...add }]),
  ),
  broken(
    'tool-name-format',
    'has a long name',
    listed((tools) => [...tools, { name: 'a'.repeat(129), description: 'Adds.', ...add }]),
  ),
  broken(
    'tool-name-format',
    'has a slash in a name',
    listed((tools) => [...tools, { name: 'add/more', description: 'Adds.', ...add }]),
  ),
  broken(
    'tool-input-schema',
    'has no input schema',
    tool((t) => without(t, 'inputSchema')),
  ),
  broken(
    'tool-input-schema',
    'takes a text',
    tool((t) => ({ ...t, inputSchema: { type: 'string' } })),
  ),
  broken(
    'tool-input-schema',
    'has properties that are no schemas',
    tool((t) => ({ ...t, inputSchema: { type: 'object', properties: { a: 5 } } })),
  ),
  broken(
    'tool-input-schema',
    'has null as schema',
    tool((t) => ({ ...t, inputSchema: null })),
  ),
  broken(
    'tool-output-schema',
    'returns a list',
    tool((t) => ({ ...t, outputSchema: { type: 'array' } })),
  ),
  broken(
    'tool-output-schema',
    'has an unknown type',
    tool((t) => ({ ...t, outputSchema: { type: 'object', properties: { sum: { type: 'numeric' } } } })),
  ),
  broken(
    'tool-annotations',
    'has a text as hint',
    tool((t) => ({ ...t, annotations: { readOnlyHint: 'true' } })),
  ),
  broken(
    'tool-annotations',
    'lists its annotations',
    tool((t) => ({ ...t, annotations: ['readOnly'] })),
  ),
  broken(
    'tool-hints-agree',
    'only reads and destroys',
    tool((t) => ({ ...t, annotations: { readOnlyHint: true, destructiveHint: true } })),
  ),
  http('read-only-kept', 'keeps what it should only find', {
    only: ['listNotes', 'findText'],
    notes: 'changed by reading',
  }),
  http('idempotent-kept', 'keeps the same again', {
    only: ['listNotes', 'findText', 'putNote'],
    notes: 'put again',
  }),
  broken(
    'unknown-tool',
    'has every tool',
    to('tools/call', (m) =>
      m.error === undefined ? m : { jsonrpc: '2.0', id: m.id, result: { content: [] } },
    ),
  ),
  broken(
    'result-content',
    'returns no content',
    called((r) => without(r, 'content')),
  ),
  broken(
    'result-content',
    'returns a text as content',
    called((r) => ({ ...r, content: 'sum' })),
  ),
  broken(
    'result-content',
    'returns content without a type',
    called((r) => ({ ...r, content: [{ text: '3' }] })),
  ),
  broken(
    'result-content',
    'returns a text without its text',
    called((r) => ({ ...r, content: [{ type: 'text' }] })),
  ),
  broken(
    'result-content',
    'returns an image without data',
    called((r) => ({ ...r, content: [...(r.content as Tool[]), { type: 'image', mimeType: 'image/png' }] })),
  ),
  broken(
    'result-content',
    'returns a resource without an address',
    called((r) => ({
      ...r,
      content: [...(r.content as Tool[]), { type: 'resource', resource: { text: 'x' } }],
    })),
  ),
  broken(
    'result-error-flag',
    'fails with a text',
    called((r) => ({ ...r, isError: 'false' })),
  ),
  broken(
    'structured-content',
    'returns only text',
    called((r) => without(r, 'structuredContent')),
  ),
  broken(
    'structured-content',
    'returns a list',
    called((r) => (r.isError === true ? r : { ...r, structuredContent: [3] })),
  ),
  broken('structured-content', 'returns sums as text', (m) => m, { wrongSums: true }),
  broken(
    'structured-text',
    'has another text',
    called((r) => ({ ...r, content: [{ type: 'text', text: 'a sum' }] })),
  ),
  broken(
    'structured-text',
    'has no text',
    called((r) => ({ ...r, content: [] })),
  ),
  broken(
    'errors-in-results',
    'fails with an error of the protocol',
    to('tools/call', (m) =>
      (m.result as Tool | undefined)?.isError === true
        ? { jsonrpc: '2.0', id: m.id, error: { code: -32603, message: 'a and b must be numbers' } }
        : m,
    ),
  ),
  http('http-media-type', 'answers with plain text', {
    intercept: ({ method }) =>
      method === 'POST' ? { ...body({}), headers: { 'content-type': 'text/plain' } } : null,
  }),
  http('http-get', 'answers GET with a page', {
    intercept: ({ method }) =>
      method === 'GET' ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' } : null,
  }),
  http('http-session-id', 'has spaces in the ids of its sessions', { sessionId: 'session 1' }),
  http('http-session-unknown', 'answers an unknown session with 400', {
    intercept: ({ headers }) =>
      headers['mcp-session-id'] === 'probity-unknown-session' ? { status: 400 } : null,
  }),
  http('http-session-required', 'fails without a session', {
    intercept: ({ method, headers }) =>
      method === 'POST' &&
      headers['mcp-protocol-version'] !== undefined &&
      headers['mcp-session-id'] === undefined
        ? { status: 500 }
        : null,
  }),
  http('http-delete', 'fails on DELETE', {
    intercept: ({ method }) => (method === 'DELETE' ? { status: 500 } : null),
  }),
  http('http-session-ended', 'ends no session', {
    intercept: ({ method }) => (method === 'DELETE' ? { status: 200 } : null),
  }),
  http('http-origin', 'allows every origin', {
    intercept: ({ headers }) =>
      headers.origin === undefined ? null : body({ jsonrpc: '2.0', id: 4, result: {} }),
  }),
  http('http-protocol-version', 'accepts every version of the header', {
    intercept: ({ headers }) =>
      headers['mcp-protocol-version'] === '1999-01-01' ? body({ jsonrpc: '2.0', id: 5, result: {} }) : null,
  }),
  http('http-stream-ends', 'keeps streams open', { answers: 'events', neverCloses: true }),
  http('http-notification-accepted', 'answers a notification with 200', { notified: 200 }),
  http('http-notification-accepted', 'answers a notification with a text', {
    notifiedText: 'Accepted',
  }),
];
