import type { Asked } from '../../src/checks/define-check.ts';
import { PAIR_TRIALS } from '../../src/checks/inputs/callers-apart.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import {
  type AnswerParts,
  answer,
  call,
  type Example,
  fails,
  noAnswer,
  notApplicable,
  passes,
} from './example.ts';

const valid = call({ functionName: 'greet', input: { name: '' }, inputSource: 'explored' });
const invalid = call({ functionName: 'greet', input: { name: 1 }, inputSource: 'explored-invalid' });
const item: JsonObject = {
  name: 'greet',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
const inSequence = call({
  functionName: 'greet',
  input: { name: '' },
  inputSource: 'in-sequence',
  after: ['open', 'close'].map((functionName) => ({ functionName, request: answer({}).request })),
});
const returningNumber: JsonObject = { ...item, returns: { type: 'number' } };
const hungUp = noAnswer({ code: 'closed-early', fault: 'server', message: 'closed without an answer' });
const interrupted = noAnswer({ code: 'interrupted', fault: 'harness', message: 'it was interrupted' });
const failure = (code: string): Json => ({ error: { code, message: 'It failed.' } });
const page = { body: { text: '<h1>Internal Server Error</h1>' }, headers: [] } satisfies AnswerParts;

/** A call of a step that explores, with its result or its error status. */
function explored(input: JsonObject, result: Json | number, caseId = 'valid-1'): Asked {
  const parts =
    typeof result === 'number'
      ? { status: result, value: failure('EXECUTION_ERROR') }
      : { value: { result } };
  return {
    exchange: answer({ ...parts, key: caseId }),
    call: call({ functionName: 'greet', input, inputSource: 'explored' }),
    item,
    caseId,
  };
}

/** The three calls of a pair, and both calls of three further trials. */
function pair(...calls: readonly (readonly [input: JsonObject, result: Json])[]): readonly Asked[] {
  const roles = ['control', ...PAIR_TRIALS.flat()];
  return calls.map(([input, result], index) => explored(input, result, `pair-1-${roles[index]}`));
}

/** Examples of the checks of generated inputs. */
export const examplesOfInputs: readonly Example[] = [
  ...[
    { what: 'a result', parts: { value: { result: {} } } },
    { what: 'a refusal', parts: { status: 404, value: failure('NOT_FOUND') } },
    { what: 'a failure', parts: { status: 500, value: failure('EXECUTION_ERROR') } },
  ].map(
    ({ what, parts }): Example => ({
      check: 'valid-input-answered',
      what,
      given: { call: valid, exchange: answer(parts) },
      finds: passes,
    }),
  ),
  ...[
    { what: 'an error page', parts: { status: 500, ...page } },
    { what: 'another code', parts: { status: 500, value: failure('INTERNAL') } },
    { what: 'another 5xx', parts: { status: 503, value: failure('EXECUTION_ERROR') } },
    { what: 'a list', parts: { value: [] } },
  ].map(
    ({ what, parts }): Example => ({
      check: 'valid-input-answered',
      what,
      given: { call: valid, exchange: answer(parts) },
      finds: fails({}),
    }),
  ),
  ...(
    [
      ['a failure with 500', 'assembled', { status: 500, value: failure('EXECUTION_ERROR') }, passes],
      ['a crash', 'assembled', { status: 500, value: failure('INTERNAL') }, fails({ exchangeKey: 'step#0' })],
      ['a crash with a learned id', 'learned', { status: 500, value: failure('GONE') }, fails({})],
      ['a crash without input', 'none-needed', { status: 500, value: failure('INTERNAL') }, fails({})],
      ['a crash with a sample', 'configured', { status: 500, value: failure('INTERNAL') }, null],
      ['a refusal', 'assembled', { status: 404, value: failure('NOT_FOUND') }, null],
      ['a page of the framework', 'assembled', { status: 500, ...page }, null],
      ['something behind it that is away', 'assembled', { status: 502, value: failure('GONE') }, null],
      ['a rate limit', 'assembled', { status: 503, headers: [['retry-after', '1']] }, null],
    ] as const
  ).map(
    ([what, inputSource, parts, finds]): Example => ({
      check: 'guesses-answered',
      what,
      given: {
        form: 'B',
        asked: [{ exchange: answer(parts), call: call({ functionName: 'greet', inputSource }), item }],
      },
      finds: finds ?? notApplicable('no such call ends in 500'),
    }),
  ),
  {
    check: 'sequence-answered',
    what: 'a result as declared',
    given: { call: inSequence, item: returningNumber, exchange: answer({ value: { result: 1 } }) },
    finds: passes,
  },
  {
    check: 'sequence-answered',
    what: 'a result without a declaration',
    given: { call: inSequence, exchange: answer({ value: { result: 'one' } }) },
    finds: passes,
  },
  {
    check: 'sequence-answered',
    what: 'another 5xx',
    given: { call: inSequence, exchange: answer({ status: 503, value: failure('EXECUTION_ERROR') }) },
    finds: fails({ message: '"greet" answers a valid input with status 503 after "open" and "close"' }),
  },
  {
    check: 'sequence-answered',
    what: 'a result of another type',
    given: { call: inSequence, item: returningNumber, exchange: answer({ value: { result: 'one' } }) },
    finds: fails({
      message: 'the result of "greet" is not what returns declares after "open" and "close"',
      pointer: '/result',
    }),
  },
  {
    check: 'sequence-answered',
    what: 'a call outside of sequences',
    given: { call: valid, exchange: answer({ value: [] }) },
    finds: notApplicable('the call is not part of a sequence'),
  },
  {
    check: 'valid-input-answered',
    what: 'no answer',
    given: { call: valid, exchange: hungUp },
    finds: fails({ message: 'closed without an answer', received: 'none: closed-early' }),
  },
  {
    check: 'valid-input-answered',
    what: 'an interruption',
    given: { call: valid, exchange: interrupted },
    finds: [{ outcome: 'undecided' }],
  },
  {
    check: 'valid-input-answered',
    what: 'a rate limit',
    given: { call: valid, exchange: answer({ status: 429 }) },
    finds: notApplicable('the answer says nothing about the input'),
  },
  {
    check: 'valid-input-answered',
    what: 'an invalid input',
    given: { call: invalid, exchange: answer({ status: 500, ...page }) },
    finds: notApplicable('the input is not a generated valid one'),
  },

  {
    check: 'invalid-input-refused',
    what: 'a refusal',
    given: { call: invalid, item, exchange: answer({ status: 400, value: failure('INVALID') }) },
    finds: passes,
  },
  {
    check: 'invalid-input-refused',
    what: 'a result',
    given: { call: invalid, item, exchange: answer({ value: { result: {} } }) },
    finds: fails({
      message:
        '"greet" accepts an input that its parameters do not allow: /name: expected a string, received 1 (number)',
    }),
  },
  {
    check: 'invalid-input-refused',
    what: 'an error page',
    given: { call: invalid, item, exchange: answer({ status: 500, ...page }) },
    finds: fails({ received: '500 with a body that is not JSON' }),
  },
  {
    check: 'invalid-input-refused',
    what: 'no answer',
    given: { call: invalid, item, exchange: hungUp },
    finds: fails({}),
  },
  {
    check: 'invalid-input-refused',
    what: 'a valid input',
    given: { call: valid, item, exchange: answer({ value: { result: {} } }) },
    finds: notApplicable('the input is not a generated invalid one'),
  },

  {
    check: 'same-kind',
    what: 'two results of the same types',
    given: { asked: [explored({ name: 'a' }, { said: 'x' }), explored({ name: 'a' }, { said: 'y' })] },
    finds: passes,
  },
  {
    check: 'same-kind',
    what: 'a value that is missing, null, or in a list of another length',
    given: {
      asked: [
        explored({ name: 'a' }, { said: null, all: [1], more: 1 }),
        explored({ name: 'a' }, { said: 'y', all: [] }),
      ],
    },
    finds: passes,
  },
  {
    check: 'same-kind',
    what: 'another input',
    given: { asked: [explored({ name: 'a' }, { said: 'x' }), explored({ name: 'b' }, 500)] },
    finds: notApplicable('no input was sent twice: exploring ended before'),
  },
  {
    check: 'same-kind',
    what: 'a result, then an error',
    given: { asked: [explored({ name: 'a' }, { said: 'x' }), explored({ name: 'a' }, 500)] },
    finds: fails({ message: '"greet" answers the same input in two ways: a result, then an error' }),
  },
  {
    check: 'same-kind',
    what: 'another type, with the shortest of several inputs',
    given: {
      asked: [
        explored({ name: 'long' }, { said: 'x' }),
        explored({ name: 'a' }, { said: 'x' }),
        explored({ name: 'long' }, { said: 1 }),
        explored({ name: 'a' }, { said: ['x'] }),
      ],
    },
    finds: fails({ received: '{"said":["x"]} (object)' }),
  },
  {
    check: 'same-kind',
    what: 'another type that returns declares',
    given: {
      asked: [explored({ name: 'a' }, { value: ['x'] }), explored({ name: 'a' }, { value: [1] })].map(
        (one) => ({
          ...one,
          item: {
            ...item,
            returns: {
              properties: { value: { $ref: '#/$defs/values' } },
              $defs: { values: { type: 'array', items: { type: ['string', 'number'] } } },
            },
          },
        }),
      ),
    },
    finds: passes,
  },
  {
    check: 'same-kind',
    what: 'a busy proxy',
    given: { asked: [explored({ name: 'a' }, { said: 'x' }), explored({ name: 'a' }, 503)] },
    finds: notApplicable('no input was sent twice: exploring ended before'),
  },

  {
    check: 'callers-apart',
    what: 'answers with their own data',
    given: {
      asked: pair(
        [{ name: 'b' }, { said: 'Hello, b!' }],
        [{ name: 'c' }, { said: 'Hello, c!' }],
        [{ name: 'd' }, { said: 'Hello, d!' }],
      ),
    },
    finds: passes,
  },
  {
    check: 'callers-apart',
    what: 'no pair',
    given: { asked: [explored({ name: 'a' }, { said: 'x' })] },
    finds: notApplicable('no pair of calls was made: exploring ended before, or no parameter allows one'),
  },
  {
    check: 'callers-apart',
    what: 'the data of the call before, in each trial',
    given: {
      asked: pair(
        [{ name: 'b' }, { said: 'Hello, b!' }],
        [{ name: 'c' }, { said: 'Hello, c!' }],
        [{ name: 'd' }, { said: 'Hello, c!' }],
        [{ name: 'e' }, { said: 'Hello, e!' }],
        [{ name: 'f' }, { said: 'Hello, e!' }],
        [{ name: 'g' }, { said: 'Hello, g!' }],
        [{ name: 'h' }, { said: 'Hello, g!' }],
        [{ name: 'i' }, { said: 'Hello, i!' }],
        [{ name: 'j' }, { said: 'Hello, i!' }],
      ),
    },
    finds: fails({
      message: '"greet" answers with data of an earlier call, whose input was {"name":"c"}',
      pointer: '/result/said',
    }),
  },
  {
    check: 'callers-apart',
    what: 'the data of the call before, but not a second time',
    given: {
      asked: pair(
        [{ name: 'b' }, { said: 'b' }],
        [{ name: 'c' }, { said: 'c' }],
        [{ name: 'd' }, { said: 'c' }],
        [{ name: 'e' }, { said: 'e' }],
        [{ name: 'f' }, { said: 'f' }],
      ),
    },
    finds: passes,
  },
  {
    check: 'callers-apart',
    what: 'one of few values, which is that of the call before in three trials by chance',
    given: {
      asked: pair(
        [{ on: false }, { kind: 'off' }],
        [{ on: true }, { kind: true }],
        [{}, { kind: true }],
        [{ on: false }, { kind: false }],
        [{}, { kind: false }],
        [{ on: true }, { kind: true }],
        [{}, { kind: true }],
        [{ on: false }, { kind: false }],
        [{}, { kind: 'off' }],
      ),
    },
    finds: passes,
  },
  {
    check: 'callers-apart',
    what: 'an optional value of the call before',
    given: {
      asked: pair(
        [{ text: 'b' }, { width: 20 }],
        [{ text: 'c', width: 3 }, { width: 3 }],
        [{ text: 'c' }, { width: 3 }],
        [{ text: 'd', width: 4 }, { width: 4 }],
        [{ text: 'd' }, { width: 4 }],
        [{ text: 'e', width: 5 }, { width: 5 }],
        [{ text: 'e' }, { width: 5 }],
        [{ text: 'f', width: 6 }, { width: 6 }],
        [{ text: 'f' }, { width: 6 }],
      ),
    },
    finds: fails({ received: '3 (number)' }),
  },
  {
    check: 'callers-apart',
    what: 'recent calls, which the key of the answer announces',
    given: {
      asked: pair(
        [{}, { recentSearches: ['a'] }],
        [{ q: 'b' }, { recentSearches: ['b', 'a'] }],
        [{}, { recentSearches: ['b', 'a'] }],
        [{ q: 'c' }, { recentSearches: ['c', 'b', 'a'] }],
        [{}, { recentSearches: ['c', 'b', 'a'] }],
      ),
    },
    finds: passes,
  },
  {
    check: 'callers-apart',
    what: 'a function that always answers in small letters',
    given: {
      asked: pair(
        [{ name: 'bA' }, { name: 'ba' }],
        [{ name: 'ca' }, { name: 'ca' }],
        [{ name: 'cA' }, { name: 'ca' }],
        [{ name: 'da' }, { name: 'da' }],
        [{ name: 'dA' }, { name: 'da' }],
        [{ name: 'ea' }, { name: 'ea' }],
        [{ name: 'eA' }, { name: 'ea' }],
        [{ name: 'fa' }, { name: 'fa' }],
        [{ name: 'fA' }, { name: 'fa' }],
      ),
    },
    finds: passes,
  },
];
