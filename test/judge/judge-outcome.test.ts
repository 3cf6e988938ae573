import { describe, expect, it, test } from 'vitest';
import type { StatusContext } from '../../src/judge/judge-answer.ts';
import { judgeOutcome } from '../../src/judge/judge-outcome.ts';
import type { InputSource, PlannedCall } from '../../src/model/call.ts';
import type { Answer } from '../../src/model/exchange.ts';
import type { Finding } from '../../src/model/judgement.ts';
import type { AssertionOf, ExpectedOutcome } from '../../src/model/suite.ts';
import { call } from '../checks/example.ts';
import { error, heard, ok, posted, request } from '../checks/messages.ts';
import { stepOf } from './judging.ts';

function expecting(is: ExpectedOutcome): AssertionOf<'outcome'> {
  const [assertion] = stepOf(
    `- { id: a, request: { alive: true }, expect: { outcome: { is: ${is}, id: ok } } }`,
  ).expect;
  if (assertion?.kind !== 'outcome') throw new Error('no outcome is expected');
  return assertion;
}

interface Parts extends Partial<StatusContext> {
  readonly call?: PlannedCall | null;
  readonly servedPlainly?: boolean;
}

function judge(is: ExpectedOutcome, answer: Answer, parts: Parts = {}): Finding {
  const { call: made = null, servedPlainly, ...rest } = parts;
  const asked = { call: made, ...(servedPlainly === undefined ? {} : { servedPlainly }) };
  return judgeOutcome(expecting(is), answer, asked, {
    servedElsewhere: false,
    keyGiven: false,
    isRestrained: () => false,
    rateLimitAdvice: 'Wait.',
    ...rest,
  });
}

const sent = request('tools/call', { name: 'add', arguments: {} });
const RESULT = heard(sent, [ok({ content: [] })]);
const TOOL_ERROR = heard(sent, [ok({ content: [{ type: 'text', text: 'no sum' }], isError: true })]);
const ERROR = heard(sent, [error(-32602, 'a is missing')]);
const WANTS_INPUT = heard(sent, [ok({ resultType: 'input_required' })]);
const NO_MESSAGE = posted(sent, { status: 500, body: { text: 'boom' } });
const UNREADABLE = heard(sent, [ok('text')]);

const of = (inputSource: InputSource): PlannedCall => call({ inputSource });

describe('what is expected', () => {
  test.each<[string, Answer, readonly ExpectedOutcome[]]>([
    ['a result', RESULT, ['result', 'answered']],
    ['a result with isError', TOOL_ERROR, ['refused', 'answered']],
    ['an error', ERROR, ['refused', 'answered']],
    ['a request for input', WANTS_INPUT, ['answered']],
    ['no message', NO_MESSAGE, []],
    ['a result that is no object', UNREADABLE, []],
  ])('%s', (_, answer, fitting) => {
    const all = ['result', 'refused', 'answered'] as const;
    expect(all.filter((is) => judge(is, answer).outcome === 'passed')).toEqual(fitting);
  });
});

describe('a request that is no call', () => {
  it('fails if it is refused, or not refused', () => {
    expect(judge('result', ERROR)).toMatchObject({
      outcome: 'failed',
      message: 'the request is refused',
      expected: 'a result',
      received: 'the error -32602: a is missing',
    });
    expect(judge('refused', RESULT)).toMatchObject({
      outcome: 'failed',
      message: 'the request is not refused',
      expected: 'an error, or a result with isError',
      received: 'a result',
    });
  });

  it('fails if no message answers it, or none that can be read', () => {
    expect(judge('answered', NO_MESSAGE)).toMatchObject({
      outcome: 'failed',
      message: 'no message answers the request',
    });
    expect(judge('answered', UNREADABLE)).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('the answer cannot be read: its result is "text"') as unknown,
    });
  });
});

describe('a call that is to be refused', () => {
  it('fails with what it returned', () => {
    expect(judge('refused', RESULT, { call: of('made-wrong') })).toMatchObject({
      outcome: 'failed',
      message: '"add" accepts an input that is wrong',
      received: expect.stringContaining('"content"') as unknown,
    });
    expect(judge('refused', RESULT, { call: of('configured') })).toMatchObject({
      message: 'a call of "add" is not refused',
    });
  });
});

describe('a call that is to be answered', () => {
  const advice = (text: string) => expect.stringContaining(text) as unknown;

  it('fails if its input was meant to be answered', () => {
    for (const source of ['configured', 'example'] as const)
      expect(judge('result', TOOL_ERROR, { call: of(source) })).toMatchObject({
        outcome: 'failed',
        message: '"add" refuses the call',
        received: 'a result with isError: no sum',
      });
  });

  it('is not exercised by a guess, by an example that was used up, or without an input', () => {
    const refused = { outcome: 'undecided', because: 'not-exercised' };
    expect(judge('result', ERROR, { call: of('assembled') })).toMatchObject({
      ...refused,
      message: '"add" refused an input that was generated from its descriptor',
      advice: advice('under samples: "add"'),
    });
    expect(judge('result', ERROR, { call: of('example'), isRestrained: () => true })).toMatchObject({
      ...refused,
      message: '"add" refused the example of its descriptor, which an earlier call may have used up',
      advice: advice('Restart the server'),
    });
    expect(judge('result', TOOL_ERROR, { call: of('configured'), servedPlainly: false })).toMatchObject({
      ...refused,
      message: '"add" was answered once, but refuses further calls',
      advice: advice('several independent inputs'),
    });
    expect(judge('result', TOOL_ERROR, { call: of('none-needed') })).toMatchObject({
      ...refused,
      message: '"add" needs no input by its schema, and refused the call without one',
      advice: advice('a network or a key'),
    });
  });

  it('fails if a call with the same input was answered again', () => {
    expect(judge('result', ERROR, { call: of('configured'), servedPlainly: true }).outcome).toBe('failed');
  });

  it('is not exercised if it asks for a person’s input', () => {
    expect(judge('result', WANTS_INPUT, { call: of('configured') })).toMatchObject({
      outcome: 'undecided',
      because: 'not-exercised',
      message: '"add" asks for input before it answers, which the check cannot give',
    });
  });

  it('is not exercised if it is refused after the client declined', () => {
    const declined = { method: 'elicitation/create', answer: '{}', isGranted: false };
    const refusedAfter = (...replies: readonly (typeof declined)[]) =>
      judge('result', { ...ERROR, replies }, { call: of('configured') });
    expect(refusedAfter(declined, declined)).toMatchObject({
      outcome: 'undecided',
      because: 'not-exercised',
      message: '"add" refused the call after the client did not give what was asked for (elicitation/create)',
    });
    expect(refusedAfter({ ...declined, isGranted: true }).outcome).toBe('failed');
  });

  it('fails, also of a guess, if no message answers it', () => {
    expect(judge('result', NO_MESSAGE, { call: of('assembled') })).toMatchObject({
      outcome: 'failed',
      message: 'no message answers the request',
    });
  });
});

describe('over HTTP', () => {
  it('a rate limiter and a missing key turn the request away', () => {
    const away = { outcome: 'undecided', because: 'turned-away' };
    const limited = posted(sent, { status: 429, value: error(-32000) });
    const locked = posted(sent, { status: 401, body: { text: '' } });
    expect(judge('result', limited)).toMatchObject({ ...away, advice: 'Wait.' });
    expect(judge('result', locked)).toMatchObject({ ...away, message: 'the target requires a key' });
    expect(judge('result', locked, { servedElsewhere: true }).outcome).toBe('failed');
  });
});
