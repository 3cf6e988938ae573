import type { Json, JsonObject } from '../../src/json/json.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import { call, type Example, fails, type Given, notApplicable, passes } from './example.ts';
import { asked, error, heard, ok, posted, request, SESSION, STATELESS, unasked } from './messages.ts';

const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

const opening = (capabilities: JsonObject, conversation = 'main'): Exchange =>
  heard(request('initialize', { capabilities }), [ok({})], { key: 'open#0', conversation });
const calling = (capabilities: JsonObject, answered: JsonObject, more: JsonObject = {}, key = 'call#0') =>
  heard(
    request('tools/call', { name: 'ask', _meta: { [CAPABILITIES]: capabilities }, ...more }),
    [answered],
    {
      key,
    },
  );

/** What a process asks in a session, of a client that declared this. */
const asks = (method: string, params: Json, capabilities: JsonObject = ALL): Given => {
  const replies = [{ method, answer: '{}', isGranted: false }];
  const bare = heard(request('tools/call', { name: 'ask' }), [ok()], {
    key: 'bare#0',
    conversation: 'spoilt',
  });
  const { asked: all = [] } = asked(
    opening(capabilities),
    opening({}, 'spoilt'),
    { ...heard(request('tools/call', { name: 'ask' }), [ok()], { key: 'call#0' }), replies },
    bare,
  );
  return {
    asked: all,
    opened: SESSION,
    conversations: unasked({ jsonrpc: '2.0', id: 's1', method, params }),
  };
};
/** A result of the stateless era that asks for this. */
const wants = (method: string, params: Json, capabilities: JsonObject = ALL): Given => ({
  ...asked(
    calling(capabilities, ok({ resultType: 'input_required', inputRequests: { q: { method, params } } })),
    calling({}, error(-32021), {}, 'bare#0'),
  ),
  opened: STATELESS,
});
const form = (properties: Json, more: JsonObject = {}): JsonObject => ({
  message: 'Who?',
  requestedSchema: { type: 'object', properties },
  ...more,
});
const URL_PARAMS = { mode: 'url', message: 'Sign in.', elicitationId: '1', url: 'https://example.com/' };
const PROMPT = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 };

const NOTHING = { ...asked(heard(request('tools/call'), [ok({ content: [] })])), opened: SESSION };
const bothEras = (
  method: string,
  params: Json,
  capabilities?: JsonObject,
): readonly (readonly [string, Given])[] => [
  ['in a session', asks(method, params, capabilities)],
  ['in a result', wants(method, params, capabilities)],
];
const inBoth = (
  check: string,
  what: string,
  [method, params, capabilities]: readonly [string, Json, JsonObject?],
  finds: Example['finds'],
  options: JsonObject = {},
): readonly Example[] =>
  bothEras(method, params, capabilities).map(([where, given]) => ({
    check,
    what: `${what}, ${where}`,
    given: { ...given, options },
    finds,
  }));

const ELICIT = 'elicitation/create';
const SAMPLE = 'sampling/createMessage';

/** A call of the tool "ask" in each of these cases. */
const rounds = (answers: Readonly<Record<string, JsonObject>>, responses: Json = {}): Given => ({
  asked: Object.entries(answers).map(([caseId, answered]) => ({
    exchange: calling(ALL, answered, { inputResponses: responses }, `${caseId}#0`),
    call: call({ functionName: 'ask' }),
    item: { name: 'ask' },
    caseId,
  })),
  opened: STATELESS,
});
const QUESTION = ok({ resultType: 'input_required', requestState: 'x' });
const DONE = ok({ resultType: 'complete', content: [] });
const MISSING = (data: Json): JsonObject => ({
  jsonrpc: '2.0',
  id: 1,
  error: { code: -32021, message: 'x', data },
});
const ACCEPTED = { q: { action: 'accept', content: {} } };

/** Examples of the checks of what a server asks its client, and of how it takes the answers. */
export const examplesOfClients: readonly Example[] = [
  ...inBoth('forms-valid', 'a flat form', [ELICIT, form({ name: { type: 'string', default: 'a' } })], passes),
  ...inBoth(
    'forms-valid',
    'choices with and without titles',
    [
      ELICIT,
      form({
        a: { type: 'string', enum: ['x'], enumNames: ['X'] },
        b: { type: 'string', oneOf: [{ const: 'x', title: 'X' }] },
        c: { type: 'array', items: { type: 'string', enum: ['x'] }, default: ['x'] },
        d: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
      }),
    ],
    passes,
  ),
  ...inBoth(
    'forms-valid',
    'a nested object',
    [ELICIT, form({ who: { type: 'object', properties: {} } })],
    fails({ exchangeKey: 'call#0' }),
  ),
  ...inBoth(
    'forms-valid',
    'a list of texts',
    [ELICIT, form({ a: { type: 'array', items: { type: 'string' } } })],
    fails({}),
  ),
  ...inBoth(
    'forms-valid',
    'a default of another type',
    [ELICIT, form({ a: { type: 'number', default: '1' } })],
    fails({}),
  ),
  ...inBoth('forms-valid', 'no message', [ELICIT, form({}, { message: 7 })], fails({})),
  {
    check: 'forms-valid',
    what: 'no form',
    given: NOTHING,
    finds: notApplicable('the server asked for no form'),
  },
  ...inBoth(
    'forms-without-secrets',
    'words about passwords, and a choice',
    [
      ELICIT,
      form({
        username: { type: 'string', description: 'not your password' },
        password_hint: { type: 'string' },
        secret: { type: 'boolean' },
        token: { type: 'string', enum: ['red'] },
      }),
    ],
    passes,
  ),
  ...(['password', 'API_KEY', 'access-token', 'creditCardNumber'] as const).flatMap((name) =>
    inBoth(
      'forms-without-secrets',
      `the field ${name}`,
      [ELICIT, form({ [name]: { type: 'string' } })],
      fails({ message: `a form asks for a secret: "${name}"` }),
    ),
  ),
  ...inBoth(
    'forms-without-secrets',
    'a hidden field',
    [ELICIT, form({ a: { type: 'string', format: 'password' } })],
    fails({}),
  ),
  ...inBoth('addresses-valid', 'a page', [ELICIT, URL_PARAMS], passes),
  ...inBoth(
    'addresses-valid',
    'no URL',
    [ELICIT, { ...URL_PARAMS, url: 'sign in' }],
    fails({ exchangeKey: 'call#0' }),
  ),
  {
    check: 'addresses-valid',
    what: 'no elicitationId in a session',
    given: asks(ELICIT, { mode: 'url', message: 'x', url: 'https://example.com' }),
    finds: fails({}),
  },
  {
    check: 'addresses-valid',
    what: 'an error that demands a visit',
    given: {
      ...asked(
        heard(request('tools/call'), [
          {
            jsonrpc: '2.0',
            id: 1,
            error: { code: -32042, message: 'x', data: { elicitations: [{ ...URL_PARAMS, url: '' }] } },
          },
        ]),
      ),
      opened: SESSION,
    },
    finds: fails({ expected: 'a valid URL' }),
  },
  ...inBoth(
    'addresses-valid',
    'a page without encryption',
    [ELICIT, { ...URL_PARAMS, url: 'http://example.com' }],
    fails({}),
    { secure: true },
  ),
  ...inBoth(
    'addresses-valid',
    'a page of this machine',
    [ELICIT, { ...URL_PARAMS, url: 'http://localhost:1/' }],
    passes,
    { secure: true },
  ),
  {
    check: 'addresses-valid',
    what: 'no address',
    given: NOTHING,
    finds: notApplicable('the server sent nobody to an address'),
  },
  ...inBoth('sampling-valid', 'a prompt', [SAMPLE, PROMPT], passes),
  ...inBoth('sampling-valid', 'no maxTokens', [SAMPLE, { messages: PROMPT.messages }], fails({})),
  ...inBoth(
    'sampling-valid',
    'an unknown role',
    [SAMPLE, { ...PROMPT, messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] }],
    fails({}),
  ),
  {
    check: 'sampling-valid',
    what: 'no prompt',
    given: NOTHING,
    finds: notApplicable('the server asked for no model'),
  },
  ...inBoth('only-declared-asked', 'what was declared', [ELICIT, form({})], passes),
  ...inBoth(
    'only-declared-asked',
    'forms of a client that names no mode',
    [ELICIT, form({}), { elicitation: {} }],
    passes,
  ),
  ...inBoth(
    'only-declared-asked',
    'an address of such a client',
    [ELICIT, URL_PARAMS, { elicitation: {} }],
    fails({}),
  ),
  ...inBoth(
    'only-declared-asked',
    'a form',
    [ELICIT, form({}), {}],
    fails({ expected: 'no such request without the capability elicitation of the client' }),
  ),
  ...inBoth(
    'only-declared-asked',
    'tools for a model',
    [SAMPLE, { ...PROMPT, tools: [] }],
    fails({ expected: 'no such request without the capability sampling.tools of the client' }),
  ),
  ...inBoth('only-declared-asked', 'roots', ['roots/list', {}, { sampling: {} }], fails({})),
  {
    check: 'only-declared-asked',
    what: 'no call without capabilities',
    given: {
      ...asked(
        calling(ALL, ok({ resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } } })),
      ),
      opened: STATELESS,
    },
    finds: notApplicable('no call that asked the client could be repeated without its capabilities'),
  },
  {
    check: 'only-declared-asked',
    what: 'nothing',
    given: NOTHING,
    finds: notApplicable('the server asked the client for nothing'),
  },
  {
    check: 'valid-messages',
    what: 'a form that forms-valid judges',
    given: asks(ELICIT, form({ who: { type: 'object', properties: {} } })),
    finds: passes,
  },
  {
    check: 'valid-messages',
    what: 'a request for roots with wrong parameters',
    given: asks('roots/list', { _meta: 7 }),
    finds: fails({ message: 'the message roots/list is not valid by version 2025-11-25 of the protocol' }),
  },
  {
    check: 'capability-required',
    what: 'the error with what is missing',
    given: rounds({ without: MISSING({ requiredCapabilities: { elicitation: {} } }), asked: QUESTION }),
    finds: passes,
  },
  {
    check: 'capability-required',
    what: 'the error without it',
    given: rounds({ without: MISSING({}), asked: QUESTION }),
    finds: fails({ pointer: '/error/data/requiredCapabilities' }),
  },
  {
    check: 'capability-required',
    what: 'status 200',
    given: {
      asked: [
        {
          exchange: posted(request('tools/call', { name: 'ask' }), {
            key: 'without#0',
            value: MISSING({ requiredCapabilities: { roots: {} } }),
          }),
          call: call({ functionName: 'ask' }),
          item: {},
          caseId: 'without',
        },
        ...(rounds({ asked: QUESTION }).asked ?? []),
      ],
    },
    finds: fails({ received: 'status 200' }),
  },
  {
    check: 'capability-required',
    what: 'another refusal',
    given: rounds({ without: ok({ content: [], isError: true }), asked: QUESTION }),
    finds: fails({ received: 'a result with isError' }),
  },
  {
    check: 'capability-required',
    what: 'a refusal that is none of the protocol, of a tool whose argument may answer its question',
    given: {
      ...rounds({}),
      asked: (rounds({ without: ok({ content: [], isError: true }), asked: QUESTION }).asked ?? []).map(
        (one) => ({
          ...one,
          item: { name: 'ask', parameters: { type: 'object', properties: { who: { type: 'string' } } } },
        }),
      ),
    },
    finds: notApplicable('"ask" may work without the capability, with an argument that was left out'),
  },
  {
    check: 'capability-required',
    what: 'a tool that does without',
    given: rounds({ without: DONE, asked: QUESTION }),
    finds: notApplicable('"ask" answers without the capability'),
  },
  {
    check: 'capability-required',
    what: 'a tool that refuses with the capability too',
    given: rounds({ without: error(-32603), asked: error(-32603) }),
    finds: notApplicable('no tool asked for input again'),
  },
  {
    check: 'missing-asked-again',
    what: 'the question again',
    given: rounds({ missing: QUESTION }),
    finds: passes,
  },
  {
    check: 'missing-asked-again',
    what: 'a result without it',
    given: rounds({ missing: DONE }),
    finds: passes,
  },
  {
    check: 'missing-asked-again',
    what: 'an error',
    given: rounds({ missing: error(-32602) }),
    finds: fails({ exchangeKey: 'missing#0' }),
  },
  {
    check: 'unknown-answers-ignored',
    what: 'a result as before',
    given: rounds({ answered: DONE, extra: DONE }),
    finds: passes,
  },
  {
    check: 'unknown-answers-ignored',
    what: 'an error',
    given: rounds({ answered: DONE, extra: error(-32602) }),
    finds: fails({}),
  },
  {
    check: 'unknown-answers-ignored',
    what: 'a tool that refuses anyway',
    given: rounds({ answered: error(-32603), extra: error(-32603) }),
    finds: notApplicable('no call was answered after its questions were answered'),
  },
  {
    check: 'malformed-answers-refused',
    what: 'an error',
    given: rounds({ malformed: error(-32602) }),
    finds: passes,
  },
  {
    check: 'malformed-answers-refused',
    what: 'the question again',
    given: rounds({ malformed: QUESTION }),
    finds: passes,
  },
  {
    check: 'malformed-answers-refused',
    what: 'a result',
    given: rounds({ malformed: DONE }),
    finds: fails({}),
  },
  {
    check: 'changed-state-refused',
    what: 'an error',
    given: rounds({ answered: DONE, tampered: error(-32602) }, ACCEPTED),
    finds: passes,
  },
  {
    check: 'changed-state-refused',
    what: 'the same result',
    given: rounds({ answered: DONE, tampered: DONE }, ACCEPTED),
    finds: fails({ exchangeKey: 'tampered#0' }),
  },
  {
    check: 'changed-state-refused',
    what: 'a form that was declined',
    given: rounds({ answered: DONE, tampered: DONE }, { q: { action: 'decline' } }),
    finds: notApplicable('the check gave no tool what it asked for, so that its state may not matter'),
  },
];
