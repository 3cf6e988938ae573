import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/json/json.ts';
import { type AnswerShape, answerShape, capabilitiesForm, otherForm } from '../../src/run/calls/forms.ts';
import { answer, noAnswer } from '../checks/example.ts';

const A = { name: 'a', inputs: [], outputs: [] };
const B = { name: 'b', parameters: {}, returns: {} };
const because = (reason: string) => ({ form: null, because: reason });

describe('the form of /capabilities', () => {
  test.each<[string, Json | undefined, object]>([
    ['all of form A', { functions: [A, A] }, { form: 'A' }],
    ['all of form B', { functions: [B] }, { form: 'B' }],
    ['more of A', { functions: [B, A, A] }, { form: 'A' }],
    ['more of B', { functions: [A, B, B] }, { form: 'B' }],
    ['equal numbers: that of the first', { functions: [A, B] }, { form: 'A' }],
    ['equal numbers: that of the first with a form', { functions: [{}, B, A] }, { form: 'B' }],
    ['no known form, but members of form B', { functions: [{}], mcpVersion: '1.0' }, { form: 'B' }],
    ['no functions, but members of form B', { server: null }, { form: 'B' }],
    ['no known form', { functions: [{ name: 'x' }] }, because('no-form')],
    ['no functions', { functions: [] }, because('no-function')],
    ['functions that are not a list', { functions: {} }, because('no-list')],
    ['a list', [A], because('no-list')],
    ['no JSON', undefined, because('no-object')],
  ])('%s', (_, value, form) => {
    expect(capabilitiesForm(value, 'auto')).toEqual(form);
  });

  test('is what the user sets, whatever the descriptors', () => {
    expect(capabilitiesForm({ functions: [B] }, 'A')).toEqual({ form: 'A' });
    expect(capabilitiesForm(undefined, 'B')).toEqual({ form: 'B' });
  });
});

describe('the form of an answer of /execute', () => {
  test.each<[Json, AnswerShape, AnswerShape]>([
    [{ output: {} }, 'served', 'other-form'],
    [{ output: 1 }, 'served', 'unclear'],
    [{ result: {}, executionTime: 1 }, 'other-form', 'served'],
    [{ result: {}, requestId: 'x' }, 'other-form', 'served'],
    [{ result: {} }, 'unclear', 'served'],
    [{ result: 1, executionTime: 1 }, 'unclear', 'served'],
    [{ output: {}, executionTime: 1 }, 'served', 'unclear'],
    [{ output: {}, result: {}, executionTime: 1 }, 'served', 'served'],
    [{ outputs: {} }, 'unclear', 'unclear'],
    [[], 'unclear', 'unclear'],
  ])('%j', (value, asA, asB) => {
    expect(answerShape(answer({ value }), 'A')).toBe(asA);
    expect(answerShape(answer({ value }), 'B')).toBe(asB);
  });

  test('is unknown for a refusal, text, or no answer', () => {
    expect(answerShape(answer({ status: 400, value: { output: {} } }), 'A')).toBe('unclear');
    expect(answerShape(answer({ status: 201, value: { output: {} } }), 'A')).toBe('unclear');
    expect(answerShape(answer({ body: { text: 'ok' } }), 'A')).toBe('unclear');
    expect(answerShape(noAnswer({ code: 'timeout', fault: 'server', message: 'late' }), 'A')).toBe('unclear');
  });

  test('there are two forms', () => {
    expect(otherForm('A')).toBe('B');
    expect(otherForm('B')).toBe('A');
  });
});
