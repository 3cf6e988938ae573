import type { CheckOptions } from '../../src/check/check-options.ts';
import type { Mutant, MutantRequest } from './mutant.ts';
import { json, never } from './mutations.ts';

type Fits = (request: MutantRequest) => boolean;

/** Twice the limit, on the test clock, by which the reference takes a millisecond. */
const SLOW_MS = 300;
const LIMIT = '150ms';

const on =
  (operation: MutantRequest['operation']): Fits =>
  (request) =>
    request.operation === operation;

const callsOf =
  (name: string): Fits =>
  ({ operation, call }) =>
    operation === 'execute' && call.function === name;

/** Only timed calls share a connection. */
const isTimed: Fits = ({ connection }) => connection !== 'close';

/** Delays the matching answers by `byMs`. */
function late(fits: Fits, byMs: number): Mutant['mutate'] {
  return ({ pass }) =>
    async (request, conform) => {
      const answer = await conform(request);
      if (fits(request)) await pass(byMs);
      return answer;
    };
}

/** Answers one in ten of the matching timed calls with `answer`. */
function oneInTen(
  fits: Fits,
  answer: () => ReturnType<typeof json> | ReturnType<typeof never>,
): Mutant['mutate'] {
  return () => {
    let count = 0;
    return async (request, conform) => {
      if (!fits(request) || !isTimed(request)) return conform(request);
      count += 1;
      return count % 10 === 5 ? answer() : conform(request);
    };
  };
}

/** Timing two functions is enough. */
const notTimed = ['current-time', 'divide', 'price-order', 'wait'];

const withBudget = (...budgets: readonly string[]): CheckOptions => ({
  latency: { samples: 8, budgets },
  mutating: { once: notTimed },
});
const TWENTY: CheckOptions = { latency: { samples: 20 }, mutating: { once: notTimed } };

const broken = () => json(500, { error: { code: 'EXECUTION_ERROR', message: 'The pool is exhausted.' } });

export const performanceMutants: readonly Mutant[] = [
  {
    row: 'performance/health-latency',
    form: 'both',
    name: '/health takes longer than its budget',
    options: withBudget(`health.p50=${LIMIT}`),
    mutate: late(on('health'), SLOW_MS),
  },
  {
    row: 'performance/health-latency',
    form: 'B',
    name: '/health takes longer than its default limit',
    options: withBudget(),
    mutate: late(on('health'), 900),
  },
  {
    row: 'performance/capabilities-latency',
    form: 'both',
    name: '/capabilities takes longer than its budget',
    options: withBudget(`capabilities.p50=${LIMIT}`),
    mutate: late(on('capabilities'), SLOW_MS),
  },
  {
    row: 'performance/capabilities-latency',
    form: 'A',
    name: 'the slowest answer of /capabilities is over its budget',
    options: withBudget(`capabilities.max=${LIMIT}`),
    mutate: ({ pass }) => {
      let count = 0;
      return async (request, conform) => {
        if (request.operation === 'capabilities' && isTimed(request)) {
          count += 1;
          if (count === 4) await pass(SLOW_MS);
        }
        return conform(request);
      };
    },
  },
  {
    row: 'performance/execute-latency',
    form: 'both',
    name: 'one function takes longer than its budget',
    options: withBudget(`execute:add.p50=${LIMIT}`),
    mutate: late(callsOf('add'), SLOW_MS),
  },
  {
    row: 'performance/execute-latency',
    form: 'B',
    name: 'one function takes longer than a multiple of the time of /health',
    options: withBudget('execute:greet.p50=150x'),
    mutate: late(callsOf('greet'), SLOW_MS),
  },
  {
    row: 'performance/error-rate',
    form: 'both',
    name: 'one in ten calls of a function fails with 500',
    options: TWENTY,
    mutate: oneInTen(callsOf('add'), broken),
  },
  {
    row: 'performance/error-rate',
    form: 'B',
    name: 'one in ten reads of /health fails with 503',
    options: TWENTY,
    mutate: oneInTen(on('health'), () => json(503, { status: 'starting' })),
  },
  {
    row: 'performance/error-rate',
    form: 'both',
    name: 'one in ten calls of a function is never answered',
    options: { ...TWENTY, requestTimeoutMs: 2000 },
    mutate: oneInTen(callsOf('add'), never),
  },
  {
    row: 'performance/claimed-response-time',
    form: 'both',
    name: 'calls take longer than the directory shows',
    options: { ...withBudget(), claimedResponseTimeMs: 100 },
    mutate: late(on('execute'), SLOW_MS),
  },
];
