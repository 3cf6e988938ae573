import {
  answer,
  call,
  containing,
  type Example,
  fails,
  jsonAnswer,
  noAnswer,
  notApplicable,
  passes,
  STARTED_AT_MS,
  undecided,
} from './example.ts';

const refused = noAnswer({ code: 'connection-refused', fault: 'network', message: 'connection refused' });
const reset = noAnswer({ code: 'connection-reset', fault: 'server', message: 'the connection was reset' });

const health = (
  first: object,
  second: object,
  { apartMs = 1100, durationMs = 20 }: { readonly apartMs?: number; readonly durationMs?: number } = {},
) => ({
  answers: [
    jsonAnswer({ key: 'read#0', value: { ...first }, durationMs }),
    jsonAnswer({ key: 'read#1', value: { ...second }, durationMs, startedAtMs: STARTED_AT_MS + apartMs }),
  ],
});
const stamps = (first: string, second: string, timing = {}) =>
  health({ timestamp: first }, { timestamp: second }, timing);

/** Examples of the checks of every answer, and of /health. */
export const examplesOfAnswers: readonly Example[] = [
  { check: 'answered', what: 'an answer', given: {}, finds: passes },
  {
    check: 'answered',
    what: 'an answer of status 500',
    given: { exchange: answer({ status: 500 }) },
    finds: passes,
  },
  {
    check: 'answered',
    what: 'a connection that the server reset',
    given: { exchange: reset },
    finds: fails({
      message: 'the connection was reset',
      expected: 'an answer',
      received: 'none: connection-reset',
      exchangeKey: 'step#0',
    }),
  },
  {
    check: 'answered',
    what: 'a port on which nothing listens',
    given: { exchange: refused },
    finds: fails({
      fault: 'network',
      received: 'none: connection-refused',
      advice: containing('Start the server'),
    }),
  },
  {
    check: 'answered',
    what: 'a connection closed without an answer, as by a TLS server',
    given: {
      exchange: noAnswer({ code: 'closed-early', fault: 'server', message: 'closed without an answer' }),
    },
    finds: fails({ fault: 'server', received: 'none: closed-early', advice: containing('https') }),
  },
  {
    check: 'answered',
    what: 'a name server that does not answer',
    given: { exchange: noAnswer({ code: 'name-lookup-failed', fault: 'network', message: 'no DNS' }) },
    finds: undecided({ received: 'none: name-lookup-failed', fault: 'network' }),
  },
  {
    check: 'answered',
    what: 'a run that reached its deadline',
    given: { exchange: noAnswer({ code: 'deadline', fault: 'harness', message: 'out of time' }) },
    finds: undecided({ message: 'out of time', fault: 'harness' }),
  },
  {
    check: 'answered',
    what: 'an answer too large for the harness',
    given: { exchange: noAnswer({ code: 'body-too-large', fault: 'harness', message: 'too large' }) },
    finds: undecided({
      received: 'none: body-too-large',
      fault: 'harness',
      advice: containing('Send a smaller answer'),
    }),
  },
  {
    check: 'answered',
    what: 'a request that was only planned',
    given: { exchange: noAnswer({ code: 'not-sent', fault: 'harness', message: 'only planned' }) },
    finds: notApplicable('only planned'),
  },

  ...[
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    ' application/json ; a=b',
  ].map(
    (type): Example => ({
      check: 'json-content-type',
      what: type,
      given: { exchange: answer({ headers: [['Content-Type', type]] }) },
      finds: passes,
    }),
  ),
  ...['text/html', 'application/problem+json', 'application/jsonp', 'json', ''].map(
    (type): Example => ({
      check: 'json-content-type',
      what: `not ${type}`,
      given: { exchange: answer({ headers: [['content-type', type]] }) },
      finds: fails({ message: 'the Content-Type is not application/json', received: `"${type}" (string)` }),
    }),
  ),
  {
    check: 'json-content-type',
    what: 'the same twice',
    given: {
      exchange: answer({
        headers: [
          ['content-type', 'application/json'],
          ['Content-Type', 'application/json'],
        ],
      }),
    },
    finds: passes,
  },
  {
    check: 'json-content-type',
    what: 'two different ones',
    given: {
      exchange: answer({
        headers: [
          ['content-type', 'application/json'],
          ['content-type', 'text/html'],
        ],
      }),
    },
    finds: fails({ received: '"application/json and text/html" (string)' }),
  },
  {
    check: 'json-content-type',
    what: 'no such header',
    given: { exchange: answer({ headers: [] }) },
    finds: fails({ message: 'the answer has no Content-Type', received: 'no such header' }),
  },

  {
    check: 'json-object',
    what: 'a body in a coding that was not requested',
    given: {
      exchange: answer({
        body: { text: '' },
        bodyProblem: { code: 'unasked-coding', fault: 'server', message: 'it comes with zstd' },
      }),
    },
    finds: fails({
      message: 'it comes with zstd',
      received: 'a body that cannot be read: unasked-coding',
      advice: containing('Accept-Encoding'),
    }),
  },
  {
    check: 'json-object',
    what: 'a body that decompresses to more than the harness reads',
    given: {
      exchange: answer({
        body: { text: '' },
        bodyProblem: { code: 'body-too-large', fault: 'harness', message: 'it unpacks to too much' },
      }),
    },
    finds: undecided({ received: 'a body that cannot be read: body-too-large' }),
  },
  { check: 'json-object', what: 'an object', given: { value: { a: 1 } }, finds: passes },
  {
    check: 'json-object',
    what: 'a list',
    given: { value: [] },
    finds: fails({ message: 'the body is JSON, but an array', received: '[] (array)' }),
  },
  {
    check: 'json-object',
    what: 'a key that occurs twice',
    given: { exchange: answer({ body: { text: '{"a":{"b/c":1,"b/c":2}}' } }) },
    finds: fails({ message: 'the key "b/c" occurs twice in one object', pointer: '/a/b~1c' }),
  },
  {
    check: 'json-object',
    what: 'nesting too deep for the harness',
    given: { exchange: answer({ body: { text: `${'{"a":'.repeat(300)}1${'}'.repeat(300)}` } }) },
    finds: undecided({ received: 'more than 256 levels', fault: 'harness' }),
  },

  ...['2026-01-31T12:00:00Z', '20260131T120000Z', '2026-W05-6T12:00:00+01:00'].map(
    (timestamp): Example => ({
      check: 'timestamp-iso8601',
      what: timestamp,
      given: { value: { timestamp } },
      finds: passes,
    }),
  ),
  ...[1_769_860_800, 'Sat, 31 Jan 2026 12:00:00 GMT', '2026-02-30T12:00:00Z', null].map(
    (timestamp): Example => ({
      check: 'timestamp-iso8601',
      what: `not ${timestamp}`,
      given: { value: { timestamp } },
      finds: fails({ message: 'timestamp is not an ISO 8601 date and time', pointer: '/timestamp' }),
    }),
  ),
  {
    check: 'timestamp-iso8601',
    what: 'no timestamp',
    given: { value: {} },
    finds: fails({ message: 'timestamp is missing', received: 'nothing' }),
  },

  { check: 'further-reads-answered', what: 'status 200', given: { exchange: answer() }, finds: passes },
  {
    check: 'further-reads-answered',
    what: 'status 500',
    given: { exchange: answer({ status: 500 }) },
    finds: fails({ message: 'one of several reads is answered with status 500', received: 'status 500' }),
  },
  {
    check: 'further-reads-answered',
    what: 'a rate limit',
    given: { exchange: answer({ status: 429 }) },
    finds: notApplicable('the client is refused'),
  },
  {
    check: 'further-reads-answered',
    what: 'no answer',
    given: { exchange: reset },
    finds: notApplicable('there is no answer'),
  },
  {
    check: 'timestamp-zone',
    what: 'Z',
    given: { value: { timestamp: '2026-01-31T12:00:00Z' } },
    finds: passes,
  },
  {
    check: 'timestamp-zone',
    what: '+02:00',
    given: { value: { timestamp: '2026-01-31T12:00:00+02:00' } },
    finds: passes,
  },
  {
    check: 'timestamp-zone',
    what: 'a time without its zone',
    given: { value: { timestamp: '2026-01-31T12:00:00' } },
    finds: fails({
      message: 'timestamp does not say in which time zone it is',
      received: '"2026-01-31T12:00:00" (string)',
      pointer: '/timestamp',
    }),
  },

  {
    check: 'timestamp-current',
    what: 'the time of each read',
    given: stamps('2026-01-31T12:00:00.010Z', '2026-01-31T12:00:01.110Z'),
    finds: passes,
  },
  {
    check: 'timestamp-current',
    what: 'exactly 60 s early',
    given: stamps('2026-01-31T11:59:00Z', '2026-01-31T11:59:01.100Z'),
    finds: passes,
  },
  {
    check: 'timestamp-current',
    what: '61 s early',
    given: stamps('2026-01-31T11:58:59Z', '2026-01-31T11:59:00Z'),
    finds: fails({
      message: 'timestamp is 61 s away from the time at which it was read',
      expected: 'within 60 s of 2026-01-31T12:00:00.000Z',
      received: '"2026-01-31T11:58:59Z" (string)',
      pointer: '/timestamp',
      exchangeKey: 'read#0',
    }),
  },
  {
    check: 'timestamp-current',
    what: 'the second read an hour late',
    given: stamps('2026-01-31T12:00:00Z', '2026-01-31T13:00:01Z'),
    finds: fails({ exchangeKey: 'read#1', received: '"2026-01-31T13:00:01Z" (string)' }),
  },
  {
    check: 'timestamp-current',
    what: 'the local time of a zone, without an offset',
    given: stamps('2026-01-31T17:45:00', '2026-01-31T17:45:01'),
    finds: passes,
  },
  {
    check: 'timestamp-current',
    what: 'a time that is not the local time of any zone',
    given: stamps('2026-01-31T12:07:30', '2026-01-31T12:07:31'),
    finds: fails({ message: 'timestamp is 450 s away from the time at which it was read' }),
  },
  {
    check: 'timestamp-current',
    what: 'a timestamp that does not change',
    given: stamps('2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'),
    finds: fails({
      message: 'timestamp did not change between two reads 1.1 s apart',
      received: '"2026-01-31T12:00:00Z" (string) both times',
      exchangeKey: 'read#1',
    }),
  },
  {
    check: 'timestamp-current',
    what: 'two reads within a second',
    given: stamps('2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z', { apartMs: 1010 }),
    finds: undecided({ message: 'the two reads were too close together to compare', received: '990 ms' }),
  },
  {
    check: 'timestamp-current',
    what: 'two reads within a second, between which it changed',
    given: stamps('2026-01-31T12:00:00.010Z', '2026-01-31T12:00:00.270Z', { apartMs: 260 }),
    finds: passes,
  },
  {
    check: 'timestamp-current',
    what: 'only one read',
    given: { answers: [jsonAnswer({ value: { timestamp: '2026-01-31T12:00:00Z' } })] },
    finds: undecided({ message: 'only one read of /health gave a timestamp', received: '1' }),
  },

  {
    check: 'uptime-in-seconds',
    what: 'seconds',
    given: health({ uptime: 100.5 }, { uptime: 101.6 }),
    finds: passes,
  },
  {
    check: 'uptime-in-seconds',
    what: 'whole seconds',
    given: health({ uptime: 100 }, { uptime: 101 }),
    finds: passes,
  },
  {
    check: 'uptime-in-seconds',
    what: 'milliseconds',
    given: health({ uptime: 100_000 }, { uptime: 101_120 }),
    finds: fails({
      message: 'uptime ran too fast for a counter of seconds',
      expected: 'an advance of about the time that passed: 1.1 s to 1.1 s',
      received: '100000, then 101120: an advance of 1120',
      pointer: '/uptime',
      exchangeKey: 'read#1',
      advice: containing('divide by 1000'),
    }),
  },
  ...(
    [
      ['microseconds', 1_000_000, '1,000,000,'],
      ['nanoseconds', 1_000_000_000, '1,000,000,000,'],
    ] as const
  ).map(
    ([unit, perSecond, divisor]): Example => ({
      check: 'uptime-in-seconds',
      what: unit,
      given: health({ uptime: 100 * perSecond }, { uptime: 101.1 * perSecond }),
      finds: fails({
        message: 'uptime ran too fast for a counter of seconds',
        advice: containing(`Report seconds, not ${unit}: divide by ${divisor}`),
      }),
    }),
  ),
  {
    check: 'uptime-in-seconds',
    what: 'hundredths of a second',
    given: health({ uptime: 100_000 }, { uptime: 100_110 }),
    finds: fails({ advice: containing('keep the time of the start and subtract it') }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'milliseconds after a month of uptime',
    given: health({ uptime: 2_592_000_000 }, { uptime: 2_592_001_110 }),
    finds: fails({
      message: 'uptime ran too fast for a counter of seconds',
      advice: containing('divide by 1000,'),
    }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'the Unix time, which advances like an uptime',
    given: health({ uptime: STARTED_AT_MS / 1000 }, { uptime: STARTED_AT_MS / 1000 + 1 }),
    finds: fails({
      message: 'uptime is a Unix time in seconds, not the time since the start',
      expected: 'the seconds since the server was started',
      received: `${STARTED_AT_MS / 1000 + 1}, which is 2026-01-31T12:00:01.000Z`,
      pointer: '/uptime',
      exchangeKey: 'read#1',
      advice: containing('Subtract the time of the start'),
    }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'the Unix time in milliseconds',
    given: health({ uptime: STARTED_AT_MS }, { uptime: STARTED_AT_MS + 1110 }),
    finds: fails({ message: 'uptime is a Unix time in milliseconds, not the time since the start' }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'the time of the start, some months ago',
    given: health(
      { uptime: STARTED_AT_MS / 1000 - 10_000_000 },
      { uptime: STARTED_AT_MS / 1000 - 10_000_000 },
    ),
    finds: fails({ message: containing('uptime is a Unix time in seconds') }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'a Unix time in a single read',
    given: { answers: [jsonAnswer({ key: 'read#0', value: { uptime: STARTED_AT_MS / 1000 } })] },
    finds: fails({ message: containing('uptime is a Unix time in seconds'), exchangeKey: 'read#0' }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'nanoseconds that are close to the Unix time in seconds',
    given: health({ uptime: STARTED_AT_MS / 1000 }, { uptime: STARTED_AT_MS / 1000 + 1_110_000_000 }),
    finds: fails({
      message: 'uptime ran too fast for a counter of seconds',
      advice: containing('not nanoseconds'),
    }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'more seconds than any process runs',
    given: health({ uptime: 800_000_000 }, { uptime: 800_000_001 }),
    finds: fails({
      message: 'uptime is longer than any process has been running, if it is in seconds',
      received: '800000001: 25 years',
      exchangeKey: 'read#1',
    }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'nineteen years',
    given: health({ uptime: 599_600_000 }, { uptime: 599_600_001 }),
    finds: passes,
  },
  {
    check: 'uptime-in-seconds',
    what: 'a number that does not change',
    given: health({ uptime: 7 }, { uptime: 7 }),
    finds: fails({
      message: 'uptime did not advance between two reads',
      received: '7, then 7: an advance of 0',
    }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'minutes',
    given: health({ uptime: 1 }, { uptime: 1.083 }, { apartMs: 5000 }),
    finds: fails({ message: 'uptime ran too slow for a counter of seconds' }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'a restart between the reads',
    given: health({ uptime: 100 }, { uptime: 1 }),
    finds: notApplicable('uptime went back between the reads'),
  },
  {
    check: 'uptime-in-seconds',
    what: 'two reads within a second',
    given: health({ uptime: 1 }, { uptime: 2 }, { apartMs: 900 }),
    finds: undecided({ message: 'the two reads were too close together to compare' }),
  },
  ...[
    ['a fraction that runs at the rate of the clock', 1.5, 1.77, passes],
    ['a fraction that is written every second', 1.5, 1.5, undecided({})],
    ['a fraction that runs too slow', 1.5, 1.6, undecided({})],
    ['a fraction that runs too fast', 1.5, 2.5, undecided({})],
    ['milliseconds with a fraction', 1500.5, 1770.5, undecided({})],
    ['whole seconds', 1, 2, undecided({})],
  ].map(
    ([what, first, second, finds]) =>
      ({
        check: 'uptime-in-seconds',
        what: `two reads within a second: ${what}`,
        given: health({ uptime: first }, { uptime: second }, { apartMs: 290 }),
        finds,
      }) as Example,
  ),
  {
    check: 'uptime-in-seconds',
    what: 'two reads at nearly the same moment',
    given: health({ uptime: 1.5 }, { uptime: 1.62 }, { apartMs: 140 }),
    finds: undecided({ message: 'the two reads were too close together to compare' }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'a read without uptime',
    given: health({ uptime: 1 }, {}),
    finds: undecided({ message: 'fewer than two reads of /health gave an uptime' }),
  },
  {
    check: 'uptime-in-seconds',
    what: 'a number out of range',
    given: health({ uptime: 1 }, { uptime: Number.POSITIVE_INFINITY }),
    finds: undecided({ message: 'fewer than two reads of /health gave an uptime' }),
  },

  {
    check: 'uptime-never-back',
    what: 'the same uptime twice',
    given: health({ uptime: 5 }, { uptime: 5 }),
    finds: passes,
  },
  {
    check: 'uptime-never-back',
    what: 'a restart',
    given: health({ uptime: 500 }, { uptime: 0.2 }),
    finds: fails({
      message: 'uptime went back: the server seems to have restarted during the run',
      expected: '500 or more',
      received: '0.2',
      pointer: '/uptime',
      exchangeKey: 'read#1',
    }),
  },
  {
    check: 'uptime-never-back',
    what: 'a number too large for a double, which health/uptime-number finds',
    given: health({ uptime: Number.POSITIVE_INFINITY }, { uptime: 5 }),
    finds: passes,
  },
  {
    check: 'uptime-never-back',
    what: 'answers in reverse order',
    given: { answers: [...health({ uptime: 5 }, { uptime: 6 }).answers].reverse() },
    finds: passes,
  },

  ...['1.0', '1.0.0', 'v1.2', '2', '10.0-beta'].map(
    (mcpVersion): Example => ({
      check: 'version-supported',
      what: mcpVersion,
      given: { value: { mcpVersion } },
      finds: passes,
    }),
  ),
  {
    check: 'version-supported',
    what: 'an older version',
    given: { value: { mcpVersion: '0.9.5' } },
    finds: fails({
      message: 'mcpVersion is older than 1.0',
      received: '"0.9.5" (string)',
      pointer: '/mcpVersion',
    }),
  },
  ...['latest', '', 1].map(
    (mcpVersion): Example => ({
      check: 'version-supported',
      what: `not ${JSON.stringify(mcpVersion)}`,
      given: { value: { mcpVersion } },
      finds: fails({ message: 'mcpVersion does not start with a version number', pointer: '/mcpVersion' }),
    }),
  ),

  {
    check: 'error-not-result',
    what: 'status 400 with an error body',
    given: {
      exchange: answer({ status: 400, value: { error: { code: 'INVALID', message: 'a is missing' } } }),
    },
    finds: passes,
  },
  {
    check: 'error-not-result',
    what: 'status 500 with an error body',
    given: { exchange: answer({ status: 500, value: { error: { code: 'FAILED', message: 'no' } } }) },
    finds: passes,
  },
  {
    check: 'error-not-result',
    what: 'status 200 with a result',
    given: { exchange: answer({ value: { result: { sum: null } } }) },
    finds: fails({
      message: 'the invalid call was answered as if it were valid',
      received: '200 with {"result":{"sum":null}} (object)',
    }),
  },
  {
    check: 'error-not-result',
    what: 'status 200 with an error body',
    given: { exchange: answer({ value: { error: { code: 'INVALID', message: 'no' } } }) },
    finds: fails({ message: 'the error has a success status' }),
  },
  ...(
    [
      ['status 422 with an error that is text', answer({ status: 422, value: { error: 'a is missing' } })],
      ['status 400 with a page', answer({ status: 400, body: { text: '<html>' } })],
      [
        'status 400 with an error that is too deep for the harness',
        answer({ status: 400, body: { text: `{"error":${'['.repeat(300)}${']'.repeat(300)}}` } }),
      ],
    ] as const
  ).map(
    // The call was refused; error-body judges the form of the body.
    ([what, exchange]): Example => ({ check: 'error-not-result', what, given: { exchange }, finds: passes }),
  ),
  {
    check: 'error-not-result',
    what: 'status 404 of a server without the operation',
    given: { exchange: answer({ status: 404, value: { detail: 'Not Found' } }) },
    finds: fails({
      message: 'the refusal has no error body',
      received: '404 with {"detail":"Not Found"} (object)',
    }),
  },
  {
    check: 'error-not-result',
    what: 'status 404 with a body that is too deep for the harness',
    given: {
      exchange: answer({ status: 404, body: { text: `{"a":${'['.repeat(300)}${']'.repeat(300)}}` } }),
    },
    finds: undecided({ received: '404 with more than 256 levels', fault: 'harness' }),
  },
  {
    check: 'error-not-result',
    what: 'status 200 with a page',
    given: { exchange: answer({ body: { text: '<html>' } }) },
    finds: fails({ received: '200 with "<html>" (string)' }),
  },
  {
    check: 'error-not-result',
    what: 'status 502',
    given: { exchange: answer({ status: 502, value: { error: { code: 'A', message: 'b' } } }) },
    finds: fails({ message: 'the invalid call was not refused with a 4xx status or 500' }),
  },

  {
    check: 'request-id-echoed',
    what: 'the same id',
    given: { call: call({ requestId: 'a-é-\u2028' }), value: { requestId: 'a-é-\u2028' } },
    finds: passes,
  },
  {
    check: 'request-id-echoed',
    what: 'another id',
    given: { call: call({ requestId: '12' }), value: { requestId: 12 } },
    finds: fails({
      message: 'the requestId is not the one that was sent',
      expected: '"12" (string)',
      received: '12 (number)',
      pointer: '/requestId',
    }),
  },
  {
    check: 'request-id-echoed',
    what: 'no id',
    given: { call: call({ requestId: 'x' }), value: {} },
    finds: fails({ message: 'the answer has no requestId', received: 'nothing' }),
  },
  {
    check: 'request-id-echoed',
    what: 'a call without an id',
    given: { call: call(), value: { requestId: 'generated' } },
    finds: notApplicable('the call carried no requestId'),
  },

  {
    check: 'execution-time-plausible',
    what: 'less than the call took',
    given: { value: { executionTime: 12 } },
    finds: passes,
  },
  {
    check: 'execution-time-plausible',
    what: 'a little more, as with coarse timers',
    given: { value: { executionTime: 25 } },
    finds: passes,
  },
  {
    check: 'execution-time-plausible',
    what: 'microseconds',
    given: { value: { executionTime: 12_000 } },
    finds: fails({
      message: 'executionTime is longer than the whole call took',
      expected: 'at most 20.0 ms, the call as seen from outside',
      received: '12000',
      pointer: '/executionTime',
    }),
  },
  {
    check: 'execution-time-plausible',
    what: 'none',
    given: { value: {} },
    finds: notApplicable('there is no executionTime'),
  },
];
