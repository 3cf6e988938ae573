import type { JsonAnswer } from '../../src/checks/define-check.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { PlannedCall } from '../../src/model/call.ts';
import {
  call,
  cannotJudge,
  containing,
  type Example,
  fails,
  jsonAnswer,
  passes,
  undecided,
} from './example.ts';

interface Answered {
  readonly call: PlannedCall;
  readonly value: Json;
}

/** Calls with their answers: those made together, those made alone (twice), and the first ones. */
function given(parts: {
  readonly together: readonly Answered[];
  readonly alone?: readonly Answered[];
  readonly first?: readonly Answered[];
  readonly functions?: readonly JsonObject[];
}) {
  const used = (answered: readonly Answered[] = [], step: string): readonly JsonAnswer[] =>
    answered.map(({ call: planned, value }, index) =>
      jsonAnswer({ key: `${step}#${index}`, value }, planned),
    );
  return {
    used: {
      together: used(parts.together, 'together'),
      alone: used(parts.alone, 'alone'),
      'alone-again': used(parts.alone, 'again'),
      first: used(parts.first, 'first'),
      capabilities: [jsonAnswer({ value: { functions: parts.functions ?? [] } })],
    },
  };
}

const TEXTS = ['first-text', 'second-text', 'third-text'] as const;
const echoCall = (text: string, parts: Partial<PlannedCall> = {}): PlannedCall =>
  call({ form: 'A', functionName: 'echo', input: { text }, ...parts });
const echoes = (answers: readonly string[], sent: readonly string[] = TEXTS): readonly Answered[] =>
  sent.map((text, index) => ({
    call: echoCall(text),
    value: { output: { said: `You said ${answers[index] ?? ''}.`, at: '2026-01-31T12:00:00Z' } },
  }));

const sumCall = (a: number): PlannedCall => call({ form: 'A', functionName: 'sum', input: { a, b: 1000 } });
const sums = (totals: readonly number[]): readonly Answered[] =>
  [100, 200, 300].map((a, index) => ({ call: sumCall(a), value: { output: { total: totals[index] ?? 0 } } }));
const SUMS = [1100, 1200, 1300];

const lists = (lines: readonly (readonly string[])[]): readonly Answered[] =>
  TEXTS.map((text, index) => ({
    call: echoCall(text, { functionName: 'feed' }),
    value: { output: { recent: lines[index] ?? [] } },
  }));

const of = (functionName: string, output: JsonObject): Answered => ({
  call: call({ form: 'A', functionName }),
  value: { output },
});

const withId = (sent: string, received: string | undefined): Answered => ({
  call: call({ requestId: sent }),
  value: { result: {}, ...(received === undefined ? {} : { requestId: received }) },
});

const DECLARED: readonly JsonObject[] = [
  { name: 'add', inputs: [], outputs: ['sum'] },
  { name: 'zone', inputs: [], outputs: ['zone'] },
  { name: 'range', inputs: [], outputs: ['first', 'last'] },
];

const INDISTINGUISHABLE = [
  { outcome: 'inapplicable', message: containing('the answers cannot be matched to their calls') },
] as const;

export const examplesOfOwnAnswers: readonly Example[] = [
  {
    check: 'own-answers',
    what: 'each call gets its own requestId',
    given: given({ together: [withId('a', 'a'), withId('b', 'b')] }),
    finds: passes,
  },
  {
    check: 'own-answers',
    what: 'swapped requestIds',
    given: given({ together: [withId('a', 'b'), withId('b', 'a')] }),
    finds: fails(
      {
        message: containing('got the requestId of another call made at the same time'),
        expected: '"a" (string)',
        received: '"b" (string)',
        pointer: '/requestId',
        exchangeKey: 'together#0',
      },
      { exchangeKey: 'together#1' },
    ),
  },
  {
    check: 'own-answers',
    what: 'an unknown requestId, which another check reports',
    given: given({ together: [withId('a', 'x'), withId('b', undefined)] }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'each call gets its own text',
    given: given({ together: echoes(TEXTS), alone: echoes(TEXTS) }),
    finds: passes,
  },
  {
    check: 'own-answers',
    what: 'the text of another call instead of its own',
    given: given({
      together: echoes(['second-text', 'second-text', 'third-text']),
      alone: echoes(TEXTS),
    }),
    finds: fails({
      message: containing('got an answer made from the input of another call'),
      expected: 'an answer made from "first-text" (string), as when it is called alone',
      pointer: '/output/said',
      exchangeKey: 'together#0',
    }),
  },
  {
    check: 'own-answers',
    what: 'texts of other calls, in lists',
    given: given({
      together: lists([[...TEXTS], ['third-text', 'second-text'], ['third-text']]),
      alone: lists([['third-text'], ['third-text', 'first-text'], [...TEXTS]]),
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'its own text beside that of the previous call',
    given: given({
      together: TEXTS.map((text, index) => ({
        call: echoCall(text),
        value: { output: { now: text, before: TEXTS[index - 1] ?? 'nothing' } },
      })),
      alone: TEXTS.map((text) => ({
        call: echoCall(text),
        value: { output: { now: text, before: 'third-text' } },
      })),
    }),
    finds: passes,
  },
  {
    check: 'own-answers',
    what: 'the latest text, which differs even when called alone',
    given: given({
      together: echoes(['third-text', 'third-text', 'third-text']),
      alone: echoes(['third-text', 'first-text', 'second-text']),
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'each call gets the result of its own numbers',
    given: given({ together: sums(SUMS), alone: sums(SUMS) }),
    finds: passes,
  },
  {
    check: 'own-answers',
    what: 'the result of other numbers',
    given: given({ together: sums([1300, 1300, 1300]), alone: sums(SUMS) }),
    finds: fails(
      {
        message: 'a call of "sum" got the result of another call made at the same time',
        expected: '{"total":1100} (object), as when it is called alone',
        received: '{"total":1300} (object)',
        exchangeKey: 'together#0',
      },
      { exchangeKey: 'together#1' },
    ),
  },
  {
    check: 'own-answers',
    what: 'random numbers',
    given: given({ together: sums([3, 1, 6]), alone: sums([3, 6, 1]) }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'the answer of another function',
    given: given({
      together: [of('add', { zone: 'Europe/Berlin' }), of('zone', { zone: 'Europe/Berlin' })],
      alone: [of('add', { sum: 1 }), of('zone', { zone: 'Europe/Berlin' })],
      functions: DECLARED,
    }),
    finds: fails({
      message: 'a call of "add" got an answer of "zone", which was called at the same time',
      expected: 'an answer of "add", with "sum"',
      received: '{"zone":"Europe/Berlin"} (object)',
      exchangeKey: 'together#0',
    }),
  },
  {
    check: 'own-answers',
    what: 'two keys that only another function declares',
    given: given({
      together: [of('add', { first: 1, last: 2 }), of('range', { first: 3, last: 4 })],
      alone: [of('add', { sum: 1 }), of('range', { first: 5, last: 6 })],
      functions: DECLARED,
    }),
    finds: fails({ exchangeKey: 'together#0' }),
  },
  {
    check: 'own-answers',
    what: 'one key that another function has too, with another value',
    given: given({
      together: [of('add', { zone: 'loading' }), of('zone', { zone: 'Europe/Berlin' })],
      alone: [of('add', { sum: 1 }), of('zone', { zone: 'Europe/Berlin' })],
      functions: DECLARED,
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'keys of one of several declared shapes',
    given: given({
      together: [of('report', { first: 1, last: 2 }), of('range', { first: 3, last: 4 })],
      alone: [of('report', { rows: [] }), of('range', { first: 5, last: 6 })],
      functions: [
        {
          name: 'report',
          parameters: {},
          returns: {
            anyOf: [{ properties: { rows: {} } }, { properties: { first: {}, last: {} } }],
          },
        },
        ...DECLARED,
      ],
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'an answer without an optional key, which another function never has',
    given: given({
      together: [of('find', { id: 1 }), of('count', { id: 2 })],
      alone: [of('find', { id: 1, note: 'x' }), of('count', { id: 1 })],
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'the answer of another function to a first call',
    given: given({
      first: [of('add', { zone: 'Europe/Berlin' }), of('zone', { zone: 'Europe/Berlin' })],
      together: [of('add', { sum: 1 }), of('zone', { zone: 'Europe/Berlin' })],
      alone: [of('add', { sum: 1 }), of('zone', { zone: 'Europe/Berlin' })],
      functions: DECLARED,
    }),
    finds: fails({
      message: 'a call of "add" got an answer of "zone", which was called at the same time',
      exchangeKey: 'first#0',
    }),
  },
  {
    check: 'own-answers',
    what: 'a first answer of undeclared keys that cannot be matched to another call',
    given: given({
      first: [of('add', { zone: 'Europe/Berlin' }), of('zone', { zone: 'Europe/Berlin' })],
      together: [of('zone', { zone: 'Europe/Berlin' }), of('zone', { zone: 'Europe/Berlin' })],
      functions: DECLARED,
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'an optional key that is declared, which another function always has',
    given: given({
      together: [of('find', { note: 'x' }), of('read', { note: 'x' })],
      alone: [of('find', { id: 1 }), of('read', { note: 'x' })],
      functions: [{ name: 'find', inputs: [], outputs: ['id', 'note'] }],
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'a cached answer for every input',
    given: given({
      first: [
        {
          call: echoCall('probity', { inputSource: 'assembled' }),
          value: { output: { said: 'You said probity.' } },
        },
      ],
      together: TEXTS.map((text) => ({
        call: echoCall(text),
        value: { output: { said: 'You said probity.' } },
      })),
      alone: TEXTS.map((text) => ({
        call: echoCall(text),
        value: { output: { said: 'You said probity.' } },
      })),
    }),
    finds: fails({
      message: '"echo" repeats the answer to its first call, whatever the input is',
      expected: 'an answer made from "first-text" (string)',
      exchangeKey: 'together#0',
    }),
  },
  {
    check: 'own-answers',
    what: 'the answer to the example as a default for unknown inputs',
    given: given({
      first: [{ call: echoCall('en-US'), value: { output: { said: 'Hello in en-US.' } } }],
      together: TEXTS.map((text) => ({
        call: echoCall(text),
        value: { output: { said: 'Hello in en-US.' } },
      })),
      alone: TEXTS.map((text) => ({ call: echoCall(text), value: { output: { said: 'Hello in en-US.' } } })),
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'the same answer to everything, without text of the input',
    given: given({
      first: [{ call: echoCall('probity'), value: { output: { said: 'Hello.' } } }],
      together: TEXTS.map((text) => ({ call: echoCall(text), value: { output: { said: 'Hello.' } } })),
      alone: TEXTS.map((text) => ({ call: echoCall(text), value: { output: { said: 'Hello.' } } })),
    }),
    finds: [...INDISTINGUISHABLE],
  },
  {
    check: 'own-answers',
    what: 'an output that is not an object',
    given: given({
      together: [of('add', {}), of('add', {})].map((one) => ({ ...one, value: { output: 'text' } })),
    }),
    finds: cannotJudge('no-output'),
  },
  {
    check: 'own-answers',
    what: 'one call answered',
    given: given({ together: [withId('a', 'a')] }),
    finds: undecided({
      message: 'too few calls made at the same time were answered with JSON to compare their answers',
      received: '1',
      fault: 'harness',
    }),
  },
];

interface CreatedOrder {
  readonly customer?: string;
  readonly amount?: number;
  readonly answer: JsonObject;
  readonly status?: number;
}

/** Calls of "createOrder" with their answers: two made together, and those made alone. */
function orders(together: readonly CreatedOrder[], alone: readonly CreatedOrder[] = []) {
  const used = (made: readonly CreatedOrder[], step: string): readonly JsonAnswer[] =>
    made.map(({ customer = 'Ada', amount = 3, answer, status = 200 }, index) =>
      jsonAnswer(
        { key: `${step}#${index}`, status, value: answer },
        call({ form: 'B', functionName: 'createOrder', input: { customer, amount } }),
      ),
    );
  return {
    used: { 'created-together': used(together, 'together'), 'created-alone': used(alone, 'alone') },
  };
}

const ordered = (customer: string, result: JsonObject): CreatedOrder => ({ customer, answer: { result } });
const order = (id: number, customer: string, more: JsonObject = {}): JsonObject => ({
  orderId: `order-${id}`,
  customer,
  state: 'open',
  ...more,
});
const MIXED_UP = [
  ordered('Ada Lovelace', order(2, 'Alan Turing')),
  ordered('Alan Turing', order(3, 'Alan Turing')),
];
const ALONE = [
  ordered('Grace Hopper', order(4, 'Grace Hopper')),
  ordered('Edith Clarke', order(5, 'Edith Clarke')),
];
const NOT_MIXED_UP = [
  {
    outcome: 'inapplicable',
    message: 'no two functions that create something were answered with what their callers sent',
  },
] as const;

export const examplesOfCreatedApart: readonly Example[] = (
  [
    [
      'two things, each with its own data',
      orders([
        ordered('Ada Lovelace', order(2, 'Ada Lovelace')),
        ordered('Alan Turing', order(3, 'Alan Turing')),
      ]),
      passes,
    ],
    [
      'the data of the other call',
      orders(MIXED_UP, ALONE),
      fails({
        message: 'a call of "createOrder" got data of another call made at the same time',
        expected: '"Ada Lovelace" (string), as when it is called alone',
        received: '"Alan Turing" (string)',
        pointer: '/result/customer',
        exchangeKey: 'together#0',
      }),
    ],
    [
      'the amount of the other call',
      orders(
        [523, 871].map((amount, index) => ({ amount, answer: { result: { id: index, amount: 871 } } })),
        [664, 459].map((amount, index) => ({ amount, answer: { result: { id: index + 2, amount } } })),
      ),
      fails({ expected: '523 (number), as when it is called alone', received: '871 (number)' }),
    ],
    ['the data of the other call, with no call made alone', orders(MIXED_UP), [...NOT_MIXED_UP]],
    [
      'what exists, also to calls made alone',
      orders(MIXED_UP, [
        ordered('Grace Hopper', order(3, 'Alan Turing')),
        ordered('Edith Clarke', order(3, 'Alan Turing')),
      ]),
      [...NOT_MIXED_UP],
    ],
    [
      'one thing that all callers set',
      orders(
        MIXED_UP,
        ['Grace Hopper', 'Edith Clarke'].map((customer) => ordered(customer, order(1, customer))),
      ),
      [...NOT_MIXED_UP],
    ],
    [
      'who is served at the moment',
      orders(
        [
          ordered('Ada Lovelace', order(2, 'Alan Turing', { state: 'busy' })),
          ordered('Alan Turing', order(2, 'Alan Turing')),
        ],
        ALONE,
      ),
      [...NOT_MIXED_UP],
    ],
    [
      'the latest of all',
      orders(
        [
          ordered('Ada Lovelace', { id: 2, latestCustomer: 'Alan Turing' }),
          ordered('Alan Turing', { id: 3, latestCustomer: 'Alan Turing' }),
        ],
        ['Grace Hopper', 'Edith Clarke'].map((customer, index) =>
          ordered(customer, { id: index + 4, latestCustomer: customer }),
        ),
      ),
      [...NOT_MIXED_UP],
    ],
    [
      'a refusal that names the other call',
      orders(
        [
          {
            customer: 'Ada Lovelace',
            status: 409,
            answer: { error: { code: 'BUSY', message: 'Alan Turing' } },
          },
          ordered('Alan Turing', order(2, 'Alan Turing')),
        ],
        ALONE,
      ),
      [...NOT_MIXED_UP],
    ],
    [
      'data of both in a list, or beside its own',
      orders(
        [
          ordered('Ada Lovelace', order(2, 'Ada Lovelace', { before: 'Alan Turing' })),
          ordered('Alan Turing', { orders: ['Ada Lovelace'] }),
        ],
        ALONE,
      ),
      [...NOT_MIXED_UP],
    ],
  ] as const
).map(([what, given, finds]) => ({ check: 'created-apart', what, given, finds }));
