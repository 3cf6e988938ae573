import type { Measured } from '../../src/checks/define-check.ts';
import {
  answer,
  containing,
  type Example,
  fails,
  type Given,
  type MeasurementParts,
  measurement,
  notApplicable,
  passes,
  undecided,
} from './example.ts';

const measured = (parts: MeasurementParts = {}, key = 'performance/health#0'): Measured => ({
  measurement: measurement(parts),
  exchange: answer({ key }),
});
const ofCall = (parts: MeasurementParts = {}): Measured =>
  measured({ operation: 'execute', function: 'add', ...parts }, 'performance/execute[add]@B#0');

const median = (valueMs: number, lowMs: number, highMs: number): NonNullable<Given['median']> => ({
  percentile: 'p50',
  valueMs,
  intervalMs: [lowMs, highMs],
});

const LATE_CLIENT = ['the client was late'];

export const examplesOfPerformance: readonly Example[] = [
  {
    check: 'timed-calls-answered',
    what: 'all calls answered',
    given: { measured: [measured(), ofCall()] },
    finds: [...passes, ...passes],
  },
  {
    check: 'timed-calls-answered',
    what: 'answered, but the client was late',
    given: { measured: [measured({ unreliable: LATE_CLIENT })] },
    finds: passes,
  },
  {
    check: 'timed-calls-answered',
    what: 'nothing was timed',
    given: { measured: [] },
    finds: notApplicable('nothing was timed'),
  },
  {
    check: 'timed-calls-answered',
    what: 'one failed with 500',
    given: { measured: [measured(), ofCall({ failures: { HTTP_500: 1 } })] },
    finds: [
      ...passes,
      ...fails({
        message: '1 of 75 timed calls failed',
        expected: 'an answer to each, with a status below 400',
        received: 'HTTP_500 once',
        exchangeKey: 'performance/execute[add]@B#0',
      }),
    ],
  },
  {
    check: 'timed-calls-answered',
    what: 'failures of several kinds, some of them caused by the server',
    given: {
      measured: [
        ofCall({
          failures: { HTTP_503: 4, timeout: 2, 'connection-reset': 1, 'body-too-large': 3, HTTP_409: 1 },
        }),
      ],
    },
    finds: fails({
      message: containing('7 of 75'),
      received: 'HTTP_503 4 times, timeout 2 times, connection-reset once',
    }),
  },
  {
    check: 'timed-calls-answered',
    what: 'a read that is refused sometimes',
    given: { measured: [measured({ failures: { HTTP_404: 2 } })] },
    finds: fails({ received: 'HTTP_404 2 times' }),
  },
  {
    check: 'timed-calls-answered',
    what: 'the rate limiter',
    given: { measured: [measured({ failures: { HTTP_429: 1 } })] },
    finds: undecided({
      message: containing('rate limiter'),
      fault: 'server',
      advice: containing('Allow more requests'),
    }),
  },
  {
    check: 'timed-calls-answered',
    what: 'the rate limiter, after a failure',
    given: { measured: [measured({ failures: { HTTP_500: 1, HTTP_429: 1 } })] },
    finds: fails({ received: 'HTTP_500 once' }),
  },
  {
    check: 'timed-calls-answered',
    what: 'a function that refuses repeated calls',
    given: { measured: [ofCall({ failures: { HTTP_409: 70 } })] },
    finds: undecided({
      message: containing('with the same input'),
      fault: 'harness',
      advice: containing('mutating: once'),
    }),
  },
  {
    check: 'timed-calls-answered',
    what: 'timeouts of a late client',
    given: { measured: [measured({ failures: { timeout: 2 }, unreliable: LATE_CLIENT })] },
    finds: undecided({ fault: 'harness', received: 'timeout 2 times' }),
  },
  {
    check: 'timed-calls-answered',
    what: 'a failure with a late client',
    given: { measured: [measured({ failures: { HTTP_500: 2 }, unreliable: LATE_CLIENT })] },
    finds: fails({ received: 'HTTP_500 2 times' }),
  },
  {
    check: 'timed-calls-answered',
    what: 'answers larger than the harness reads',
    given: { measured: [measured({ failures: { 'body-too-large': 75 } })] },
    finds: undecided({ fault: 'harness', received: 'body-too-large 75 times' }),
  },
  {
    check: 'timed-calls-answered',
    what: 'no calls',
    given: { measured: [measured({ count: 0, unreliable: ['the harness could not measure'] })] },
    finds: undecided({ fault: 'harness', received: containing('the harness could not measure') }),
  },
  {
    check: 'claimed-time-kept',
    what: 'the directory shows nothing',
    given: { measured: [ofCall()], median: median(10, 9, 11) },
    finds: notApplicable('the configuration has no listing.responseTime'),
  },
  {
    check: 'claimed-time-kept',
    what: 'as long as the directory shows',
    given: { claimedResponseTimeMs: 10, measured: [ofCall()], median: median(10, 9, 11) },
    finds: passes,
  },
  {
    check: 'claimed-time-kept',
    what: 'certainly longer',
    given: { claimedResponseTimeMs: 8, measured: [ofCall()], median: median(10, 9, 11) },
    finds: fails({
      message: 'calls take longer than the directory shows',
      expected: 'a median of at most 8 ms, as the directory shows',
      received: '10.0 ms (95 % interval 9.0 to 11.0 ms)',
    }),
  },
  {
    check: 'claimed-time-kept',
    what: 'longer, but not certainly',
    given: { claimedResponseTimeMs: 9, measured: [ofCall()], median: median(10, 9, 11) },
    finds: undecided({ message: containing('not beyond doubt') }),
  },
  {
    check: 'claimed-time-kept',
    what: 'unreliable figures',
    given: {
      claimedResponseTimeMs: 8,
      measured: [ofCall(), ofCall({ unreliable: LATE_CLIENT })],
      median: median(10, 9, 11),
    },
    finds: undecided({ message: containing('the client was late'), fault: 'harness' }),
  },
  {
    check: 'claimed-time-kept',
    what: 'too few calls',
    given: { claimedResponseTimeMs: 8, measured: [ofCall({ count: 3 }), ofCall({ count: 2 })] },
    finds: undecided({ received: '5 samples' }),
  },
];
