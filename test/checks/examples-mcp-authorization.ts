import { expect } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import type { Exchange } from '../../src/model/exchange.ts';
import { answer, type Example, fails, type Given, notApplicable, passes, undecided } from './example.ts';
import { posted, request, STATELESS } from './messages.ts';

const AS = 'https://login.example/tenant';
const BEARER = 'Bearer resource_metadata="https://target.example/metadata", scope="read"';

const refusal = (challenge: string | null, status = 401): Exchange =>
  posted(request('tools/list'), {
    key: 'refused#0',
    status,
    body: { text: '' },
    headers: challenge === null ? [] : [['WWW-Authenticate', challenge]],
  });

type Tried = { readonly caseId: string; readonly exchange: Exchange };

const read = (caseId: string, value: JsonObject | number): Tried => {
  const key = `metadata%${caseId}#0`;
  const url = `https://target.example/${caseId}`;
  const parts = typeof value === 'number' ? { status: value, body: { text: '' } } : { value };
  return { caseId, exchange: answer({ ...parts, key, request: { url } }) };
};

const unread = (caseId: string): Tried => ({
  caseId,
  exchange: {
    kind: 'unanswered',
    request: { key: 'metadata#0', method: 'GET', url: 'https://login.example/', headers: [], body: null },
    reason: { code: 'name-not-found', fault: 'network', message: 'login.example was not found' },
    timing: { startedAtMs: 0, connectMs: null, firstByteMs: null, durationMs: 5 },
  },
});

const RESOURCE: JsonObject = { resource: 'https://target.example/mcp', authorization_servers: [AS] };
const SERVER: JsonObject = {
  issuer: AS,
  authorization_endpoint: `${AS}/authorize`,
  token_endpoint: `${AS}/token`,
  code_challenge_methods_supported: ['S256'],
};

/** What a run saw: a refusal with a challenge, and the metadata that were read. */
const saw = (challenge: string | null, ...tries: readonly Tried[]): Given => ({
  targetUrl: 'https://target.example/mcp',
  opened: STATELESS,
  exchanges: [refusal(challenge), ...tries.map(({ exchange }) => exchange)],
  asked: tries.map((one) => ({ ...one, call: null, item: undefined })),
});
const resource = (more: JsonObject): Given => saw(BEARER, read('resource', { ...RESOURCE, ...more }));
const server = (value: JsonObject | number): Given =>
  saw(BEARER, read('resource', RESOURCE), read('server-1', value));
const closed = (given: Given): Given => {
  const { opened: _, ...rest } = given;
  return rest;
};

const example = (check: string, what: string, given: Given, finds: Example['finds']): Example => ({
  check,
  what,
  given,
  finds,
});

const withToken = (status: number, key: string): Exchange =>
  posted(request('tools/list'), { key, status, request: { headers: [['authorization', 'Bearer $TOKEN']] } });

/** A request with another token, and what the server did with the same request without one. */
const tokens = (status: number, anonymous: number, challenge: string): Given => {
  const exchange = withToken(status, 'changed#0');
  return {
    options: { token: 'a token with a changed end' },
    asked: [{ exchange, call: null, item: undefined }],
    exchanges: [withToken(200, 'list#0'), refusal(challenge, anonymous), refusal(challenge), exchange].filter(
      (one) => anonymous !== 200 || one.kind !== 'answered' || one.response.status !== 401,
    ),
  };
};

/** A request without a token, while others with one are served and, with a wrong one, refused. */
const withoutToken = (status: number, challenge: string): Given => {
  const exchange = refusal(challenge, status);
  const wrong = posted(request(), { status: 401, headers: [['www-authenticate', challenge]] });
  return {
    asked: [{ exchange, call: null, item: undefined }],
    exchanges: [withToken(200, 'list#0'), exchange, wrong],
  };
};

const NOTHING: Given = { exchanges: [posted(request())] };

export const examplesOfAuthorization: readonly Example[] = [
  ...[
    'Bearer',
    'Bearer realm="a, b", error="x"',
    'Basic dXNlcg==, Bearer realm="a \\" b"',
    'Negotiate, , Digest qop="auth", Bearer',
    'Bearer , realm=mcp',
  ].map((challenge) => example('challenge-given', `the challenge ${challenge}`, saw(challenge), passes)),
  ...[
    [null, 'the header is missing'],
    ['', 'it names no scheme'],
    ['Bearer realm="a" scope="b"', 'no comma before scope'],
    ['Bearer resource_metadata=https://a.example/b', 'the value of resource_metadata needs quotation marks'],
    ['Bearer realm="a', 'it cannot be read from'],
  ].map(([challenge, problem]) =>
    example('challenge-given', `the challenge ${challenge}`, saw(challenge ?? null), [
      { outcome: 'failed', message: expect.stringContaining(problem ?? '') as string },
    ]),
  ),
  example('challenge-given', 'no refusal', NOTHING, notApplicable('the server refuses no request with 401')),

  example(
    'resource-metadata-found',
    'a document at a well-known address',
    saw('Bearer', read('resource', RESOURCE)),
    passes,
  ),
  example('resource-metadata-found', 'a named address', saw(BEARER), passes),
  example(
    'resource-metadata-found',
    'no document',
    saw('Bearer', read('resource', 404), read('resource', 404)),
    fails({ exchangeKey: 'metadata%resource#0' }),
  ),
  example(
    'resource-metadata-found',
    'an answer that every address gets',
    saw('Bearer', read('resource', { ok: true })),
    fails({}),
  ),
  example(
    'resource-metadata-found',
    'a server in trouble',
    saw('Bearer', read('resource', 404), read('resource', 503)),
    undecided({}),
  ),

  example('resource-metadata-valid', 'a complete document', resource({}), passes),
  example(
    'resource-metadata-valid',
    'a named document that does not exist',
    saw(BEARER, read('resource', 404)),
    fails({}),
  ),
  example(
    'resource-metadata-valid',
    'a named document that is not reached',
    saw(BEARER, unread('resource')),
    undecided({}),
  ),
  example('resource-metadata-valid', 'a named address that nobody may use', saw(BEARER), fails({})),
  example(
    'resource-metadata-valid',
    'no document',
    saw('Bearer', read('resource', 404)),
    notApplicable('the server publishes no metadata of a protected resource'),
  ),
  ...[
    { resource: 'mcp' },
    { resource: 'https://target.example/mcp#here' },
    { authorization_servers: [] },
    { authorization_servers: 'https://login.example' },
    { authorization_servers: [7] },
    { authorization_servers: [AS, 'http://login.example'] },
  ].map((wrong) => example('resource-metadata-valid', JSON.stringify(wrong), resource(wrong), fails({}))),
  example(
    'resource-metadata-valid',
    'an authorization server on this machine',
    resource({ authorization_servers: ['http://localhost:9000'] }),
    passes,
  ),

  ...[
    'https://target.example/mcp',
    'https://TARGET.example',
    'https://target.example/',
    'https://target.example/mcp/',
  ].map((uri) => example('resource-matches', uri, resource({ resource: uri }), passes)),
  ...[
    'https://other.example/mcp',
    'https://target.example/mc',
    'https://target.example/mcp/a',
    'http://target.example/mcp',
  ].map((uri) =>
    example('resource-matches', uri, resource({ resource: uri }), fails({ pointer: '/resource' })),
  ),
  example(
    'resource-matches',
    'a server that is tried out on this machine',
    { ...resource({}), targetUrl: 'http://localhost:3000/mcp' },
    [{ outcome: 'inapplicable' }],
  ),

  example('scope-challenged', 'a scope', saw(BEARER), passes),
  example(
    'scope-challenged',
    'no scope, and none that exists',
    saw('Bearer', read('resource', RESOURCE)),
    notApplicable('the server names no scopes'),
  ),
  example(
    'scope-challenged',
    'no scope, although there are some',
    saw('Bearer', read('resource', { ...RESOURCE, scopes_supported: ['read'] })),
    fails({}),
  ),
  example(
    'scope-challenged',
    'the same from a server of an unknown revision',
    closed(saw('Bearer', read('resource', { ...RESOURCE, scopes_supported: ['read'] }))),
    undecided({}),
  ),
  example('scope-challenged', 'another scheme', saw('Basic realm="a"'), [{ outcome: 'inapplicable' }]),

  example('no-offline-access', 'other scopes', resource({ scopes_supported: ['read'] }), passes),
  example(
    'no-offline-access',
    'offline_access in the metadata',
    resource({ scopes_supported: ['offline_access'] }),
    fails({}),
  ),
  example(
    'no-offline-access',
    'offline_access in the challenge',
    saw('Bearer scope="read offline_access"'),
    fails({ exchangeKey: 'refused#0' }),
  ),
  example('no-offline-access', 'no scopes', saw('Bearer'), notApplicable('the server names no scopes')),

  example('server-metadata-found', 'metadata', server(SERVER), passes),
  example('server-metadata-found', 'none', server(404), fails({})),
  example(
    'server-metadata-found',
    'a server that is not reached',
    saw(BEARER, read('resource', RESOURCE), unread('server-1')),
    undecided({}),
  ),
  example('server-metadata-found', 'no server', resource({ authorization_servers: [] }), [
    { outcome: 'inapplicable' },
  ]),

  example('issuer-identical', 'the same', server(SERVER), passes),
  ...[`${AS}/`, 'https://LOGIN.example/tenant', 7].map((issuer) =>
    example('issuer-identical', String(issuer), server({ ...SERVER, issuer }), fails({ pointer: '/issuer' })),
  ),
  example(
    'issuer-identical',
    'no metadata',
    server(404),
    notApplicable('no metadata of an authorization server were found'),
  ),

  example('pkce-advertised', 'S256', server(SERVER), passes),
  example(
    'pkce-advertised',
    'only plain',
    server({ ...SERVER, code_challenge_methods_supported: ['plain'] }),
    fails({}),
  ),
  example(
    'pkce-advertised',
    'the same for a server of an unknown revision',
    closed(server({ ...SERVER, code_challenge_methods_supported: ['plain'] })),
    undecided({}),
  ),
  example(
    'pkce-advertised',
    'no codes',
    server({
      ...SERVER,
      code_challenge_methods_supported: [],
      grant_types_supported: ['client_credentials'],
    }),
    [{ outcome: 'inapplicable' }],
  ),

  example('endpoints-protected', 'https', server(SERVER), passes),
  example(
    'endpoints-protected',
    'http',
    server({ ...SERVER, registration_endpoint: 'http://login.example/register' }),
    fails({ pointer: '/registration_endpoint' }),
  ),
  example(
    'endpoints-protected',
    'an endpoint that the server does not have',
    server({ ...SERVER, registration_endpoint: null }),
    passes,
  ),
  example(
    'endpoints-protected',
    'this machine',
    server({ ...SERVER, token_endpoint: 'http://127.0.0.1:9/token' }),
    passes,
  ),

  example('challenge-agrees', 'invalid_token with 401', saw('Bearer error="invalid_token"'), passes),
  example('challenge-agrees', 'no error', saw('Bearer'), [{ outcome: 'inapplicable' }]),
  example(
    'challenge-agrees',
    'insufficient_scope with 401',
    saw('Bearer error="insufficient_scope", scope="a"'),
    fails({ received: 'status 401, Bearer error="insufficient_scope", scope="a"' }),
  ),
  example(
    'challenge-agrees',
    'insufficient_scope with 403',
    { exchanges: [refusal('Bearer error="insufficient_scope", scope="a"', 403)] },
    passes,
  ),
  example(
    'challenge-agrees',
    'insufficient_scope without the scope',
    { opened: STATELESS, exchanges: [refusal('Bearer error="insufficient_scope"', 403)] },
    fails({ message: 'a refusal for lack of a scope does not name the scope' }),
  ),
  example(
    'challenge-agrees',
    'the same in an older revision',
    {
      opened: { ...STATELESS, era: 'session', version: '2025-06-18' },
      exchanges: [refusal('Bearer error="insufficient_scope"', 403)],
    },
    passes,
  ),

  ...(
    [
      ['refused', 401, 401, BEARER, passes],
      ['accepted', 200, 401, BEARER, fails({ message: 'the server accepts a token with a changed end' })],
      ['accepted by a server with other keys', 200, 401, 'Basic', fails({})],
      ['refused with 403', 403, 401, BEARER, fails({})],
      ['refused with 403 by a server with other keys', 403, 401, 'Basic', [{ outcome: 'inapplicable' }]],
      ['refused by a rate limiter', 429, 401, BEARER, undecided({})],
      [
        'accepted where none is needed',
        200,
        200,
        BEARER,
        notApplicable('the server answers the same request without a token'),
      ],
    ] as const
  ).map(([what, status, anonymous, challenge, finds]) =>
    example('token-refused', what, tokens(status, anonymous, challenge), finds),
  ),
  example('token-refused', 'no request without a token', { ...tokens(200, 401, BEARER), exchanges: [] }, [
    { outcome: 'inapplicable' },
  ]),

  ...(
    [
      [401, BEARER, passes],
      [403, BEARER, fails({})],
      [403, 'Basic', [{ outcome: 'inapplicable' }]],
      [200, BEARER, notApplicable('the server answers requests without a token')],
      [503, BEARER, [{ outcome: 'inapplicable' }]],
    ] as const
  ).map(([status, challenge, finds]) =>
    example('unauthorized-status', `status ${status}, ${challenge}`, withoutToken(status, challenge), finds),
  ),
];
