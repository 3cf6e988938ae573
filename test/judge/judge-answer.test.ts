import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { judgeNoAnswer } from '../../src/judge/judge-answer.ts';
import type { TransportFailure, TransportFailureCode } from '../../src/model/exchange.ts';
import type { Finding } from '../../src/model/judgement.ts';
import { type AnswerParts, call } from '../checks/example.ts';
import { at, judge, type RecordParts, ran, stepOf } from './judging.ts';

const reading = stepOf('- { id: a, request: { get: /health }, expect: { status: { is: 200, id: ok } } }');
const calling = stepOf('- { id: a, request: { execute: add }, expect: { status: { is: 200, id: ok } } }');

const read = (parts: AnswerParts, record: RecordParts = {}): Finding | undefined =>
  judge([ran(reading, { exchanges: [at(parts)] })], record)[0]?.finding;
const guessed = call({ inputSource: 'assembled' });
const guess = (parts: AnswerParts): Finding | undefined =>
  judge([ran(calling, { exchanges: [at(parts)], call: guessed })])[0]?.finding;

describe('a refused request', () => {
  test('by a rate limiter: the fault and the advice', () => {
    expect(read({ status: 429 })).toEqual({
      outcome: 'undecided',
      because: 'turned-away',
      fault: 'server',
      message: 'the target’s rate limiter refused the request, even after waiting',
      expected: 'status 200',
      received: 'status 429',
      advice:
        'The check needs about 1 requests, and the target answered 0 before it refused. Otherwise allow it more requests, lower its rate with --max-rate, or increase --deadline.',
    });
  });

  test.each([
    [[], 'Put the key into an environment variable and name it with --bearer-env, or use --header.'],
    [['authorization'], 'Give a key that the target accepts.'],
  ])('for a missing key, with the headers %j: the advice', (headerNames, advice) => {
    expect(read({ status: 401 }, { settings: { headerNames } })).toMatchObject({
      outcome: 'undecided',
      fault: 'harness',
      advice,
    });
  });
});

describe('no answer', () => {
  const last = stepOf(
    '- { id: a, phase: finally, request: { get: /health }, expect: { status: { is: 200, id: ok } } }',
  );
  const reason = (code: TransportFailureCode): TransportFailure => ({
    code,
    fault: 'network',
    message: code,
  });
  const startIt = expect.stringContaining('Start the server');

  test('of the first request: the address may be wrong', () => {
    expect(judgeNoAnswer(reason('connection-refused'), false, reading)).toMatchObject({
      outcome: 'failed',
      advice: startIt,
    });
  });

  test('after other answers: the address is right, and only the advice about it is left out', () => {
    const { advice: _, ...rest } = judgeNoAnswer(reason('connection-refused'), false, reading) as {
      readonly advice?: string;
    };
    expect(judgeNoAnswer(reason('connection-refused'), false, last)).toEqual(rest);
    const timedOut = judgeNoAnswer(reason('connect-timeout'), false, last);
    expect(timedOut).toHaveProperty('advice');
    expect(timedOut).toEqual(judgeNoAnswer(reason('connect-timeout'), false, reading));
  });

  test('of a server that was down before: undecided, and the request before it is to be checked', () => {
    for (const step of [reading, last])
      expect(judgeNoAnswer(reason('connection-refused'), true, step)).toMatchObject({
        outcome: 'undecided',
        advice: expect.stringContaining('check the request before it'),
      });
  });
});

describe('a call with a generated input', () => {
  test.each<[string, AnswerParts, string]>([
    ['an answer below 400 is not a refusal', { status: 302 }, 'failed'],
    ['a wrong success status is not a refusal', { status: 201, value: { error: 'none' } }, 'failed'],
    ['400 is a refusal', { status: 400 }, 'undecided'],
    ['404 with an error body is a refusal', { status: 404, value: { error: {} } }, 'undecided'],
    ['404 without an error body is not a refusal', { status: 404 }, 'failed'],
    [
      'an unknown function is not a refusal, whatever the status',
      { status: 400, value: { error: { code: 'FUNCTION_NOT_FOUND' } } },
      'failed',
    ],
  ])('%s', (_, parts, outcome) => {
    expect(guess(parts)?.outcome).toBe(outcome);
  });
});

test('a guessed input is not the cause if no call succeeds and each is refused for want of a key', () => {
  const value = { error: { code: 'UNAUTHORIZED', message: 'A key is required.' } };
  expect(guess({ status: 401, value })).toMatchObject({
    outcome: 'undecided',
    message: 'the target requires a key',
  });
  const other = ran(calling, { exchanges: [at({ path: '/execute', key: 'b#0' })], call: guessed });
  const refused = ran(calling, { exchanges: [at({ status: 401, path: '/execute', value })], call: guessed });
  expect(judge([refused, other])[0]?.finding).toMatchObject({
    message: '"add" refused an input that was generated from its descriptor',
  });
});

describe('what was received', () => {
  test.each<[Json, string]>([
    [{}, 'status 500'],
    [{ error: 'it broke' }, 'status 500'],
    [{ error: { code: 17, message: ['it', 'broke'] } }, 'status 500'],
    [{ error: { code: 17, message: 'it broke' } }, 'status 500, it broke'],
    [{ error: { code: 'BOOM' } }, 'status 500, BOOM'],
    [{ error: { message: 'x'.repeat(1000) } }, `status 500, ${'x'.repeat(159)}…`],
  ])('of %j only the texts are shown', (value, received) => {
    expect(read({ status: 500, value })).toMatchObject({ outcome: 'failed', received });
  });
});
