import type { Asked } from '../../src/checks/define-check.ts';
import type { PlannedCall } from '../../src/model/call.ts';
import type {
  Header,
  SentRequest,
  TransportFailure,
  TransportFailureCode,
} from '../../src/model/exchange.ts';
import {
  type AnswerParts,
  answer,
  call,
  cannotJudge,
  containing,
  type Example,
  fails,
  type Given,
  noAnswer,
  notApplicable,
  passes,
  STARTED_AT_MS,
  undecided,
} from './example.ts';

const TARGET = 'http://target.example';
const SECURE = 'https://target.example';
const DAY_MS = 86_400_000;

const asked = (parts: AnswerParts = {}, planned: PlannedCall | null = null): Asked => ({
  exchange: answer(parts),
  call: planned,
  item: undefined,
});
const UNREQUESTED_CODING: TransportFailure = {
  code: 'unasked-coding',
  fault: 'server',
  message: 'the body cannot be read: it comes with Content-Encoding: zstd',
};
const unansweredBy = (code: TransportFailureCode, message: string = code): Asked => ({
  exchange: noAnswer({ code, fault: 'server', message }),
  call: null,
  item: undefined,
});
const withDaysLeft = (days: number): Asked =>
  asked({ tls: { protocol: 'TLSv1.3', validToMs: STARTED_AT_MS + days * DAY_MS } });

/** Examples of the checks of addresses and certificates. */
const examplesOfEndpoints: readonly Example[] = [
  ...[
    'https://target.example',
    'http://localhost:3000',
    'http://localhost.',
    'http://api.localhost/mcp',
    'http://127.0.0.1:3000',
    'http://127.255.0.9',
    'http://[::1]:3000',
    'http://[::ffff:7f00:1]',
  ].map(
    (targetUrl): Example => ({
      check: 'https-endpoint',
      what: targetUrl,
      given: { targetUrl },
      finds: passes,
    }),
  ),
  ...[
    'http://target.example',
    'http://192.0.2.1:8080/mcp',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://[::]',
    'http://[2001:db8::1]',
    'http://[::ffff:a00:1]',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://notlocalhost',
  ].map(
    (targetUrl): Example => ({
      check: 'https-endpoint',
      what: `not ${targetUrl}`,
      given: { targetUrl },
      finds: fails({
        message: 'the address is plain http: keys, inputs and results can be read and changed on the way',
        expected: 'https://…',
        received: targetUrl,
      }),
    }),
  ),

  ...[90, 14.1, 14.0001].map(
    (days): Example => ({
      check: 'certificate-good',
      what: `${days} days left`,
      given: { targetUrl: SECURE, asked: [withDaysLeft(days)] },
      finds: passes,
    }),
  ),
  ...(
    [
      [14, '14.0 days left'],
      [13.999, '13.9 days left'],
      [0.04, '0.0 days left'],
    ] as const
  ).map(
    ([days, received]): Example => ({
      check: 'certificate-good',
      what: `${days} days left are too few`,
      given: { targetUrl: SECURE, asked: [withDaysLeft(days)] },
      finds: fails({
        message: 'the certificate, or another of its chain, expires soon',
        expected: 'more than 14 days left',
        received: containing(received),
        exchangeKey: 'step#0',
      }),
    }),
  ),
  ...(
    [
      ['certificate-expired', 'Renew the certificate'],
      ['certificate-not-yet-valid', 'Set the clock'],
      ['certificate-untrusted', 'fullchain.pem'],
      ['certificate-wrong-host', 'subject alternative names'],
      ['tls-too-old', 'TLS 1.2 and 1.3'],
      ['tls-failure', 'openssl s_client'],
      ['tls-timeout', 'what delays the handshake'],
    ] as const
  ).flatMap(([code, advice]): readonly Example[] => [
    {
      check: 'certificate-good',
      what: code,
      given: { targetUrl: SECURE, asked: [unansweredBy(code, `this is ${code}`)] },
      finds: fails({
        message: `this is ${code}`,
        expected: 'a certificate that clients accept, over TLS 1.2 or later',
        received: code,
        advice: containing(advice),
        exchangeKey: 'step#0',
      }),
    },
    {
      check: 'answered',
      what: `not with ${code}`,
      given: { exchange: unansweredBy(code).exchange },
      finds: fails({ received: `none: ${code}`, advice: containing(advice) }),
    },
  ]),
  {
    check: 'certificate-good',
    what: 'one of two reads refused',
    given: { targetUrl: SECURE, asked: [withDaysLeft(90), unansweredBy('certificate-expired')] },
    finds: fails({ received: 'certificate-expired' }),
  },
  {
    check: 'certificate-good',
    what: 'plain http',
    given: { targetUrl: TARGET, asked: [asked()] },
    finds: notApplicable('the address is plain http'),
  },
  {
    check: 'certificate-good',
    what: 'a target that was not reached',
    given: { targetUrl: SECURE, asked: [unansweredBy('connection-refused')] },
    finds: cannotJudge('no-answer'),
  },
];

const health = (status: number, headers: readonly Header[] = [], key = 'read#0'): Asked =>
  asked({ key, status, request: { url: `${TARGET}/health`, headers } });
const execution = (status: number, functionName: string, key = 'call#0'): Asked =>
  asked(
    { key, status, request: { method: 'POST', url: `${TARGET}/execute` } },
    call({ functionName, input: { a: 1 } }),
  );
const bearer: Header = ['authorization', 'Bearer $PROBITY_TOKEN'];

const examplesOfAccess: readonly Example[] = [
  { check: 'access-told', what: 'open', given: { asked: [health(200), health(200)] }, finds: passes },
  {
    check: 'access-told',
    what: 'closed',
    given: { asked: [health(401), execution(403, 'add')] },
    finds: passes,
  },
  {
    check: 'access-told',
    what: 'some functions open, others not',
    given: { asked: [execution(200, 'add'), execution(401, 'send')] },
    finds: passes,
  },
  {
    check: 'access-told',
    what: 'refused without the key, accepted with it',
    given: { asked: [health(200, [bearer]), health(401)] },
    finds: passes,
  },
  {
    check: 'access-told',
    what: 'refused without a given header, accepted with it',
    given: {
      asked: [health(200, [['X-Key', '$PROBITY_HEADER_X_KEY']]), health(403)],
      givenHeaders: ['x-key'],
    },
    finds: passes,
  },
  {
    check: 'access-told',
    what: 'refused for the default user agent',
    given: {
      asked: [
        health(200, [['user-agent', 'partner/2']]),
        health(403, [['user-agent', 'probity/0.1.0 (conformance check)']]),
      ],
      givenHeaders: ['user-agent'],
    },
    finds: passes,
  },
  {
    check: 'access-told',
    what: 'refused by a rate limiter',
    given: { asked: [health(200), health(429)] },
    finds: passes,
  },
  {
    check: 'access-told',
    what: 'accepted and refused the same request',
    given: { asked: [health(200), health(401, [], 'read#1')] },
    finds: fails({
      message: '/health refused a request without a key and accepted the same one at another time',
      expected: 'the same answer each time',
      received: 'status 401 and status 200',
      exchangeKey: 'read#1',
    }),
  },
  {
    check: 'access-told',
    what: 'accepted and refused the same call',
    given: { asked: [execution(403, 'add'), execution(200, 'add', 'call#1')] },
    finds: fails({ received: 'status 403 and status 200', exchangeKey: 'call#0' }),
  },
  {
    check: 'access-told',
    what: 'contradictions without a key, where other headers were given',
    given: {
      asked: [health(200, [['accept', 'application/json']]), health(401, [['accept', 'application/json']])],
      givenHeaders: ['accept'],
    },
    finds: fails({ received: 'status 401 and status 200' }),
  },
  {
    check: 'access-told',
    what: 'no answer without a key',
    given: { asked: [health(200, [bearer]), unansweredBy('timeout')] },
    finds: cannotJudge('no-answer'),
  },
];

const TRACE = 'Error: boom\n    at handle (/srv/app/server.js:10:5)';
const OF_TRACE = 'at handle (/srv/app/server.js:10:5)';
const sent = (value: object): Partial<SentRequest> => ({
  method: 'POST',
  url: `${TARGET}/execute`,
  body: { text: JSON.stringify(value) },
});
const error = (message: string, more: object = {}): AnswerParts => ({
  status: 500,
  value: { error: { code: 'EXECUTION_ERROR', message, ...more } },
});
const page = (text: string, status = 404): AnswerParts => ({
  status,
  headers: [['content-type', 'text/html']],
  body: { text },
});

const harmless: readonly (readonly [what: string, parts: AnswerParts, planned?: PlannedCall])[] = [
  ['a plain error', error('The divisor is 0.')],
  ['a time and a remark in brackets', error('The job runs at 10:30:15 (local)')],
  ['a missing file', error('File not found')],
  ['a line of the caller’s input', error('error at line 3 of your input')],
  ['a position in the caller’s file', error('Syntax error\nFile "notes.txt", line 3')],
  ['a URL with a line', error('See https://example.com/docs/a/b.js:1:2 for more')],
  ['a URL at the start of a line', error('It failed\nhttps://example.com/docs/a/b.js:1:2')],
  ['a path without source code', error('Cannot open /var/data/report.pdf')],
  ['a source file without its path', error('server.js does not answer')],
  ['a log line', error('2026-01-31T12:00:00Z INFO worker[12]: job 7 failed: out of stock')],
  [
    'a path that the caller named',
    {
      ...error('Cannot read "/home/alice/notes.py"'),
      request: sent({ input: { path: '/home/alice/notes.py' } }),
    },
  ],
  [
    'a path of Windows that the caller named',
    { ...error('Cannot read C:\\notes\\a.py'), request: sent({ input: { path: 'C:\\notes\\a.py' } }) },
  ],
  [
    'a trace that the caller sent',
    { ...error(`Cannot parse:\n${TRACE}`), request: sent({ input: { text: TRACE } }) },
  ],
  [
    'the path of the request',
    {
      ...error('There is nothing at /mcp/execute.php'),
      request: { url: 'http://target.example/mcp/execute.php' },
    },
  ],
  ['a trace as a result', { value: { output: { log: TRACE } } }, call()],
  ['a trace as a result of form B', { value: { requestId: 'a', result: [TRACE], error: null } }, call()],
  ['a trace as the result of a raw body', { value: { result: TRACE }, request: sent({}) }],
  ['a path in an answer that is not an error', { value: { version: '1', file: '/srv/app/server.js' } }],
  [
    'examples of function inputs',
    {
      value: {
        functions: [
          { name: 'explain', examples: [{ input: { trace: TRACE, path: '/home/alice/notes.py' } }] },
        ],
      },
    },
  ],
  [
    'a page with scripts of its site',
    page(
      '<!doctype html><title>404</title><script src="/assets/js/app.js"></script><a href="/docs/a/b.php">Docs</a>',
    ),
  ],
  [
    'a page with a script in it',
    page('<html><script>load("/assets/js/app.js")</script><style>@import "/css/a/b.js"</style><p>Not found'),
  ],
  [
    'headers with addresses of the site',
    {
      ...page('<p>Moved</p>', 404),
      headers: [
        ['link', '</assets/js/app.js>; rel=preload'],
        ['location', '/docs/a/b.php'],
        ['set-cookie', 'a=1; Path=/app/index.php'],
        ['content-security-policy', 'report-uri /csp/report.php'],
      ],
    },
  ],
];

const leaking: readonly (readonly [
  what: string,
  parts: AnswerParts,
  found: string,
  planned?: PlannedCall,
])[] = [
  ['a trace in the message of an error', error(TRACE), OF_TRACE],
  ['a trace beside the message', error('It failed.', { stack: TRACE }), OF_TRACE],
  ['a trace as a list of lines', error('It failed.', { stack: TRACE.split('\n') }), OF_TRACE],
  ['a trace with status 200', { value: { error: 'x', detail: TRACE } }, OF_TRACE],
  ['a trace in an answer without an error', { value: { status: 'ok', debug: TRACE } }, OF_TRACE],
  ['a trace beside a result', { value: { output: {}, warnings: [TRACE] } }, OF_TRACE, call()],
  ['a trace in a result of an error', { status: 500, value: { output: TRACE } }, OF_TRACE, call()],
  ['a trace in a header', { headers: [['x-error', OF_TRACE]] }, OF_TRACE],
  [
    'a trace that was escaped twice',
    { status: 400, body: { text: JSON.stringify(JSON.stringify(`${TRACE}\n`)) } },
    OF_TRACE,
  ],
  [
    'a trace in the page of Express',
    page('<pre>Error: boom<br> &nbsp; &nbsp;at handle (/srv/app/server.js:10:5)<br></pre>', 500),
    OF_TRACE,
  ],
  [
    'a trace in a comment of a page',
    page('<html><!--\n    at handle (/srv/app/server.js:10:5)\n-->'),
    OF_TRACE,
  ],
  [
    'a trace in a page, in tags',
    page('<li>at <b>handle</b> (<i>/srv/app/server.js:10:5</i>)</li>'),
    OF_TRACE,
  ],
  [
    'a path in the message of an error',
    error('ENOENT: cannot open /srv/app/config.js'),
    '/srv/app/config.js',
  ],
  [
    'a path of Windows',
    error('in C:\\app\\node_modules\\x\\index.js'),
    'C:\\\\app\\\\node_modules\\\\x\\\\index.js',
  ],
  ['a path in a page', page('<h1>Error</h1><p>in <code>/srv/app/views.py</code></p>'), '/srv/app/views.py'],
  [
    'a path in a header of an error',
    { ...error('No.'), headers: [['x-handler', '/srv/app/views.py']] },
    '/srv/app/views.py',
  ],
  [
    'a path of the server beside one that the caller named',
    {
      ...error('Cannot read /home/alice/notes.py in /srv/app/read.py'),
      request: sent({ input: { path: '/home/alice/notes.py' } }),
    },
    '/srv/app/read.py',
  ],
  [
    'a trace of the server beside one that the caller sent',
    {
      ...error(`Cannot parse:\n${TRACE}\nat parse (/srv/app/parse.js:1:2)`),
      request: sent({ input: { text: TRACE } }),
    },
    'at parse (/srv/app/parse.js:1:2)',
  ],
];

const examplesOfTraces: readonly Example[] = [
  ...harmless.map(
    ([what, parts, planned]): Example => ({
      check: 'no-stack-trace',
      what,
      given: { asked: [asked(parts, planned)] },
      finds: passes,
    }),
  ),
  ...leaking.map(
    ([what, parts, found, planned]): Example => ({
      check: 'no-stack-trace',
      what,
      given: { asked: [asked({ ...parts, key: 'call#7' }, planned)] },
      finds: fails({
        message: containing(
          found.includes('at ') ? 'a stack trace of the server' : 'a path of the server’s source',
        ),
        received: JSON.stringify(found).replaceAll('\\\\\\\\', '\\\\'),
        exchangeKey: 'call#7',
      }),
    }),
  ),
  {
    check: 'no-stack-trace',
    what: 'a finding for each answer',
    given: { asked: [asked(error(TRACE)), asked(), asked(error(TRACE))] },
    finds: [...fails({}), ...fails({})],
  },
  {
    check: 'no-stack-trace',
    what: 'a target that was not reached',
    given: { asked: [unansweredBy('timeout')] },
    finds: cannotJudge('no-answer'),
  },
];

const withToken = (authorization: string, parts: AnswerParts = {}): Given => ({
  asked: [asked({ ...parts, request: { headers: [['authorization', authorization]] } })],
});
const echo = (received: string): Example['finds'] =>
  fails({
    message: 'an answer repeats the Authorization value that came with the request',
    expected: 'an answer without the value',
    received,
    exchangeKey: 'step#0',
  });

const examplesOfEchoes: readonly Example[] = [
  {
    check: 'no-stack-trace',
    what: 'an answer whose body could not be read',
    given: { asked: [asked({ status: 500, bodyProblem: UNREQUESTED_CODING })] },
    finds: undecided({ message: 'no answer has a body that could be read', fault: 'server' }),
  },
  {
    check: 'no-stack-trace',
    what: 'two answers, one of which could not be read',
    given: { asked: [asked(), asked({ status: 500, bodyProblem: UNREQUESTED_CODING })] },
    finds: passes,
  },
  {
    check: 'no-secret-echo',
    what: 'an answer whose body could not be read',
    given: {
      asked: [
        asked({
          bodyProblem: UNREQUESTED_CODING,
          request: { headers: [['authorization', 'Bearer $PROBITY_TOKEN']] },
        }),
      ],
    },
    finds: undecided({ fault: 'server' }),
  },
  {
    check: 'no-secret-echo',
    what: 'no key',
    given: { asked: [asked()] },
    finds: notApplicable('no request carried an Authorization header'),
  },
  {
    check: 'no-secret-echo',
    what: 'a key that is not repeated',
    given: withToken('Bearer $PROBITY_TOKEN', {
      headers: [['www-authenticate', 'Bearer realm="$PROBITY_TOKEN"']],
    }),
    finds: passes,
  },
  {
    check: 'no-secret-echo',
    what: 'another secret that is repeated',
    given: withToken('Bearer $PROBITY_TOKEN', { repeatedSecrets: ['PROBITY_HEADER_X_KEY'] }),
    finds: passes,
  },
  {
    check: 'no-secret-echo',
    what: 'a given key',
    given: withToken('Bearer $PROBITY_TOKEN', { repeatedSecrets: ['PROBITY_TOKEN'] }),
    finds: echo('it is in the answer, as $PROBITY_TOKEN'),
  },
  {
    check: 'no-secret-echo',
    what: 'a key given as a whole header',
    given: withToken('$PROBITY_HEADER_AUTHORIZATION', { repeatedSecrets: ['PROBITY_HEADER_AUTHORIZATION'] }),
    finds: echo('it is in the answer, as $PROBITY_HEADER_AUTHORIZATION'),
  },
  {
    check: 'no-secret-echo',
    what: 'a generated key, in a header',
    given: withToken('Bearer made-up-0123', { headers: [['X-You', 'Bearer made-up-0123']] }),
    finds: echo('it is in the header X-You'),
  },
  {
    check: 'no-secret-echo',
    what: 'a generated key, in the body',
    given: withToken('Bearer made-up-0123', { value: { error: 'no user has made-up-0123' } }),
    finds: echo('it is in the body'),
  },
  {
    check: 'no-secret-echo',
    what: 'a key too short to recognise',
    given: withToken('Bearer ok', { value: { status: 'ok' } }),
    finds: passes,
  },
];

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
/** The example of RFC 6455, section 1.3. */
const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
const handshake = (headers: readonly Header[]): Given => ({
  exchange: answer({ status: 101, headers, request: { headers: [['sec-websocket-key', KEY]] } }),
});
const UPGRADE: Header = ['Upgrade', 'websocket'];
const CONNECTION: Header = ['Connection', 'Upgrade'];

const examplesOfConnections: readonly Example[] = [
  {
    check: 'connection-reused',
    what: 'the same connection',
    given: { asked: [asked(), asked({ reused: true })] },
    finds: passes,
  },
  {
    check: 'connection-reused',
    what: 'another connection',
    given: { asked: [asked(), asked({ key: 'keep-alive#1' })] },
    finds: fails({
      message: 'each request needs a new connection',
      received: 'a new connection',
      exchangeKey: 'keep-alive#1',
    }),
  },
  {
    check: 'crlf-line-ends',
    what: 'answers in CRLF',
    given: { asked: [asked(), asked({ oddities: ['more bytes follow the end of the answer'] })] },
    finds: passes,
  },
  {
    check: 'crlf-line-ends',
    what: 'one of two answers in LF alone',
    given: {
      asked: [asked(), asked({ key: 'read#1', oddities: ['lines end in LF alone, without the CR'] })],
    },
    finds: fails({
      message: 'lines of the status line and the headers end in LF alone',
      received: 'LF alone in 1 of 2 answers',
      exchangeKey: 'read#1',
    }),
  },
  {
    check: 'crlf-line-ends',
    what: 'no answer at all',
    given: { asked: [unansweredBy('timeout')] },
    finds: cannotJudge('no-answer'),
  },
  {
    check: 'connection-reused',
    what: 'only one answer, which another requirement reports',
    given: { asked: [asked(), unansweredBy('timeout')] },
    finds: passes,
  },

  ...(
    [
      ['as RFC 6455 shows it', [UPGRADE, CONNECTION, ['Sec-WebSocket-Accept', ACCEPT]]],
      [
        'in another case',
        [
          ['UPGRADE', 'WebSocket'],
          ['connection', 'upgrade'],
          ['sec-websocket-accept', ACCEPT],
        ],
      ],
      [
        'among other options',
        [UPGRADE, ['Connection', 'keep-alive, Upgrade'], ['Sec-WebSocket-Accept', ACCEPT]],
      ],
      [
        'among other options, in separate headers',
        [UPGRADE, ['Connection', 'keep-alive'], CONNECTION, ['Sec-WebSocket-Accept', ACCEPT]],
      ],
    ] satisfies readonly (readonly [string, readonly Header[]])[]
  ).map(
    ([what, headers]): Example => ({
      check: 'websocket-accepted',
      what,
      given: handshake(headers),
      finds: passes,
    }),
  ),
  {
    check: 'websocket-accepted',
    what: 'no headers',
    given: handshake([]),
    finds: fails(
      { message: 'the handshake has no valid upgrade', received: 'no such header' },
      { message: 'the handshake has no valid connection', received: 'no such header' },
      {
        message: 'the handshake has no valid sec-websocket-accept',
        expected: `Sec-WebSocket-Accept: ${ACCEPT}`,
        received: 'no such header',
      },
    ),
  },
  ...(
    [
      ['another protocol', [['Upgrade', 'h2c'], CONNECTION, ['Sec-WebSocket-Accept', ACCEPT]], '"h2c"'],
      [
        'another option',
        [UPGRADE, ['Connection', 'upgraded'], ['Sec-WebSocket-Accept', ACCEPT]],
        '"upgraded"',
      ],
      ['the key itself', [UPGRADE, CONNECTION, ['Sec-WebSocket-Accept', KEY]], JSON.stringify(KEY)],
      [
        'the answer to another key',
        [UPGRADE, CONNECTION, ['Sec-WebSocket-Accept', 'HSmrc0sMlYUkAGmm5OPpG2HaGWk=']],
        '"HSmrc0sMlYUkAGmm5OPpG2HaGWk="',
      ],
      [
        'the accept in lower case',
        [UPGRADE, CONNECTION, ['Sec-WebSocket-Accept', ACCEPT.toLowerCase()]],
        JSON.stringify(ACCEPT.toLowerCase()),
      ],
    ] satisfies readonly (readonly [string, readonly Header[], string])[]
  ).map(
    ([what, headers, received]): Example => ({
      check: 'websocket-accepted',
      what,
      given: handshake(headers),
      finds: fails({ received }),
    }),
  ),
];

/** Examples of the checks of security and connections. */
export const examplesOfSecurity: readonly Example[] = [
  ...examplesOfEndpoints,
  ...examplesOfAccess,
  ...examplesOfTraces,
  ...examplesOfEchoes,
  ...examplesOfConnections,
];
