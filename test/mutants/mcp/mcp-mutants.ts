import { randomUUID } from 'node:crypto';
import type { Channel, Era } from '../../../src/model/wire.ts';
import type { Change, HttpSubjectOptions } from '../../mcp/http-subject.ts';
import { END } from '../../mcp/piped-subject.ts';
import type { Message } from '../../mcp/subject-options.ts';
import type { PlainSubject, SubjectChecks } from './checked-subject.ts';

/** A server of the Model Context Protocol that breaks one rule. */
export interface Mutant {
  /** The rule that it breaks. */
  readonly requirement: string;
  readonly what: string;
  /** Made for each check, because some servers remember what they were asked. */
  readonly subject: () => PlainSubject;
  /** The only channel, or era, in which it can be broken like this. */
  readonly channel?: Channel;
  readonly era?: Era;
  /** What the check is given for it. */
  readonly options?: SubjectChecks;
  /** Further rows that may fail with it, each with the reason. */
  readonly also?: Readonly<Record<string, string>>;
}

export type More = Omit<Mutant, 'requirement' | 'what' | 'subject'>;
export type Members = Readonly<Record<string, unknown>>;

/** Changes answers to one method. */
export const to =
  (method: string, change: Change): Change =>
  (message, request) =>
    request.method === method ? change(message, request) : message;

export const result = (method: string, change: (result: Members) => unknown): Change =>
  to(method, (message) =>
    message.result === undefined ? message : { ...message, result: change(message.result as Members) },
  );

/** The result that opens a conversation, in either era. */
export const opened =
  (change: (result: Members) => unknown): Change =>
  (message, request) =>
    result(request.method === 'initialize' ? 'initialize' : 'server/discover', change)(message, request);
const listed = (change: (tools: readonly Members[]) => unknown): Change =>
  result('tools/list', (page) => ({ ...page, tools: change(page.tools as readonly Members[]) }));
const tool = (change: (tool: Members) => Members): Change =>
  listed(([first = {}, ...rest]) => [change(first), ...rest]);
/** The first tool has a parameter `name` that this header repeats. */
const mirroring = (header: string): Change =>
  tool((one) => ({
    ...one,
    description: 'Greets somebody.',
    inputSchema: {
      ...inputSchema,
      properties: { name: { type: 'string', description: 'A name.', 'x-mcp-header': header } },
      required: ['name'],
    },
  }));
const called = (change: (result: Members) => unknown): Change => result('tools/call', change);
export const without = (members: Members, name: string): Members =>
  Object.fromEntries(Object.entries(members).filter(([key]) => key !== name));
export const paramsOf = (request: Message): Members => (request.params ?? {}) as Members;

export const refusing = ({ id }: Message, code: unknown, message: unknown = 'no'): unknown => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
export const hasCode = ({ error }: Message, code: number): boolean =>
  (error as Members | undefined)?.code === code;

/** Gives errors with this code, and these words, another code. */
const recoded = (method: string, code: number, words = /./): Change =>
  to(method, (message) =>
    hasCode(message, code) && words.test(String((message.error as Members).message))
      ? refusing(message, -32600)
      : message,
  );

/** Changes the list of tools after it was read once. */
const later = (change: (tools: readonly Members[]) => readonly Members[]): Change => {
  let count = 0;
  return listed((tools) => {
    count += 1;
    return count === 1 ? tools : change(tools);
  });
};

/** Whether a call names a tool, and gives it an object. */
const isCall = (request: Message): boolean => {
  const { name, arguments: given = {} } = paramsOf(request);
  return typeof name === 'string' && typeof given === 'object';
};

const isServed = ({ result: given }: Message): boolean =>
  given !== undefined && (given as Members).isError !== true;

const endingAtThird = (): Change => {
  let served = 0;
  return to('tools/call', (answer) => {
    served += isServed(answer) ? 1 : 0;
    return isServed(answer) && served % 3 === 0 ? END : answer;
  });
};

/** Calls that run at the same time get the result of the last one. */
const mixing = (): Change => {
  const waiting: (() => void)[] = [];
  let last: unknown;
  return to('tools/call', async (message) => {
    if (!isServed(message)) return message;
    last = message.result;
    for (const go of waiting.splice(0)) go();
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      setTimeout(resolve, 200);
    });
    return { ...message, result: last };
  });
};

const withStatus =
  (method: string, status: number): NonNullable<HttpSubjectOptions['reply']> =>
  (head, request) =>
    request.method === method ? { ...head, status } : head;

const withHeader =
  (name: string, value: string): NonNullable<HttpSubjectOptions['reply']> =>
  (head) => ({ ...head, headers: { ...head.headers, [name]: value } });

/** Of a server whose only tool adds. */
export const broken = (
  requirement: string,
  what: string,
  change: Change,
  { subject, ...more }: More & { readonly subject?: PlainSubject } = {},
): Mutant => ({
  requirement: `mcp/${requirement}`,
  what,
  subject: () => ({ only: ['add'], change, ...subject }),
  ...more,
});

export const like = (requirement: string, what: string, subject: PlainSubject, more: More = {}): Mutant => ({
  requirement: `mcp/${requirement}`,
  what,
  subject: () => ({ only: ['add'], ...subject }),
  ...more,
});

/** Of a server that remembers what it was asked. */
export const remembering = (
  requirement: string,
  what: string,
  make: () => Change,
  subject: PlainSubject,
  more: More = {},
): Mutant => ({
  requirement: `mcp/${requirement}`,
  what,
  subject: () => ({ ...subject, change: make() }),
  ...more,
});

export const http = (requirement: string, what: string, subject: PlainSubject, more: More = {}): Mutant =>
  like(requirement, what, subject, { channel: 'http', ...more });

export const SESSION: More = { era: 'session' };
export const STATELESS: More = { era: 'stateless' };
export const STDIO: More = { channel: 'stdio' };

/** What results have in the stateless era. */
export const COMPLETE = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'subject', version: '1' } },
};
const inputSchema = { type: 'object' };
export const LOG = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data: 'a call' },
};

/** The first one of each row is checked over every channel and in every era for which the row holds. */
export const MCP_MUTANTS: readonly Mutant[] = [
  broken(
    'initialize-answered',
    'refuses initialize',
    to('initialize', (m) => refusing(m, -32000)),
  ),
  broken(
    'initialize-answered',
    'answers initialize with null',
    to('initialize', (m) => ({ ...m, result: null })),
  ),
  broken(
    'discover-answered',
    'refuses server/discover',
    to('server/discover', (m) => refusing(m, -32603)),
  ),
  broken(
    'protocol-version',
    'names no version',
    opened((r) => without(r, 'protocolVersion')),
  ),
  broken(
    'protocol-version',
    'has a number as version',
    opened((r) => ({ ...r, protocolVersion: 2025 })),
  ),
  broken(
    'protocol-version',
    'has a word as version',
    opened((r) => ({ ...r, protocolVersion: 'latest' })),
  ),
  broken(
    'discover-versions',
    'does not list the revision in which it answers',
    opened((r) => ({ ...r, supportedVersions: ['2099-01-01'] })),
  ),
  broken(
    'discover-versions',
    'lists a word as a version',
    opened((r) => ({ ...r, supportedVersions: ['2026-07-28', 'latest'] })),
  ),
  broken(
    'server-capabilities',
    'has no capabilities',
    opened((r) => without(r, 'capabilities')),
  ),
  broken(
    'server-capabilities',
    'lists capabilities',
    opened((r) => ({ ...r, capabilities: ['tools'] })),
  ),
  broken(
    'server-info',
    'has no serverInfo',
    opened((r) => without(r, 'serverInfo')),
  ),
  broken(
    'server-info',
    'has no version of its own',
    opened((r) => ({ ...r, serverInfo: { name: 'x' } })),
  ),
  broken(
    'server-info',
    'has an empty name',
    opened((r) => ({ ...r, serverInfo: { name: '', version: '1' } })),
  ),
  broken(
    'server-identified',
    'does not name itself',
    opened((r) => without(r, '_meta')),
  ),
  broken(
    'version-negotiated',
    'accepts every version',
    to('initialize', (m, request) => ({
      ...m,
      result: { ...(m.result as Members), protocolVersion: paramsOf(request).protocolVersion },
    })),
  ),
  broken(
    'unsupported-version',
    'refuses an unknown revision with another error',
    recoded('server/discover', -32022),
  ),
  broken(
    'unsupported-version',
    'does not say which revisions it supports',
    to('server/discover', (m) => (hasCode(m, -32022) ? refusing(m, -32022) : m)),
    { also: { 'mcp/valid-messages': 'the schema asks for them too' } },
  ),
  broken(
    'meta-required',
    'refuses a request without _meta with another error',
    recoded('tools/list', -32602),
  ),
  broken(
    'initialize-names-versions',
    'does not name its revisions',
    to('initialize', (m) => refusing(m, -32601)),
  ),
  broken(
    'ping-answered',
    'does not know ping',
    to('ping', (m) => refusing(m, -32601)),
    { also: { 'robustness/survives': 'it asks with ping' } },
  ),
  broken(
    'valid-messages',
    'sends an error without a message',
    to('probity/unknown', (m) => ({ ...m, error: { code: -32601 } })),
  ),
  broken(
    'valid-messages',
    'answers ping with a list',
    to('ping', (m) => ({ ...m, result: [] })),
    {
      ...SESSION,
      also: {
        'mcp/ping-answered': 'the result must be an object',
        'robustness/survives': 'it asks with ping',
      },
    },
  ),
  broken(
    'valid-messages',
    'uses an older JSON-RPC',
    to('probity/unknown', (m) => ({ ...m, jsonrpc: '1.0' })),
  ),
  broken(
    'valid-messages',
    'leaves out jsonrpc',
    to('probity/unknown', (m) => without(m, 'jsonrpc')),
    SESSION,
  ),
  broken(
    'valid-messages',
    'sends a result with an error',
    to('probity/unknown', (m) => ({ ...m, result: {} })),
  ),
  broken(
    'valid-messages',
    'sends a text as code',
    to('tools/call', (m, request) => (hasCode(m, -32602) && !isCall(request) ? refusing(m, '-32602') : m)),
  ),
  broken(
    'valid-messages',
    'sends neither result nor error',
    to('ping', ({ id }) => ({ jsonrpc: '2.0', id })),
    {
      ...SESSION,
      also: { 'mcp/ping-answered': 'it is no result', 'robustness/survives': 'it asks with ping' },
    },
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
    {
      ...SESSION,
      also: {
        'documentation/parameter-descriptions': 'true describes nothing',
        'documentation/parameter-types': 'true has no type',
      },
    },
  ),
  broken(
    'valid-messages',
    'gives a text a priority of more than 1',
    called((r) => ({
      ...r,
      content: (r.content as readonly Members[]).map((one) => ({ ...one, annotations: { priority: 5 } })),
    })),
  ),
  broken(
    'ids-returned',
    'answers twice',
    to('tools/list', (m) => [m, m]),
  ),
  broken(
    'ids-returned',
    'answers with an additional result',
    to('tools/list', (m) => [{ ...m, id: 'other' }, m]),
  ),
  broken(
    'ids-returned',
    'returns numbers as texts',
    to('ping', (m) => ({ ...m, id: String(m.id) })),
    {
      ...SESSION,
      also: { 'mcp/ping-answered': 'no message answers it', 'robustness/survives': 'it asks with ping' },
    },
  ),
  broken(
    'ids-returned',
    'counts by itself',
    to('ping', (m) => ({ ...m, id: Number(m.id) + 1 })),
    {
      ...SESSION,
      also: { 'mcp/ping-answered': 'no message answers it', 'robustness/survives': 'it asks with ping' },
    },
  ),
  broken(
    'ids-returned',
    'has no id in an answer',
    to('ping', (m) => ({ ...m, id: null })),
    {
      ...SESSION,
      also: { 'mcp/ping-answered': 'no message answers it', 'robustness/survives': 'it asks with ping' },
    },
  ),
  broken(
    'ids-returned',
    'returns texts as numbers',
    to('tools/list', (m) => (typeof m.id === 'string' ? { ...m, id: 7 } : m)),
  ),
  broken(
    'only-messages',
    'writes a word before an answer',
    to('tools/list', (m) => ['ready', m]),
  ),
  like('only-messages', 'writes a greeting', { banner: 'starting …' }, STDIO),
  broken(
    'only-messages',
    'writes a number',
    to('tools/list', (m) => ['1', m]),
  ),
  broken(
    'only-messages',
    'answers with a list of messages',
    to('tools/list', (m) => JSON.stringify([m])),
  ),
  broken(
    'message-text',
    'has a key twice',
    to('tools/list', (m) => JSON.stringify(m).replace('{', '{"jsonrpc":"2.0",')),
  ),
  broken(
    'message-text',
    'writes bytes that are no UTF-8',
    to('tools/list', (m) =>
      typeof m.id === 'number' ? Buffer.from(JSON.stringify(m).replace('Adds', 'Ädds'), 'latin1') : m,
    ),
  ),
  broken(
    'message-text',
    'begins with a byte order mark',
    to('tools/list', (m) => `\uFEFF${JSON.stringify(m)}`),
  ),
  broken(
    'unknown-method',
    'has a code of its own',
    to('probity/unknown', (m) => refusing(m, 404)),
  ),
  broken(
    'unknown-method',
    'accepts every method',
    to('probity/unknown', ({ id }) => ({ jsonrpc: '2.0', id, result: {} })),
    SESSION,
  ),
  like(
    'survives-invalid-message',
    'fails after a text that is not JSON',
    { fragile: true },
    {
      also: { 'mcp/http-unacceptable': 'it answers 500 to the next one' },
    },
  ),
  like('ends-with-input', 'stays when its input ends', { lingering: true }, STDIO),
  broken(
    'result-type',
    'has no resultType',
    result('tools/list', (r) => without(r, 'resultType')),
  ),
  broken(
    'cache-fields',
    'does not say for how long its tools hold',
    result('tools/list', (r) => without(r, 'ttlMs')),
  ),
  broken(
    'cache-fields',
    'has a negative time',
    result('tools/list', (r) => ({ ...r, ttlMs: -1 })),
  ),
  broken(
    'cache-fields',
    'does not say for whom its discovery is',
    opened((r) => without(r, 'cacheScope')),
  ),
  broken(
    'no-server-requests',
    'asks for the roots of the client',
    to('tools/call', (m) => [{ jsonrpc: '2.0', id: 'r1', method: 'roots/list' }, m]),
  ),
  broken(
    'no-unasked-logs',
    'logs each call',
    to('tools/call', (m) => [LOG, m]),
  ),
  broken(
    'error-codes',
    'uses a code that was withdrawn',
    to('tools/call', (m, request) => (hasCode(m, -32602) && !isCall(request) ? refusing(m, -32002) : m)),
  ),
  broken(
    'error-codes',
    'uses a reserved code',
    to('tools/call', (m, request) => (hasCode(m, -32602) && !isCall(request) ? refusing(m, -32050) : m)),
  ),
  broken(
    'tools-listed',
    'lists no tools',
    result('tools/list', (r) => without(r, 'tools')),
  ),
  broken(
    'tools-listed',
    'lists tools by name',
    result('tools/list', (r) => ({ ...r, tools: { add: { inputSchema } } })),
  ),
  broken(
    'tools-listed',
    'refuses to list its tools',
    to('tools/list', (m) => (m.result === undefined ? m : refusing(m, -32603))),
  ),
  broken(
    'tools-capability',
    'does not announce its tools',
    opened((r) => ({ ...r, capabilities: {} })),
  ),
  remembering('tools-stable', 'forgets a tool', () => later((tools) => tools.slice(1)), {
    only: ['add', 'show'],
  }),
  remembering('tools-order', 'changes the order', () => later((tools) => tools.toReversed()), {
    only: ['add', 'show'],
  }),
  like('tool-pages', 'never ends the list', { endless: true }),
  broken(
    'tool-pages',
    'has numbers as cursors',
    result('tools/list', (page) => ({ ...page, nextCursor: 1 })),
  ),
  broken(
    'tool-pages',
    'refuses its own cursor',
    to('tools/list', (m, request) =>
      m.result === undefined || paramsOf(request).cursor !== undefined
        ? m
        : { ...m, result: { ...(m.result as Members), nextCursor: 'more' } },
    ),
    { also: { 'mcp/tools-listed': 'the second page is no list' } },
  ),
  broken(
    'unknown-cursor',
    'ignores unknown cursors',
    to('tools/list', (m, request) =>
      hasCode(m, -32602) && paramsOf(request).cursor !== undefined
        ? {
            jsonrpc: '2.0',
            id: m.id,
            result: { ...COMPLETE, tools: [], ttlMs: 0, cacheScope: 'private' },
          }
        : m,
    ),
    { subject: { only: ['add', 'show'], pageSize: 1 } },
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
    listed((tools) => [...tools, { name: 'add more', description: 'Adds.', inputSchema }]),
  ),
  broken(
    'tool-name-format',
    'has a long name',
    listed((tools) => [...tools, { name: 'a'.repeat(129), description: 'Adds.', inputSchema }]),
  ),
  broken(
    'tool-name-format',
    'has a slash in a name',
    listed((tools) => [...tools, { name: 'add/more', description: 'Adds.', inputSchema }]),
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
    {
      also: {
        'documentation/parameter-descriptions': 'a number describes nothing',
        'documentation/parameter-types': 'a number has no type',
      },
    },
  ),
  broken(
    'tool-input-schema',
    'has null as schema',
    tool((t) => ({ ...t, inputSchema: null })),
  ),
  broken(
    'tool-output-schema',
    'has an unknown type',
    tool((t) => ({ ...t, outputSchema: { type: 'object', properties: { sum: { type: 'numeric' } } } })),
    { also: { 'documentation/return-types': 'it is no type' } },
  ),
  broken(
    'tool-output-schema',
    'returns a list',
    tool((t) => ({ ...t, outputSchema: { type: 'array' } })),
    {
      ...SESSION,
      also: {
        'mcp/structured-content': 'its results are objects',
        'inputs/result-matches-returns': 'its results are objects',
        'documentation/return-types': 'a list has no keys',
      },
    },
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
  like('read-only-kept', 'keeps what it should only find', {
    only: ['listNotes', 'findText'],
    notes: 'changed by reading',
  }),
  like('idempotent-kept', 'keeps the same again', {
    only: ['listNotes', 'findText', 'putNote'],
    notes: 'put again',
  }),
  broken(
    'unknown-tool',
    'has every tool',
    to('tools/call', (m, request) =>
      hasCode(m, -32602) && isCall(request)
        ? { jsonrpc: '2.0', id: m.id, result: { ...COMPLETE, content: [] } }
        : m,
    ),
  ),
  broken(
    'unknown-method',
    'ends on an unknown method',
    to('probity/unknown', () => END),
    { ...STDIO, also: { 'robustness/survives': 'it ended' } },
  ),
  broken(
    'unknown-tool-code',
    'refuses an unknown tool with the error of a fault of its own',
    to('tools/call', (m, request) => (hasCode(m, -32602) && isCall(request) ? refusing(m, -32603) : m)),
  ),
  broken(
    'malformed-call',
    'answers a call without a name with a result',
    to('tools/call', (m, request) =>
      paramsOf(request).name === undefined
        ? { jsonrpc: '2.0', id: m.id, result: { ...COMPLETE, content: [] } }
        : m,
    ),
  ),
  broken(
    'x-mcp-header-valid',
    'repeats a parameter in a header with a blank in its name',
    mirroring('a name'),
    { subject: { only: ['greet'] }, ...STATELESS },
  ),
  broken(
    'x-mcp-header-valid',
    'repeats a list in a header',
    tool((t) => ({
      ...t,
      description: 'Greets some people.',
      inputSchema: {
        ...inputSchema,
        properties: { names: { type: 'array', description: 'Some names.', 'x-mcp-header': 'Names' } },
      },
    })),
    { subject: { only: ['greet'] }, ...STATELESS },
  ),
  http('http-param-header', 'ignores the header of a parameter', {
    change: mirroring('Name'),
    only: ['greet'],
  }),
  http('http-param-header', 'takes every header of a parameter for a wrong one', {
    only: ['greet'],
    change: (message, asked) =>
      asked.method === 'tools/call' && isServed(message)
        ? refusing(message, -32020)
        : mirroring('Name')(message, asked),
  }),
  broken(
    'input-required-valid',
    'asks for what no client knows',
    called((r) => ({
      ...r,
      resultType: 'input_required',
      inputRequests: { who: { method: 'ping' } },
    })),
    STATELESS,
  ),
  http('http-unacceptable', 'accepts a body that is not JSON', { unreadable: 200 }),
  broken(
    'calls-answered',
    'ends on valid calls',
    to('tools/call', (m) => (isServed(m) ? END : m)),
    STDIO,
  ),
  remembering(
    'calls-answered',
    'ends on every third valid call',
    endingAtThird,
    { only: ['add'] },
    {
      ...STDIO,
      also: { 'inputs/valid-answered': 'the third may be a generated one' },
    },
  ),
  broken(
    'calls-answered',
    'ends the stream of a valid call without a message',
    to('tools/call', (m) => (isServed(m) ? [] : m)),
    { channel: 'http' },
  ),
  broken(
    'calls-served',
    'refuses a configured input',
    called((r) => ({ ...without(r, 'structuredContent'), isError: true })),
    { options: { samples: { add: [{ input: { a: 1, b: 2 } }] } } },
  ),
  remembering('calls-apart', 'mixes calls that run at the same time', mixing, { only: ['add'] }),
  broken(
    'arguments-optional',
    'refuses calls without arguments',
    to('tools/call', (m, request) => (paramsOf(request).arguments === undefined ? refusing(m, -32602) : m)),
    { subject: { only: ['show'] } },
  ),
  broken(
    'inputs-validated',
    'accepts every input',
    called((r) =>
      r.isError === true
        ? {
            ...without(r, 'isError'),
            content: [{ type: 'text', text: '{"sum":0}' }],
            structuredContent: { sum: 0 },
          }
        : r,
    ),
    { also: { 'inputs/invalid-refused': 'it is about the same of generated inputs' } },
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
    called((r) => ({
      ...r,
      content: [...(r.content as readonly Members[]), { type: 'image', mimeType: 'image/png' }],
    })),
  ),
  broken(
    'result-content',
    'returns a resource without an address',
    called((r) => ({
      ...r,
      content: [...(r.content as readonly Members[]), { type: 'resource', resource: { text: 'x' } }],
    })),
  ),
  broken(
    'result-error-flag',
    'fails with a text',
    called((r) => (r.isError === true ? r : { ...r, isError: 'false' })),
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
    { also: { 'inputs/result-matches-returns': 'it is about the same of generated inputs' } },
  ),
  like(
    'structured-content',
    'returns sums as text',
    { wrongSums: true },
    { also: { 'inputs/result-matches-returns': 'it is about the same of generated inputs' } },
  ),
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
      (m.result as Members | undefined)?.isError === true
        ? refusing(m, -32603, 'a and b must be numbers')
        : m,
    ),
  ),
  http('http-media-type', 'answers with plain text', { reply: withHeader('content-type', 'text/plain') }),
  http('http-get', 'answers GET with a page', {
    intercept: ({ method }) =>
      method === 'GET' ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' } : null,
  }),
  http('http-session-id', 'has spaces in the ids of its sessions', {
    sessionId: () => `session ${randomUUID()}`,
  }),
  http('http-session-unknown', 'answers an unknown session with 400', {
    intercept: ({ headers }) =>
      headers['mcp-session-id'] === 'probity-unknown-session' ? { status: 400 } : null,
  }),
  http('http-session-required', 'fails without a session', {
    intercept: ({ method, headers }) =>
      method === 'POST' &&
      headers['mcp-protocol-version'] === '2025-11-25' &&
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
    intercept: ({ headers }) => {
      delete headers.origin;
      return null;
    },
  }),
  http('http-protocol-version', 'accepts every version of the header', {
    intercept: ({ headers }) => {
      delete headers['mcp-protocol-version'];
      return null;
    },
  }),
  http('http-stream-ends', 'keeps streams open', { answers: 'events', neverCloses: true }),
  http('http-notification-accepted', 'answers a notification with 200', { notified: 200 }),
  http('http-notification-accepted', 'answers a notification with a text', { notifiedText: 'Accepted' }),
  http('http-version-mismatch', 'refuses another version in the header with another error', {
    change: recoded('tools/list', -32020, /Version/),
  }),
  http('http-version-mismatch', 'ignores the version in the header', {
    intercept: ({ headers }) => {
      if (headers['mcp-protocol-version'] === '2025-11-25') headers['mcp-protocol-version'] = '2026-07-28';
      return null;
    },
  }),
  http('http-method-header', 'refuses another method in the header with another error', {
    change: recoded('tools/list', -32020, /Method/),
  }),
  http('http-method-header', 'does not ask for the method in the header', {
    intercept: ({ headers }) => {
      headers['mcp-method'] ??= 'tools/list';
      return null;
    },
  }),
  http('http-name-header', 'refuses another name in the header with another error', {
    change: recoded('tools/call', -32020, /Name/),
  }),
  http('http-name-header', 'ignores the name in the header', {
    intercept: ({ headers }) => {
      if (headers['mcp-name'] === 'probity_other_tool') headers['mcp-name'] = 'probity_unknown_tool';
      return null;
    },
  }),
  http('http-name-encoded', 'does not decode the name in the header', {
    intercept: ({ headers }) => {
      if (String(headers['mcp-name']).startsWith('=?base64?')) headers['mcp-name'] = 'another';
      return null;
    },
  }),
  http('http-unknown-method', 'refuses an unknown method with 200', {
    reply: withStatus('probity/unknown', 200),
  }),
  http(
    'http-other-methods',
    'answers GET with 404',
    { intercept: ({ method }) => (method === 'GET' ? { status: 404 } : null) },
    STATELESS,
  ),
  http(
    'http-other-methods',
    'answers DELETE with 200',
    { intercept: ({ method }) => (method === 'DELETE' ? { status: 200 } : null) },
    STATELESS,
  ),
  http('http-no-sessions', 'issues ids of sessions', { reply: withHeader('mcp-session-id', 's1') }),
];
