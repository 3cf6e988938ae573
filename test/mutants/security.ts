import { endingEndpoints, refusedEndpoints, trustedPem } from '../probe/tls-endpoints.ts';
import type { Mutant, MutantRequest, Mutation, RawAnswer } from './mutant.ts';
import {
  handlerFailure,
  inCapabilities,
  inHealth,
  inRefused,
  inServed,
  instead,
  json,
  on,
  raw,
  unknownFunction,
} from './mutations.ts';
import { notesOfUsers } from './notes-of-users.ts';

const unchanged: Mutant['mutate'] = () => (request, conform) => conform(request);

/** The first of a list breaks a server of each form, the others alternate, because the check is the same in both. */
function formAt(index: number): Mutant['form'] {
  if (index === 0) return 'both';
  return index % 2 === 0 ? 'A' : 'B';
}

const TRACES: readonly (readonly [language: string, trace: string])[] = [
  [
    'JavaScript',
    [
      "TypeError: Cannot read properties of undefined (reading 'run')",
      '    at execute (/srv/app/src/execute.js:41:19)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    ].join('\n'),
  ],
  [
    'Python',
    [
      'Traceback (most recent call last):',
      '  File "/srv/app/main.py", line 31, in execute',
      '    handler = HANDLERS[name]',
      'KeyError: 12',
    ].join('\n'),
  ],
  [
    'Java',
    'java.lang.NullPointerException\n\tat com.example.mcp.Execute.run(Execute.java:42)\n\tat java.base/java.lang.Thread.run(Thread.java:1583)',
  ],
  ['.NET', '   at Example.Mcp.Execute(String name) in /src/Execute.cs:line 12'],
  ['.NET without symbols', '   at Example.Mcp.Handlers.Execute(String name)'],
  ['Go', 'goroutine 18 [running]:\nmain.execute(0xc000010000)\n\t/srv/app/main.go:21 +0x1d'],
  ['Ruby', "/srv/app/server.rb:10:in `execute': key not found (KeyError)"],
  ['PHP', '#0 /var/www/html/index.php(12): Tools->run()\n#1 {main}'],
  ['Rust', "thread 'main' panicked at src/main.rs:12:9:\nno such function"],
  ['Elixir', '    (tools 0.1.0) lib/tools/router.ex:12: Tools.Router.run/2'],
];

/** Debugging pages of frameworks, which only developers should see. */
const PAGES: readonly (readonly [framework: string, page: string])[] = [
  [
    'Express',
    '<!DOCTYPE html><html><body><pre>SyntaxError: Unexpected token<br> &nbsp; &nbsp;at parse (/srv/app/node_modules/body-parser/lib/types/json.js:92:19)<br> &nbsp; &nbsp;at /srv/app/server.js:3:1</pre></body></html>',
  ],
  [
    'Django',
    '<!DOCTYPE html><html><body><div id="summary"><h1>JSONDecodeError at /execute</h1></div><ul class="traceback"><li class="frame user"><code class="fname">/srv/app/tools/views.py</code>, line 12, in execute</li></ul></body></html>',
  ],
  [
    'Rails',
    '<!DOCTYPE html><html><body><h1>ActionDispatch::Http::Parameters::ParseError</h1><pre id="Application-Trace"><code><a class="trace-frames" href="#">app/controllers/tools_controller.rb:7:in &#39;execute&#39;</a></code></pre></body></html>',
  ],
  [
    'Spring',
    '<html><body><h1>Whitelabel Error Page</h1><div style="white-space:pre-wrap;">org.springframework.http.converter.HttpMessageNotReadableException: JSON parse error\n\tat org.springframework.http.converter.json.AbstractJackson2HttpMessageConverter.readJavaType(AbstractJackson2HttpMessageConverter.java:406)</div></body></html>',
  ],
  [
    'ASP.NET',
    '<!DOCTYPE html><html><body><pre class="rawExceptionStackTrace">System.Text.Json.JsonException: &#x27;t&#x27; is an invalid start of a value.\r\n   at Example.Mcp.Read(Stream body) in /src/Mcp.cs:line 20</pre></body></html>',
  ],
  [
    'PHP',
    '<br />\n<b>Fatal error</b>:  Uncaught JsonException: Syntax error in /var/www/html/index.php:3\nStack trace:\n#0 /var/www/html/index.php(3): json_decode()\n#1 {main}',
  ],
];

function page(status: number, body: string): RawAnswer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(body) };
}

function isMalformed({ operation, method, body }: MutantRequest): boolean {
  if (operation !== 'execute' || method !== 'POST') return false;
  try {
    JSON.parse(body.toString('utf8'));
    return false;
  } catch {
    return true;
  }
}

const [[, jsTrace], [, pythonTrace], [, javaTrace]] = TRACES as readonly [
  readonly [string, string],
  readonly [string, string],
  readonly [string, string],
];

const withDetail =
  (detail: object) =>
  <Answer extends { readonly error: object }>(answer: Answer): Answer => ({
    ...answer,
    error: { ...answer.error, ...detail },
  });

const stackTraceMutants: readonly Mutant[] = [
  ...TRACES.map(
    ([language, trace], index): Mutant => ({
      row: 'security/no-stack-trace',
      form: formAt(index),
      name: `the message of an unknown function is a stack trace of ${language}`,
      mutate: inRefused(withDetail({ message: trace }), unknownFunction),
    }),
  ),
  ...PAGES.map(
    ([framework, body], index): Mutant => ({
      row: 'security/no-stack-trace',
      form: formAt(index),
      name: `malformed JSON is answered with the debugging page of ${framework}`,
      mutate: instead((request) => (isMalformed(request) ? page(400, body) : undefined)),
    }),
  ),
  {
    row: 'security/no-stack-trace',
    form: 'both',
    name: 'the error of a handler has the stack beside its message',
    mutate: inRefused(withDetail({ stack: jsTrace }), handlerFailure),
  },
  {
    row: 'security/no-stack-trace',
    form: 'A',
    name: 'the error of a handler has the stack as a list of lines',
    mutate: inRefused(withDetail({ trace: pythonTrace.split('\n') }), handlerFailure),
  },
  {
    row: 'security/no-stack-trace',
    form: 'B',
    name: 'the error of a handler has the stack beside error',
    mutate: inRefused((answer) => ({ ...answer, exception: { trace: javaTrace } }), handlerFailure),
  },
  {
    row: 'security/no-stack-trace',
    form: 'A',
    name: 'the error of a handler holds JSON that holds the stack',
    mutate: inRefused(
      withDetail({ message: JSON.stringify({ status: 500, stack: jsTrace }) }),
      handlerFailure,
    ),
  },
  {
    row: 'security/no-stack-trace',
    form: 'B',
    name: 'a header of a failure holds a source position',
    mutate: raw(handlerFailure, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'x-exception': 'at divide (/srv/app/src/divide.js:3:11)' },
    })),
  },
  {
    row: 'security/no-stack-trace',
    form: 'A',
    name: 'malformed JSON is answered with a stack trace as plain text',
    mutate: instead((request) =>
      isMalformed(request)
        ? { status: 400, headers: { 'content-type': 'text/plain' }, body: Buffer.from(jsTrace) }
        : undefined,
    ),
  },
  {
    row: 'security/no-stack-trace',
    form: 'B',
    name: 'an unknown path is answered with a stack trace',
    mutate: instead(({ operation }) =>
      operation === 'other' ? json(404, { error: { code: 'NOT_FOUND', message: javaTrace } }) : undefined,
    ),
  },
  {
    row: 'security/no-stack-trace',
    form: 'A',
    name: '/health reports the last failure with its stack trace',
    mutate: inHealth((health) => ({ ...health, lastError: jsTrace })),
  },
  {
    row: 'security/no-stack-trace',
    form: 'B',
    name: 'a result comes with a warning that is a stack trace',
    mutate: inServed((answer) => ({ ...answer, warnings: [pythonTrace] })),
  },
  {
    row: 'security/no-stack-trace',
    form: 'both',
    name: 'the message of an unknown function names a source file',
    mutate: inRefused(
      withDetail({ message: 'no handler in /srv/app/src/functions/index.ts' }),
      unknownFunction,
    ),
  },
  {
    row: 'security/no-stack-trace',
    form: 'A',
    name: 'the message of a failure ends with a source position',
    mutate: inRefused(
      withDetail({ message: 'division by zero (C:\\app\\src\\divide.cs:12)' }),
      handlerFailure,
    ),
  },
];

/** Characters that encodings write in different ways. */
const TOKEN = 'c4nary/T0ken+with=every"kind\\of~letter.0123456789';
const GIVEN = { bearerToken: TOKEN } as const;

function tokenOf({ authorization = '' }: MutantRequest): string {
  return authorization.split(' ').at(-1) ?? '';
}

type Spell = (token: string) => string;

const escaped: Spell = (token) =>
  token.replaceAll(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const SPELLINGS: readonly (readonly [how: string, spell: Spell])[] = [
  ['unchanged', (token) => token],
  ['after its scheme', (token) => `Bearer ${token}`],
  ['in base64', (token) => Buffer.from(token).toString('base64')],
  ['in base64, with a name before it', (token) => Buffer.from(`user:${token}`).toString('base64')],
  ['in base64 for URLs', (token) => Buffer.from(token).toString('base64url')],
  ['in hexadecimal digits', (token) => Buffer.from(token).toString('hex')],
  ['for a URL', encodeURIComponent],
  ['for JSON, twice', (token) => JSON.stringify(JSON.stringify(token))],
  ['for JSON, every character escaped', escaped],
  ['for HTML', (token) => token.replaceAll('"', '&quot;').replaceAll('/', '&#x2F;').replaceAll('=', '&#61;')],
];

const echoMutants: readonly Mutant[] = [
  ...SPELLINGS.map(
    ([how, spell], index): Mutant => ({
      row: 'security/no-secret-echo',
      form: formAt(index),
      name: `/health repeats the key ${how}`,
      options: GIVEN,
      mutate: inHealth((health, request) => ({ ...health, caller: spell(tokenOf(request)) })),
    }),
  ),
  {
    row: 'security/no-secret-echo',
    form: 'both',
    name: 'every answer repeats the key in a header',
    options: GIVEN,
    mutate: raw(
      () => true,
      (answer, { authorization = 'none' }) => ({
        ...answer,
        headers: { ...answer.headers, 'x-received-authorization': authorization },
      }),
    ),
  },
  {
    row: 'security/no-secret-echo',
    form: 'B',
    name: 'a cookie contains the key',
    options: GIVEN,
    mutate: raw(on('capabilities'), (answer, request) => ({
      ...answer,
      headers: {
        ...answer.headers,
        'set-cookie': `session=${encodeURIComponent(tokenOf(request))}; HttpOnly`,
      },
    })),
  },
  {
    row: 'security/no-secret-echo',
    form: 'A',
    name: 'the message of an error quotes the key',
    options: GIVEN,
    mutate: inRefused(
      (answer, request) =>
        withDetail({ message: `no such function for the key '${tokenOf(request)}'` })(answer),
      unknownFunction,
    ),
  },
  {
    row: 'security/no-secret-echo',
    form: 'B',
    name: 'a result contains the headers of its request',
    options: GIVEN,
    mutate: inServed((answer, { authorization }) => ({ ...answer, request: { headers: { authorization } } })),
  },
  {
    row: 'security/no-secret-echo',
    form: 'A',
    name: '/capabilities names its caller by the key',
    options: GIVEN,
    mutate: inCapabilities((record, request) => ({ ...record, issuedTo: tokenOf(request) })),
  },
  {
    row: 'security/no-secret-echo',
    form: 'B',
    name: 'a key given as a whole header is repeated',
    options: { headers: { Authorization: `Token ${TOKEN}` } },
    mutate: inHealth((health, request) => ({ ...health, caller: tokenOf(request) })),
  },
  {
    row: 'security/no-secret-echo',
    form: 'A',
    name: 'the password of Basic credentials is repeated without the user name',
    options: { headers: { Authorization: `Basic ${Buffer.from(`ada:${TOKEN}`).toString('base64')}` } },
    mutate: inHealth((health, request) => ({
      ...health,
      caller: Buffer.from(tokenOf(request), 'base64').toString('utf8').slice('ada:'.length),
    })),
  },
];

/** Without a key, the check sends a generated one in a single call of a function that succeeded before. */
const carriesKey = (request: MutantRequest): boolean => request.authorization !== undefined;

const generatedKeyMutants: readonly Mutant[] = [
  {
    row: 'security/no-secret-echo',
    form: 'both',
    name: 'a generated key is repeated beside the result',
    mutate: inServed((answer, { authorization }) => ({ ...answer, caller: authorization })),
  },
  {
    row: 'security/no-secret-echo',
    form: 'A',
    name: 'a generated key is repeated in a header',
    mutate: raw(carriesKey, (answer, request) => ({
      ...answer,
      headers: { ...answer.headers, 'x-key': tokenOf(request) },
    })),
  },
  {
    row: 'security/no-secret-echo',
    form: 'B',
    name: 'a generated key is quoted in the refusal',
    mutate: raw(carriesKey, (_answer, request) => json(403, { detail: `Nobody has ${tokenOf(request)}.` })),
    alsoFails: { 'execute/authorization-tolerated': 'the key is refused' },
  },
];

/** A machine may have only loopback addresses, so the reports are judged at other addresses. */
const httpsMutants: readonly Mutant[] = [
  'http://mcp.example',
  'http://mcp.example:8080/tools',
  'http://192.0.2.7:3000',
  'http://[2001:db8::7]:3000',
  'http://127.0.0.1.example',
  'http://localhost.example',
].map((judgedAt, index) => ({
  row: 'security/https',
  form: formAt(index),
  name: `the address is ${judgedAt}`,
  judgedAt,
  mutate: unchanged,
}));

const certificateMutants: readonly Mutant[] = [
  ...refusedEndpoints.map(
    ({ name, serverFor }, index): Mutant => ({
      row: 'security/certificate',
      form: formAt(index),
      name,
      scheme: 'https',
      serveWith: serverFor,
      options: { ca: trustedPem },
      mutate: unchanged,
      alsoFails: {
        'health/reachable': 'nothing is sent to a server that cannot be trusted',
        'capabilities/reachable': 'nothing is sent to a server that cannot be trusted',
      },
    }),
  ),
  ...endingEndpoints.map(
    ({ name, serverFor }, index): Mutant => ({
      row: 'security/certificate',
      form: formAt(index),
      name,
      scheme: 'https',
      serveWith: serverFor,
      options: { ca: trustedPem },
      mutate: unchanged,
    }),
  ),
];

const KEY_REQUIRED = { error: { code: 'UNAUTHORIZED', message: 'A key is needed.' } } as const;

/** Refuses every second matching request, as if only one of two replicas required a key. */
function everySecond(fits: (request: MutantRequest) => boolean, status: number): Mutant['mutate'] {
  return (): Mutation => {
    let count = 0;
    return async (request, conform) => {
      if (!fits(request) || request.authorization !== undefined) return conform(request);
      count += 1;
      return count % 2 === 0 ? json(status, KEY_REQUIRED) : conform(request);
    };
  };
}

const accessMutants: readonly Mutant[] = [
  {
    row: 'security/access',
    form: 'both',
    name: 'requests over persistent connections need a key, others do not',
    mutate: instead(({ operation, connection }) =>
      operation === 'health' && connection === 'keep-alive' ? json(401, KEY_REQUIRED) : undefined,
    ),
  },
  {
    row: 'security/access',
    form: 'A',
    name: 'every second read of /health needs a key',
    mutate: everySecond(({ operation, method }) => operation === 'health' && method === 'GET', 401),
    mayFail: /^(health|robustness)\//,
  },
  {
    row: 'security/access',
    form: 'B',
    name: 'every second read of /capabilities is forbidden',
    mutate: everySecond(({ operation }) => operation === 'capabilities', 403),
    mayFail: /^capabilities\//,
  },
  {
    row: 'security/access',
    form: 'A',
    name: 'every second call of a function needs a key',
    mutate: everySecond(({ call }) => call.function === 'add', 401),
    mayFail: /^(execute|errors|robustness)\//,
  },
];

const TWO_USERS = {
  only: ['security/identities-apart'],
  bearerToken: 'user-ann-4711',
  bearerTokens: { other: 'user-ben-4712' },
};

const identityMutants: readonly Mutant[] = [
  {
    row: 'security/identities-apart',
    form: 'both',
    name: 'every user can read each note',
    options: TWO_USERS,
    mutate: notesOfUsers((name) => name === 'get_note'),
  },
  {
    row: 'security/identities-apart',
    form: 'A',
    name: 'every user can delete each note',
    options: TWO_USERS,
    mutate: notesOfUsers((name) => name === 'delete_note'),
  },
];

export const securityMutants: readonly Mutant[] = [
  ...stackTraceMutants,
  ...echoMutants,
  ...generatedKeyMutants,
  ...httpsMutants,
  ...certificateMutants,
  ...accessMutants,
  ...identityMutants,
];
