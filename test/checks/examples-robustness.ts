import type { JsonAnswer } from '../../src/checks/define-check.ts';
import type { TransportFailure } from '../../src/model/exchange.ts';
import {
  answer,
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

const failures = {
  reset: { code: 'connection-reset', fault: 'server', message: 'the connection was reset' },
  closed: { code: 'closed-early', fault: 'server', message: 'the connection was closed without an answer' },
  timeout: { code: 'timeout', fault: 'server', message: 'no answer within 10 s' },
  noHttp: { code: 'invalid-http', fault: 'server', message: 'the answer breaks HTTP/1.1' },
  refused: { code: 'connection-refused', fault: 'network', message: 'connection refused' },
  deadline: { code: 'deadline', fault: 'harness', message: 'out of time' },
  notSent: { code: 'not-sent', fault: 'harness', message: 'only planned' },
} as const satisfies Readonly<Record<string, TransportFailure>>;

const unanswered = (name: keyof typeof failures) => ({ exchange: noAnswer(failures[name]) });
const refusal = (status: number, code: string) => {
  const value = { error: { code, message: 'It went wrong.' } };
  return { exchange: answer({ status, value }), value };
};

/** A read of /health, `atSeconds` after the first. */
const read = (uptime: unknown, atSeconds: number, key = `read#${atSeconds}`): JsonAnswer =>
  jsonAnswer({
    key,
    value: { uptime } as Record<string, string | number>,
    startedAtMs: STARTED_AT_MS + atSeconds * 1000,
  });
const from = (url: string, uptime: number, atSeconds: number): JsonAnswer =>
  jsonAnswer({
    key: `read#${atSeconds}`,
    value: { uptime },
    startedAtMs: STARTED_AT_MS + atSeconds * 1000,
    request: { url },
  });

/** Reads before and after a negative step. */
const reads = (before: readonly JsonAnswer[], after: readonly JsonAnswer[]) => ({
  answers: after,
  used: { earlier: before },
});

/** Examples of the checks of negative steps. */
export const examplesOfRobustness: readonly Example[] = [
  ...[200, 413, 500].map(
    (status): Example => ({
      check: 'answered-or-closed',
      what: `an answer of status ${status}`,
      given: { exchange: answer({ status }) },
      finds: passes,
    }),
  ),
  {
    check: 'answered-or-closed',
    what: 'a connection that was reset',
    given: unanswered('reset'),
    finds: passes,
  },
  {
    check: 'answered-or-closed',
    what: 'a connection that was closed without an answer',
    given: unanswered('closed'),
    finds: passes,
  },
  {
    check: 'answered-or-closed',
    what: 'no answer in time',
    given: unanswered('timeout'),
    finds: fails({
      message: 'no answer within 10 s',
      expected: 'an answer',
      received: 'none: timeout',
      exchangeKey: 'step#0',
    }),
  },
  {
    check: 'answered-or-closed',
    what: 'an answer that is not HTTP',
    given: unanswered('noHttp'),
    finds: fails({ received: 'none: invalid-http' }),
  },
  {
    check: 'answered-or-closed',
    what: 'a port on which nothing listens',
    given: unanswered('refused'),
    finds: fails({ fault: 'network', received: 'none: connection-refused' }),
  },
  {
    check: 'answered-or-closed',
    what: 'a run that reached its deadline',
    given: unanswered('deadline'),
    finds: undecided({ message: 'out of time', fault: 'harness' }),
  },
  {
    check: 'answered-or-closed',
    what: 'a request that was only planned',
    given: unanswered('notSent'),
    finds: notApplicable('only planned'),
  },

  ...[200, 302, 400, 413, 499].map(
    (status): Example => ({
      check: 'only-declared-failure',
      what: `status ${status}`,
      given: { exchange: answer({ status }) },
      finds: passes,
    }),
  ),
  {
    check: 'only-declared-failure',
    what: 'status 500 with EXECUTION_ERROR',
    given: refusal(500, 'EXECUTION_ERROR'),
    finds: passes,
  },
  {
    check: 'only-declared-failure',
    what: 'status 500 with another code',
    given: refusal(500, 'INTERNAL_ERROR'),
    finds: fails({
      message: 'the status is 500, and the answer does not say that the function failed',
      expected: 'a status below 500, or 500 with error.code EXECUTION_ERROR',
      received: containing('500 with {"error":{"code":"INTERNAL_ERROR"'),
    }),
  },
  {
    check: 'only-declared-failure',
    what: 'status 500 with the code in another place',
    given: { exchange: answer({ status: 500, value: { code: 'EXECUTION_ERROR' } }) },
    finds: fails({ received: containing('500 with {"code":"EXECUTION_ERROR"}') }),
  },
  ...[501, 502, 503].map(
    (status): Example => ({
      check: 'only-declared-failure',
      what: `status ${status} with EXECUTION_ERROR`,
      given: refusal(status, 'EXECUTION_ERROR'),
      finds: fails({ message: containing(`the status is ${status}`) }),
    }),
  ),
  {
    check: 'only-declared-failure',
    what: 'status 500 with a page of HTML',
    given: { exchange: answer({ status: 500, body: { text: '<h1>Internal Server Error</h1>' } }) },
    finds: fails({ received: '500 with a body that is not JSON' }),
  },
  {
    check: 'only-declared-failure',
    what: 'status 500 with a body that is nested as deep as the input was',
    given: {
      exchange: answer({ status: 500, body: { text: `${'['.repeat(10_000)}${']'.repeat(10_000)}` } }),
    },
    finds: undecided({ fault: 'harness' }),
  },

  {
    check: 'no-restart',
    what: 'an uptime that advances',
    given: reads([read(100, 0), read(101.1, 1.1)], [read(104, 4), read(104, 4), read(104.01, 4)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'an uptime in whole seconds that advances',
    given: reads([read(7, 0), read(8, 1.1)], [read(8, 1.2), read(8, 1.3)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'a recently started server that keeps running',
    given: reads([read(0.02, 0), read(1.12, 1.1)], [read(3.02, 3)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'a restart after an hour',
    given: reads([read(3600, 0), read(3601.1, 1.1)], [read(0.3, 4, 'survives#0')]),
    finds: fails({
      message: 'uptime shows that the server was restarted in between',
      expected: 'about 3604.0: it was 3600 4.0 s before',
      received: '0.3',
      pointer: '/uptime',
      exchangeKey: 'survives#0',
    }),
  },
  {
    check: 'no-restart',
    what: 'a restart before the last of the earlier reads',
    given: reads([read(3600, 0), read(3601.1, 1.1), read(0.2, 3.9)], [read(0.3, 4)]),
    finds: fails({ received: '0.3' }),
  },
  {
    check: 'no-restart',
    what: 'a restart so long ago that uptime is higher than before',
    given: reads([read(5, 0), read(6.1, 1.1)], [read(18, 20)]),
    finds: fails({ expected: 'about 25.0: it was 5 20.0 s before', received: '18' }),
  },
  {
    check: 'no-restart',
    what: 'a restart, in whole seconds',
    given: reads([read(50, 0), read(51, 1.1)], [read(0, 4), read(0, 4)]),
    finds: fails({ received: '0' }),
  },
  {
    check: 'no-restart',
    what: 'a clock that was set back slightly',
    given: reads([read(100, 0), read(101.1, 1.1), read(104, 4)], [read(103.9, 4)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'a younger instance behind a load balancer that kept running',
    given: reads([read(90_000, 0), read(90_001.1, 1.1)], [read(20, 4), read(20, 4)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'alternating instances',
    given: reads([read(90_000, 0), read(17.1, 1.1), read(90_001.2, 1.2)], [read(20, 4), read(90_004, 4)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'one of two instances restarted',
    given: reads([read(90_000, 0), read(90_001.1, 1.1)], [read(90_004, 4), read(0.5, 4)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'both of two instances restarted',
    given: reads([read(90_000, 0), read(90_001.1, 1.1), read(40, 1.1)], [read(2, 4), read(0.5, 4)]),
    finds: fails({ received: '0.5' }),
  },
  {
    check: 'no-restart',
    what: 'an uptime in milliseconds that advances',
    given: reads([read(100_000, 0), read(101_100, 1.1)], [read(104_000, 4)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'an uptime in milliseconds that goes back',
    given: reads([read(100_000, 0), read(101_100, 1.1)], [read(300, 4, 'survives#0')]),
    finds: undecided({
      message: 'uptime went back, but is not known to count seconds: it cannot show a restart',
      expected: '101100 or more, as before',
      received: '300',
      pointer: '/uptime',
      exchangeKey: 'survives#0',
    }),
  },
  {
    check: 'no-restart',
    what: 'an uptime in milliseconds that goes back, after reads a millisecond apart',
    given: reads([read(100_000, 0), read(100_001, 0.001), read(101_100, 1.1)], [read(300, 4)]),
    finds: undecided({ received: '300' }),
  },
  {
    check: 'no-restart',
    what: 'an uptime with a fraction that does not change',
    given: reads([read(50.5, 0), read(50.5, 0.01), read(50.5, 1.1)], [read(50.5, 60)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'an uptime that does not change',
    given: reads([read(17, 0), read(17, 1.1)], [read(17, 60)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'no earlier reads',
    given: reads([], [read(1, 4)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'an uptime that is not a number',
    given: reads([read('long', 0), read(100, 1)], [read('short', 4)]),
    finds: passes,
  },
  {
    check: 'no-restart',
    what: 'an uptime that is not from /health',
    given: reads(
      [from('http://target.example/jobs', 3600, 0), from('http://target.example/jobs', 3601.1, 1.1)],
      [read(0.3, 4)],
    ),
    finds: passes,
  },
];
