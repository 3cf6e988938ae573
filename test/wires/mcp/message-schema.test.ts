import { describe, expect, it } from 'vitest';
import { createSchemaEvaluator } from '../../../src/checks/json/schema-evaluator.ts';
import { type Json, type JsonObject, ownProperty, pointerSteps } from '../../../src/json/json.ts';
import { MESSAGE_SCHEMAS, problemsOfMessage } from '../../../src/wires/mcp/message-schema.ts';

const schemas = createSchemaEvaluator();
const problems = (message: Json, version: string | null, answered?: string) =>
  problemsOfMessage({ message, version, answered: answered ?? null }, schemas);

const SESSION = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const ALL = [...SESSION, '2026-07-28'];
const since = (first: string): readonly string[] => ALL.filter((one) => one >= first);
const until = (last: string): readonly string[] => ALL.filter((one) => one <= last);
const from = (first: string, last: string) => since(first).filter((one) => one <= last);

/** What a fault replaces, with what (undefined: leave it out), where the problem is, and what is expected there. */
type Fault = readonly [
  changed: string,
  value: Json | undefined,
  pointer: string,
  expected: string,
  versions?: readonly string[],
];

interface Case {
  readonly versions: readonly string[];
  /** Of a result the method that it answers. */
  readonly answers?: string;
  readonly message: JsonObject;
  readonly faults: readonly Fault[];
}

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'server', version: '1' } };
/** What the newest revision asks of every result, and of those that can be cached; others allow it. */
const COMPLETE = { resultType: 'complete', _meta: META };
const CACHED = { ...COMPLETE, ttlMs: 0, cacheScope: 'private' };
const needs = (member: string): string => `an object with the property "${member}"`;

const result = (
  answers: string,
  versions: readonly string[],
  value: JsonObject,
  ...faults: readonly Fault[]
): Case => ({
  answers,
  versions,
  message: { jsonrpc: '2.0', id: 1, result: value },
  faults: faults.map(([changed, to, pointer, ...rest]) => [
    `/result${changed}`,
    to,
    `/result${pointer}`,
    ...rest,
  ]),
});
const sent = (
  method: string,
  versions: readonly string[],
  params: JsonObject | null,
  ...faults: readonly Fault[]
): Case => ({
  versions,
  message: { jsonrpc: '2.0', method, ...(params === null ? {} : { params }) },
  faults: faults.map(([changed, to, pointer, ...rest]) => [`/params${changed}`, to, pointer, ...rest]),
});
const asked = (...given: Parameters<typeof sent>): Case => {
  const { message, ...rest } = sent(...given);
  return { ...rest, message: { ...message, id: 'server-1' } };
};

const RESOURCE = { uri: 'file:///a', name: 'a' };
const SCHEMA = { type: 'object', properties: { a: {} }, required: ['a'] };
const TASK = {
  ...{ taskId: 't', status: 'working', createdAt: 'then', lastUpdatedAt: 'now', ttl: null, pollInterval: 5 },
};
const CONTENT = [
  { type: 'text', text: 'a', annotations: { audience: ['user'], priority: 0.5 } },
  { type: 'image', data: 'AA==', mimeType: 'image/png' },
  { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
];
const MESSAGES = { messages: [{ role: 'user', content: { type: 'text', text: 'a' } }], maxTokens: 9 };
const FORM = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string', format: 'email' } } },
};

const CASES: readonly Case[] = [
  result(
    'initialize',
    SESSION,
    {
      ...{ protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } } },
      serverInfo: { name: 'server', version: '1' },
    },
    ['/capabilities', undefined, '', needs('capabilities')],
    ['/serverInfo/version', 1, '/serverInfo/version', 'a string'],
    ['/capabilities/tools/listChanged', 'yes', '/capabilities/tools/listChanged', 'true or false'],
    ['/instructions', null, '/instructions', 'a string'],
    ['/serverInfo/icons', [{}], '/serverInfo/icons/0', needs('src'), ['2025-11-25']],
    [
      '/capabilities/completions',
      true,
      '/capabilities/completions',
      'an object',
      from('2025-03-26', '2025-11-25'),
    ],
  ),
  result(
    'server/discover',
    ['2026-07-28'],
    { ...CACHED, supportedVersions: ['2026-07-28'], capabilities: { extensions: {} } },
    ['/supportedVersions', '2026-07-28', '/supportedVersions', 'an array'],
    ['/ttlMs', -1, '/ttlMs', 'an integer, 0 or more'],
    ['/cacheScope', undefined, '', needs('cacheScope')],
    ['/resultType', undefined, '', needs('resultType')],
    [
      '/_meta/io.modelcontextprotocol~1serverInfo',
      {},
      '/_meta/io.modelcontextprotocol~1serverInfo',
      needs('name'),
    ],
  ),
  result('ping', SESSION, {}, ['/_meta', null, '/_meta', 'an object']),
  result(
    'tools/list',
    ALL,
    {
      ...CACHED,
      tools: [
        { name: 'a', inputSchema: SCHEMA },
        { name: 'b', inputSchema: SCHEMA },
      ],
    },
    ['/tools', undefined, '', needs('tools')],
    ['/tools/1/name', undefined, '/tools/1', needs('name')],
    ['/tools/1/inputSchema', undefined, '/tools/1', needs('inputSchema')],
    ['/tools/0/inputSchema/type', 'array', '/tools/0/inputSchema/type', '"object"'],
    ['/tools/0/description', null, '/tools/0/description', 'a string'],
    ['/tools/1/inputSchema/properties/a', true, '/tools/1/inputSchema/properties/a', 'an object', SESSION],
    [
      '/tools/1/annotations',
      { readOnlyHint: 'no' },
      '/tools/1/annotations/readOnlyHint',
      'true or false',
      since('2025-03-26'),
    ],
    [
      '/tools/1/outputSchema',
      { type: 'array' },
      '/tools/1/outputSchema/type',
      '"object"',
      from('2025-06-18', '2025-11-25'),
    ],
    ['/tools/1/title', null, '/tools/1/title', 'a string', since('2025-06-18')],
    [
      '/tools/1/icons',
      [{ src: 'a', theme: 'red' }],
      '/tools/1/icons/0/theme',
      '"light" or "dark"',
      since('2025-11-25'),
    ],
    [
      '/tools/1/execution',
      { taskSupport: true },
      '/tools/1/execution/taskSupport',
      '"forbidden" or "optional" or "required"',
      ['2025-11-25'],
    ],
    ['/nextCursor', null, '/nextCursor', 'a string'],
  ),
  result(
    'tools/call',
    ALL,
    { ...COMPLETE, content: CONTENT },
    ['/content', undefined, '', needs('content')],
    ['/content/0/text', 5, '/content/0/text', 'a string'],
    ['/content/0/type', undefined, '/content/0', needs('type')],
    ['/content/0/type', 'video', '/content/0/type', '"text" or "image" or "resource"', ['2024-11-05']],
    [
      '/content/0/type',
      'video',
      '/content/0/type',
      '"text" or "image" or "audio" or "resource"',
      ['2025-03-26'],
    ],
    [
      '/content/0/type',
      'video',
      '/content/0/type',
      '"text" or "image" or "audio" or "resource_link" or "resource"',
      since('2025-06-18'),
    ],
    [
      '/content/0/annotations/priority',
      2,
      '/content/0/annotations/priority',
      'a number, 0 or more, 1 or less',
    ],
    [
      '/content/0/annotations/audience',
      ['model'],
      '/content/0/annotations/audience/0',
      '"user" or "assistant"',
    ],
    ['/content/1/mimeType', undefined, '/content/1', needs('mimeType')],
    ['/content/1', 'an image', '/content/1', 'an object'],
    ['/content/2/resource/text', undefined, '/content/2/resource', needs('text')],
    ['/content/0', { type: 'audio', data: 'AA==' }, '/content/0', needs('mimeType'), since('2025-03-26')],
    [
      '/content/0',
      { type: 'resource_link', uri: 'file:///a' },
      '/content/0',
      needs('name'),
      since('2025-06-18'),
    ],
    ['/isError', 'false', '/isError', 'true or false'],
    ['/structuredContent', [1], '/structuredContent', 'an object', from('2025-06-18', '2025-11-25')],
  ),
  result('tools/call', ['2025-11-25'], { task: TASK }, [
    '/task/status',
    'done',
    '/task/status',
    '"working" or "input_required" or "completed" or "failed" or "cancelled"',
  ]),
  result(
    'tools/call',
    ['2026-07-28'],
    {
      ...{ resultType: 'input_required', requestState: 's' },
      inputRequests: { who: { method: 'elicitation/create', params: { mode: 'form', ...FORM } } },
    },
    ['/requestState', {}, '/requestState', 'a string'],
    [
      '/inputRequests/who/method',
      'ping',
      '/inputRequests/who/method',
      '"elicitation/create" or "sampling/createMessage" or "roots/list"',
    ],
    ['/inputRequests/who/params/message', undefined, '/inputRequests/who/params', needs('message')],
    [
      '/inputRequests/who',
      { method: 'sampling/createMessage', params: {} },
      '/inputRequests/who/params',
      needs('messages'),
    ],
    ['/inputRequests/who', { method: 'roots/list', params: [] }, '/inputRequests/who/params', 'an object'],
  ),
  result(
    'resources/list',
    ALL,
    { ...CACHED, resources: [{ ...RESOURCE, size: 5 }] },
    ['/resources/0/uri', undefined, '/resources/0', needs('uri')],
    ['/resources/0/size', 'big', '/resources/0/size', 'an integer'],
  ),
  result(
    'resources/templates/list',
    ALL,
    { ...CACHED, resourceTemplates: [{ uriTemplate: 'a/{b}', name: 'a' }] },
    ['/resourceTemplates/0/uriTemplate', undefined, '/resourceTemplates/0', needs('uriTemplate')],
  ),
  result(
    'resources/read',
    ALL,
    { ...CACHED, contents: [{ uri: 'file:///a', blob: 'AA==' }] },
    ['/contents/0/blob', undefined, '/contents/0', needs('text')],
    ['/contents', {}, '/contents', 'an array'],
  ),
  result('resources/subscribe', SESSION, {}, ['/_meta', 1, '/_meta', 'an object']),
  result('resources/unsubscribe', SESSION, {}, ['/_meta', 1, '/_meta', 'an object']),
  result(
    'prompts/list',
    ALL,
    { ...CACHED, prompts: [{ name: 'a', arguments: [{ name: 'b', required: true }] }] },
    ['/prompts/0/arguments/0/required', 'yes', '/prompts/0/arguments/0/required', 'true or false'],
    ['/prompts/0/name', undefined, '/prompts/0', needs('name')],
  ),
  result(
    'prompts/get',
    ALL,
    { ...COMPLETE, messages: [{ role: 'user', content: CONTENT[0] ?? null }] },
    ['/messages/0/role', 'system', '/messages/0/role', '"user" or "assistant"'],
    ['/messages/0/content', [], '/messages/0/content', 'an object'],
  ),
  result(
    'completion/complete',
    ALL,
    { ...COMPLETE, completion: { values: ['a'], total: 1 } },
    ['/completion/values/0', 1, '/completion/values/0', 'a string'],
    [
      '/completion/values',
      new Array<string>(101).fill('a'),
      '/completion/values',
      'an array, at most 100 items',
      ['2026-07-28'],
    ],
  ),
  result('logging/setLevel', SESSION, {}, ['/_meta', 1, '/_meta', 'an object']),
  result('tasks/get', ['2025-11-25'], TASK, ['/taskId', undefined, '', needs('taskId')]),
  result('tasks/cancel', ['2025-11-25'], TASK, ['/ttl', 'long', '/ttl', 'an integer or null']),
  result('tasks/result', ['2025-11-25'], { content: [] }, ['/_meta', 1, '/_meta', 'an object']),
  result('tasks/list', ['2025-11-25'], { tasks: [TASK] }, [
    '/tasks/0/createdAt',
    5,
    '/tasks/0/createdAt',
    'a string',
  ]),
  result(
    'subscriptions/listen',
    ['2026-07-28'],
    { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    ['/_meta', {}, '/_meta', needs('io.modelcontextprotocol/subscriptionId')],
  ),

  asked('ping', SESSION, null, [
    '',
    { _meta: { progressToken: {} } },
    '/params/_meta/progressToken',
    'a string or an integer',
  ]),
  asked('roots/list', SESSION, {}, ['/_meta', 5, '/params/_meta', 'an object']),
  asked(
    'sampling/createMessage',
    SESSION,
    MESSAGES,
    ['', undefined, '', needs('params')],
    ['/maxTokens', undefined, '/params', needs('maxTokens')],
    ['/messages/0/content/text', undefined, '/params/messages/0/content', needs('text')],
    ['/messages/0/content/type', 'tool_use', '/params/messages/0/content', needs('id'), ['2025-11-25']],
    [
      '/messages/0/content',
      [{ type: 'tool_result', toolUseId: 'a' }],
      '/params/messages/0/content/0',
      needs('content'),
      ['2025-11-25'],
    ],
    ['/messages/0/content', [], '/params/messages/0/content', 'an object', until('2025-06-18')],
    [
      '/modelPreferences',
      { costPriority: 2 },
      '/params/modelPreferences/costPriority',
      'a number, 0 or more, 1 or less',
    ],
    ['/tools', [{}], '/params/tools/0', needs('name'), ['2025-11-25']],
  ),
  asked(
    'elicitation/create',
    from('2025-06-18', '2025-11-25'),
    FORM,
    ['/message', undefined, '/params', needs('message')],
    [
      '/requestedSchema/properties/name/format',
      'uuid',
      '/params/requestedSchema/properties/name/format',
      '"email" or "uri" or "date" or "date-time"',
    ],
    [
      '/requestedSchema/properties/name',
      { type: 'number', maximum: '5' },
      '/params/requestedSchema/properties/name/maximum',
      'a number',
    ],
    [
      '/requestedSchema/properties/name/type',
      'object',
      '/params/requestedSchema/properties/name/type',
      '"string" or "number" or "integer" or "boolean"',
      ['2025-06-18'],
    ],
    [
      '/requestedSchema/properties/name',
      { type: 'array', items: {} },
      '/params/requestedSchema/properties/name/items',
      needs('type'),
      ['2025-11-25'],
    ],
    ['/mode', 'url', '/params', needs('url'), ['2025-11-25']],
    ['/mode', 'other', '/params/mode', '"form"', ['2025-11-25']],
  ),
  ...['tasks/get', 'tasks/result', 'tasks/cancel'].map((method) =>
    asked(method, ['2025-11-25'], { taskId: 't' }, ['/taskId', 5, '/params/taskId', 'a string']),
  ),
  asked('tasks/list', ['2025-11-25'], { cursor: 'a' }, ['/cursor', null, '/params/cursor', 'a string']),

  sent(
    'notifications/cancelled',
    ALL,
    { requestId: 1, reason: 'late' },
    ['/requestId', undefined, '/params', needs('requestId'), ALL.filter((one) => one !== '2025-11-25')],
    ['/requestId', 1.5, '/params/requestId', 'a string or an integer'],
    ['/reason', null, '/params/reason', 'a string'],
  ),
  sent(
    'notifications/progress',
    ALL,
    { progressToken: 'a', progress: 0.5 },
    ['/progress', '50 %', '/params/progress', 'a number'],
    ['/progressToken', undefined, '/params', needs('progressToken')],
    ['/message', null, '/params/message', 'a string', since('2025-03-26')],
  ),
  sent(
    'notifications/message',
    ALL,
    { level: 'info', data: null },
    [
      '/level',
      'warn',
      '/params/level',
      '"debug" or "info" or "notice" or "warning" or "error" or "critical" or "alert" or "emergency"',
    ],
    ['/data', undefined, '/params', needs('data')],
  ),
  sent('notifications/resources/updated', ALL, { uri: 'file:///a' }, [
    '/uri',
    undefined,
    '/params',
    needs('uri'),
  ]),
  ...['resources', 'tools', 'prompts'].map((list) =>
    sent(`notifications/${list}/list_changed`, ALL, null, ['', { _meta: [] }, '/params/_meta', 'an object']),
  ),
  sent('notifications/tasks/status', ['2025-11-25'], TASK, [
    '/status',
    undefined,
    '/params',
    needs('status'),
  ]),
  sent('notifications/elicitation/complete', ['2025-11-25'], { elicitationId: 'a' }, [
    '/elicitationId',
    undefined,
    '/params',
    needs('elicitationId'),
  ]),
  sent(
    'notifications/subscriptions/acknowledged',
    ['2026-07-28'],
    { notifications: { toolsListChanged: true } },
    ['/notifications', undefined, '/params', needs('notifications')],
  ),

  error(
    ['2025-11-25'],
    -32042,
    { elicitations: [{ mode: 'url', message: 'a', url: 'https://a.example', elicitationId: 'a' }] },
    ['/elicitations/0/url', undefined, '/elicitations/0', needs('url')],
  ),
  error(['2026-07-28'], -32021, { requiredCapabilities: { roots: {} } }, [
    '/requiredCapabilities/roots',
    true,
    '/requiredCapabilities/roots',
    'an object',
  ]),
  error(['2026-07-28'], -32022, { supported: ['2026-07-28'], requested: '1999-01-01' }, [
    '/supported',
    undefined,
    '',
    needs('supported'),
  ]),
];

function error(
  versions: readonly string[],
  code: number,
  data: JsonObject,
  ...faults: readonly Fault[]
): Case {
  return {
    versions,
    message: { jsonrpc: '2.0', id: 1, error: { code, message: 'no', data } },
    faults: faults.map(([at, to, pointer, ...rest]) => [
      `/error/data${at}`,
      to,
      `/error/data${pointer}`,
      ...rest,
    ]),
  };
}

/** The value with one member replaced or left out. */
function changed(value: Json, [step, ...below]: readonly string[], to: Json | undefined): Json {
  if (step === undefined) return to ?? null;
  const isLeftOut = below.length === 0 && to === undefined;
  if (Array.isArray(value))
    return (value as readonly Json[]).map((one, index) =>
      String(index) === step ? changed(one, below, to) : one,
    );
  const { [step]: part, ...others } = value as JsonObject;
  return isLeftOut ? others : { ...others, [step]: changed(part ?? null, below, to) };
}

describe('a message that a revision describes', () => {
  it.each(
    CASES.flatMap((one) =>
      one.versions.map((version) => ({ ...one, version, name: one.answers ?? nameOf(one.message) })),
    ),
  )(
    'is accepted, and refused when one part is wrong: $name in $version',
    ({ version, message, answers, faults }) => {
      expect(problems(message, version, answers)).toEqual([]);
      for (const [at, to, pointer, expected, versions = ALL] of faults) {
        const broken = changed(message, pointerSteps(at), to);
        const found = problems(broken, version, answers);
        const text = `${at} of ${JSON.stringify(broken)}`;
        if (versions.includes(version)) expect(found, text).toMatchObject([{ pointer, expected }]);
        else expect(found, text).not.toMatchObject([{ pointer, expected }]);
      }
    },
  );

  it.each([
    ['2024-11-05', 'tools/list', { tools: [{ name: 'a', inputSchema: SCHEMA, annotations: 'none' }] }],
    ['2025-03-26', 'tools/call', { content: [], structuredContent: 5 }],
    ['2025-06-18', 'tools/list', { tools: [{ name: 'a', inputSchema: SCHEMA, icons: 'none' }] }],
    ['2026-07-28', 'tools/call', { ...COMPLETE, content: [], structuredContent: 5 }],
  ])('may be anything where only other revisions say more: %s %s', (version, answers, value) => {
    expect(problems({ jsonrpc: '2.0', id: 1, result: value }, version, answers)).toEqual([]);
  });

  it('has a case above for every method of every revision', () => {
    const covered = CASES.flatMap(({ versions, answers, message }) => {
      const sort = message.id === undefined ? 'notifications' : 'requests';
      const kind = answers !== undefined ? 'results' : message.error === undefined ? sort : 'errors';
      return versions.map((version) => `${version} ${kind} ${answers ?? nameOf(message)}`);
    });
    const described = [...MESSAGE_SCHEMAS].flatMap(([version, schema]) =>
      entries(ownProperty(schema, 'properties')).flatMap(([kind, methods]) =>
        entries(ownProperty(methods, 'properties'))
          .filter(([, definition]) => definition !== true)
          .map(([method]) => `${version} ${kind} ${method}`),
      ),
    );
    expect(described.toSorted()).toEqual([...new Set(covered)].toSorted());
  });

  it('has one problem for each entry of a list', () => {
    const tool = { name: 'a', inputSchema: SCHEMA };
    const tools = [{ ...tool, title: 1 }, tool, { inputSchema: SCHEMA }, 'd'];
    const found = problems({ jsonrpc: '2.0', id: 1, result: { tools } }, '2025-11-25', 'tools/list');
    expect(found.map(({ pointer }) => pointer)).toEqual([
      '/result/tools/0/title',
      '/result/tools/2',
      '/result/tools/3',
    ]);
    const ended = { jsonrpc: '2.0', id: 1, result: { tools, nextCursor: null } };
    expect(problems(ended, '2025-11-25', 'tools/list')).toMatchObject([{ pointer: '/result/nextCursor' }]);
    const listed = { jsonrpc: '2.0', id: 1, result: { content: [], structuredContent: [1, 2] } };
    expect(problems(listed, '2025-11-25', 'tools/call')).toEqual([
      { pointer: '/result/structuredContent', expected: 'an object', received: '[1,2] (array)' },
    ]);
  });
});

/** Its method or the code of its error. */
function nameOf({ method, error: failure }: JsonObject): string {
  return String(method ?? ownProperty(failure, 'code'));
}

function entries(value: Json | undefined): readonly [string, Json][] {
  return Object.entries(value as JsonObject);
}

describe('a message by JSON-RPC alone', () => {
  const answer = { jsonrpc: '2.0', id: 1 };
  const failure = { code: 1, message: 'no' };

  it.each<readonly [string, Json]>([
    ['a result of an unknown method', { ...answer, result: { tools: 5 } }],
    ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/other', params: { level: 5 } }],
    ['an unknown request', { ...answer, method: 'other/method', params: {} }],
    ['an error of an unknown code', { ...answer, error: { ...failure, data: 5 } }],
    ['an error without an id', { jsonrpc: '2.0', error: failure }],
    ['an error with the id null', { jsonrpc: '2.0', id: null, error: failure }],
    ['the name of a property of every object', { jsonrpc: '2.0', method: 'toString' }],
  ])('is accepted: %s', (_, message) => {
    for (const version of [...ALL, '2030-01-01', null]) expect(problems(message, version)).toEqual([]);
  });

  it.each<readonly [string, Json, string, string]>([
    ['a text', 'ping', '', 'an object'],
    ['another version', { ...answer, jsonrpc: '1.0', result: {} }, '/jsonrpc', '"2.0"'],
    ['a method that is a number', { ...answer, method: 5 }, '/method', 'a string'],
    ['a list of params', { ...answer, method: 'ping', params: [] }, '/params', 'an object'],
    [
      'a request with the id null',
      { ...answer, id: null, method: 'ping' },
      '/id',
      'a string or an integer, or no id in a notification',
    ],
    ['neither', answer, '', 'a method, a result or an error'],
    [
      'a result without an id',
      { jsonrpc: '2.0', result: {} },
      '/id',
      'the id of the request, a string or an integer',
    ],
    ['a fraction as id', { ...answer, id: 1.5, error: failure }, '/id', 'a string, an integer or null'],
    ['a list as result', { ...answer, result: [] }, '/result', 'an object'],
    ['both', { ...answer, result: {}, error: failure }, '/error', 'no error beside a result'],
    ['a text as error', { ...answer, error: 'no' }, '/error', 'an object with a code and a message'],
    ['a code that is a text', { ...answer, error: { ...failure, code: '1' } }, '/error/code', 'an integer'],
    ['an error without a message', { ...answer, error: { code: 1 } }, '/error/message', 'a string'],
  ])('is refused: %s', (_, message, pointer, expected) => {
    for (const version of [...ALL, null])
      expect(problems(message, version, 'ping')).toMatchObject([{ pointer, expected }]);
  });
});
