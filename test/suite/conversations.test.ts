import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Step } from '../../src/model/suite.ts';
import {
  expectedSummaries,
  loadText,
  type Mistake,
  problemsOf,
  readMarks,
  suiteOf,
  summaryOf,
} from './loading.ts';

const ok = '{ outcome: { is: answered, id: ok } }';
const stepText = (request: string, rest = ''): string =>
  suiteOf(`- id: one\n  request: ${request}\n  expect: ${ok}\n${rest}`);

function stepWith(request: string, rest = ''): Step {
  const [step] = loadText(stepText(request, rest)).steps;
  if (step === undefined) throw new Error('no step');
  return step;
}

const SENDING = {
  headers: {},
  abort: null,
  anonymous: false,
  keepConnection: false,
  scheme: null,
  token: null,
  timeoutMs: null,
  retry: null,
};

describe('a request', () => {
  test.each([
    ['{ list: functions }', { kind: 'list', of: 'functions' }],
    ['{ list: templates }', { kind: 'list', of: 'templates' }],
    ['{ alive: true }', { kind: 'alive' }],
    ['{ open: main }', { kind: 'open', conversation: 'main', version: null, isBare: false }],
    [
      '{ open: old, version: "1999-01-01", capabilities: none }',
      { kind: 'open', conversation: 'old', version: '1999-01-01', isBare: true },
    ],
    [
      '{ message: { method: tools/list } }',
      { kind: 'message', conversation: 'main', message: { method: 'tools/list' }, until: null },
    ],
    [
      '{ message: { method: notifications/cancelled, params: { requestId: "${run.seed}" } }, conversation: apart }',
      {
        kind: 'message',
        conversation: 'apart',
        message: { method: 'notifications/cancelled', params: { requestId: '${run.seed}' } },
        until: null,
      },
    ],
    [
      `{ raw: '{"id": 2,' }`,
      { kind: 'raw', conversation: 'main', parts: [{ kind: 'text', text: '{"id": 2,', times: 1 }] },
    ],
    [
      '{ raw: [{ text: "[", times: 9 }, { base64: aGk= }, { json: { a: 1 } }], conversation: spoilt }',
      {
        kind: 'raw',
        conversation: 'spoilt',
        parts: [
          { kind: 'text', text: '[', times: 9 },
          { kind: 'base64', base64: 'aGk=', times: 1 },
          { kind: 'json', value: { a: 1 }, times: 1 },
        ],
      },
    ],
    ['{ http: GET }', { kind: 'http', conversation: 'main', method: 'GET' }],
    ['{ http: DELETE, conversation: apart }', { kind: 'http', conversation: 'apart', method: 'DELETE' }],
    ['{ close: spoilt }', { kind: 'close', conversation: 'spoilt' }],
  ])('%s', (request, expected) => {
    expect(stepWith(request).request).toEqual({ ...expected, ...SENDING });
  });

  test.each([
    'list: functions',
    'alive: true',
    'open: main',
    'message: {}',
    'raw: x',
    'http: GET',
    'close: main',
  ])('with %s is sent as any other', (kind) => {
    const sending =
      'headers: { MCP-Method: "a ${run.seed}", mcp-name: null }, anonymous: true, keepConnection: true, scheme: Basic, timeoutMs: 9';
    expect(stepWith(`{ ${kind}, ${sending} }`).request).toMatchObject({
      headers: { 'mcp-method': 'a ${run.seed}', 'mcp-name': null },
      anonymous: true,
      keepConnection: true,
      scheme: 'Basic',
      timeoutMs: 9,
    });
  });

  test.each(['message: {}', 'raw: x'])('with %s can be aborted', (kind) => {
    expect(stepWith(`{ ${kind}, abort: { afterBytes: 3 } }`).request?.abort).toEqual({ afterBytes: 3 });
  });

  test('without a header of the suite', () => {
    const text = stepText('{ get: /a, headers: { X-A: null } }').replace(
      'steps:',
      'defaults: { headers: { x-a: a, x-b: b, x-c: null } }\nsteps:',
    );
    expect(loadText(text).steps[0]?.request?.headers).toEqual({ 'x-a': null, 'x-b': 'b', 'x-c': null });
  });

  test('with raw bytes as its body', () => {
    expect(stepWith('{ post: /x, raw: a }').request).toMatchObject({
      kind: 'post',
      body: { kind: 'raw', parts: [{ kind: 'text', text: 'a', times: 1 }] },
    });
  });

  test('of a step that loops, has cases, repeats or is timed', () => {
    const text = suiteOf(`- id: read
  request: { list: functions }
  expect: { outcome: { is: result, id: listed } }
  save: { functions: { at: "$.functions[*]", many: true } }
- id: each
  needs: [read]
  forEach: { in: "\${functions}", as: fn, key: "\${fn.name}" }
  cases: [{ id: a, value: 1 }]
  request: { message: { method: tools/call, params: { name: "\${fn.name}", arguments: { a: "\${case.value}" } } } }
  repeat: { times: 2, atOnce: true }
  expect: { outcome: { is: refused, id: refused } }
- id: timed
  request: { message: { method: ping } }
  experiment: { timed-calls: 6 }
  expect: { budget: { p50Ms: 9, id: fast }, outcome: { is: result, id: quick } }`);
    expect(loadText(text).steps).toMatchObject([
      { request: { kind: 'list' } },
      {
        request: {
          kind: 'message',
          message: { params: { name: '${fn.name}', arguments: { a: '${case.value}' } } },
        },
        rounds: { times: 1, copies: 2, cases: [{ id: 'a', value: 1 }] },
      },
      {
        request: { kind: 'message' },
        experiment: { name: 'timed-calls', calls: 6 },
        expect: [{ kind: 'outcome' }, { kind: 'budget' }],
      },
    ]);
  });
});

describe('a step without an expectation', () => {
  const sending = (request: string) => loadText(suiteOf(`- id: one\n  request: ${request}`)).steps[0]?.expect;

  test.each([
    '{ message: { method: notifications/initialized } }',
    '{ raw: x }',
    '{ close: main }',
    '{ message: { method: ping } }',
    '{ open: main }',
    '{ http: DELETE }',
    '{ message: {}, abort: { afterBytes: 1 } }',
  ])('may send %s, because every message is judged by the steps that use all answers', (request) => {
    expect(sending(request)).toEqual([]);
  });

  test.each(['{ post: /x, raw: x }', '{ list: functions }', '{ alive: true }'])(
    'may not send %s',
    (request) => {
      expect(problemsOf(() => sending(request)).map(summaryOf)).toMatchObject([
        { code: 'expects-nothing', at: '5:9', says: 'the step "one" expects nothing, so it cannot fail' },
      ]);
    },
  );
});

test('the examples of the guide are suites', () => {
  const guide = readFileSync('scripts/suite-language-guide.md', 'utf8');
  const examples = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml);
  const kinds = examples.flatMap((yaml) => loadText(suiteOf(yaml)).steps.map(({ request }) => request?.kind));
  expect(kinds).toEqual(['list', 'open', 'message', 'raw', 'message', 'close']);
});

describe('an expected outcome', () => {
  test('is known to assertions that need it', () => {
    const text = suiteOf(`- id: one
  request: { list: functions }
  expect: { outcome: { is: result, id: listed } }
- id: two
  needs: [one]
  request: { alive: true }
  expect: { outcome: { is: result, id: alive, needs: listed } }`);
    expect(loadText(text).steps[1]?.expect).toMatchObject([{ needs: 'mine/listed' }]);
  });

  test('is one or several, after the statuses and before all other assertions', () => {
    const [step] = loadText(
      suiteOf(`- id: one
  request: { list: functions }
  expect:
    checks: [{ check: answered, id: there }]
    outcome: [{ is: answered, id: a }, { is: refused, id: b, level: MUST, when: { era: session } }]
    status: { is: 200, id: ok }`),
    ).steps;
    expect(step?.expect).toMatchObject([
      { kind: 'status' },
      { kind: 'outcome', is: 'answered', requirement: 'mine/a', level: 'SHOULD' },
      { kind: 'outcome', is: 'refused', requirement: 'mine/b', level: 'MUST', when: { era: 'session' } },
      { kind: 'check' },
    ]);
  });
});

test('a condition names the channel, the era, revisions and a capability', () => {
  const when = '{ channel: stdio, era: stateless, since: 2025-06-18, until: 2026-07-28, capability: tools }';
  const expected = {
    form: null,
    channel: 'stdio',
    address: null,
    era: 'stateless',
    since: '2025-06-18',
    until: '2026-07-28',
    capability: 'tools',
    present: null,
    otherwise: null,
  };
  const text = suiteOf(
    `- id: one\n  request: { alive: true }\n  when: ${when}\n  expect: { outcome: { is: result, id: ok, when: ${when} } }`,
  );
  const [step] = loadText(text).steps;
  expect(step?.when).toEqual(expected);
  expect(step?.expect[0]?.when).toEqual(expected);
});

const KINDS = 'get, post, execute, websocket, list, alive, open, message, raw, http, close';

/** A step with a valid outcome and this one. */
const outcomes = (other: string): string =>
  stepText('{ list: functions }').replace('{ is: answered, id: ok }', `[{ is: answered, id: ok }, ${other}]`);

const mistakes: readonly Mistake[] = [
  {
    what: 'two kinds',
    text: stepText('«{ list: functions, alive: true }»'),
    code: 'one-of-keys',
    says: `a request needs exactly one of ${KINDS}; found list and alive`,
    suggests: 'Keep one of them.',
  },
  {
    what: 'a list of something else',
    text: stepText('{ list: «tools» }'),
    code: 'wrong-value',
    says: '"tools" is not one of functions, prompts, resources, templates',
    suggests: 'functions',
  },
  {
    what: 'alive: false',
    text: stepText('{ alive: «false» }'),
    code: 'wrong-value',
    says: 'false is not true',
    suggests: 'Write true, or remove the key.',
  },
  {
    what: 'alive with text',
    text: stepText('{ alive: «yes» }'),
    code: 'wrong-type',
    says: 'expected true or false, found text',
    suggests: 'Write true or false here.',
  },
  {
    what: 'a conversation with a name that is none',
    text: stepText('{ open: «Main» }'),
    code: 'wrong-value',
    says: '"Main" is not an id of lower-case letters, digits and hyphens',
    suggests: 'Write an id',
  },
  {
    what: 'a conversation under another name',
    text: stepText('{ close: main, «conversation»: other }'),
    code: 'unknown-key',
    says: '"conversation" cannot be combined with "close"',
    suggests: 'Known: close, headers, anonymous, keepConnection, scheme, token, timeoutMs, retry.',
  },
  {
    what: 'a version that is none',
    text: stepText('{ open: main, version: «newest» }'),
    code: 'wrong-value',
    says: '"newest" is not a revision of the protocol such as 2025-06-18',
    suggests: 'Write a revision',
  },
  {
    what: 'a version without open',
    text: stepText('{ message: {}, «version»: "1999-01-01" }'),
    code: 'unknown-key',
    says: '"version" cannot be combined with "message"',
    suggests:
      'Known: message, headers, abort, anonymous, keepConnection, scheme, token, timeoutMs, retry, conversation, until.',
  },
  {
    what: 'a message that is text',
    text: stepText('{ message: «ping» }'),
    code: 'wrong-type',
    says: 'expected a mapping, found text',
    suggests: 'Write a mapping here.',
  },
  {
    what: 'a message with an unknown reference',
    text: stepText('{ message: «{ params: { name: "${nope.name}" } }» }'),
    code: 'unresolved-reference',
    says: 'unknown name "nope" in ${nope.name}',
    suggests: 'Save it in a step',
  },
  {
    what: 'notify, which is a message without an id',
    text: stepText('{ «notify»: { method: notifications/initialized }, message: {} }'),
    code: 'unknown-key',
    says: 'unknown key "notify"',
    suggests: 'Known: get,',
  },
  {
    what: 'a message and raw bytes',
    text: stepText('{ message: {}, «raw»: x }'),
    code: 'unknown-key',
    says: '"raw" cannot be combined with "message"',
    suggests: 'Known: message,',
  },
  {
    what: 'raw bytes with an unknown reference',
    text: stepText('{ raw: [a, { json: «{ a: "${nope}" }» }] }'),
    code: 'unresolved-reference',
    says: 'unknown name "nope" in ${nope}',
    suggests: 'Save it in a step',
  },
  {
    what: 'too many raw bytes',
    text: stepText('{ «raw»: { text: xx, times: 10000000 } }'),
    code: 'wrong-value',
    says: '20000000 bytes, more than the limit of 16777216',
    suggests: 'Reduce `times`.',
  },
  {
    what: 'another method without a message',
    text: stepText('{ http: «POST» }'),
    code: 'wrong-value',
    says: '"POST" is not one of GET, DELETE',
    suggests: 'Known: GET, DELETE.',
  },
  {
    what: 'an abort without a body',
    text: stepText('{ http: GET, «abort»: { afterBytes: 1 } }'),
    code: 'unknown-key',
    says: '"abort" cannot be combined with "http"',
    suggests: 'Known: http,',
  },
  {
    what: 'a header that is a number',
    text: stepText('{ list: functions, headers: { mcp-name: «1» } }'),
    code: 'wrong-type',
    says: 'expected text, found a number',
    suggests: 'Write text here.',
  },
  {
    what: 'an outcome that is none',
    text: outcomes('{ is: «answred», id: a }'),
    code: 'wrong-value',
    says: '"answred" is not one of result, refused, answered',
    suggests: 'Did you mean "answered"?',
  },
  {
    what: 'two outcomes with one id',
    text: outcomes('{ is: result, id: «ok» }'),
    code: 'duplicate-id',
    says: 'duplicate assertion "mine/ok"',
    suggests: 'Give each assertion a unique id.',
  },
  {
    what: 'an outcome with an unknown need',
    text: outcomes('{ is: result, id: a, needs: «okk» }'),
    code: 'unresolved-reference',
    says: '`needs: mine/okk` names no assertion of the step "one"',
    suggests: 'Did you mean "mine/ok"?',
  },
  {
    what: 'an assertion without its outcome',
    text: outcomes('«{ id: a }»'),
    code: 'missing-key',
    says: 'an outcome assertion has no key "is"',
    suggests: 'Add "is": result:',
  },
  {
    what: 'an unknown channel',
    text: stepText('{ alive: true }', '  when: { channel: «htp» }'),
    code: 'wrong-value',
    says: '"htp" is not one of http, stdio',
    suggests: '"http"',
  },
  {
    what: 'an unknown era',
    text: stepText('{ alive: true }', '  when: { era: «sessions» }'),
    code: 'wrong-value',
    says: '"sessions" is not one of session, stateless',
    suggests: 'Did you mean "session"?',
  },
  {
    what: 'a capability that is a list',
    text: stepText('{ alive: true }', '  when: { capability: «[tools]» }'),
    code: 'wrong-type',
    says: 'expected text, found a list',
    suggests: 'Write text here.',
  },
  {
    what: 'revisions of a step in the wrong order',
    text: stepText('{ alive: true }', '  when: { since: 2026-07-28, until: «2025-11-25» }'),
    code: 'wrong-value',
    says: 'no revision is both since 2026-07-28 and until 2025-11-25',
    suggests: 'Exchange them, or remove one.',
  },
];

test.each(mistakes.map((mistake) => [mistake.what, mistake] as const))('%s is refused', (_, mistake) => {
  const { text, places } = readMarks(mistake.text);
  expect(places).not.toHaveLength(0);
  expect(problemsOf(() => loadText(text)).map(summaryOf)).toEqual(
    expectedSummaries(mistake, (part) => expect.stringContaining(part)),
  );
});
