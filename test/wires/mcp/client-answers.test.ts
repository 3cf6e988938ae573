import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/json/json.ts';
import { answeredParams, answerTo, askedClient, notGranted } from '../../../src/wires/mcp/client-answers.ts';
import { heard, ok, request } from '../../checks/messages.ts';

const ANSWERS = {
  elicitation: { name: 'Ada', age: 36, days: ['mo'] },
  sampling: 'Paris',
  roots: ['file:///srv'],
};
const DECLINED = { result: { action: 'decline' } };
const form = (properties: Json, required: readonly string[] = []) => ({
  method: 'elicitation/create',
  params: { message: 'x', requestedSchema: { type: 'object', properties, required } },
});

describe('a form', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['with another required field', { name: { type: 'string' }, mail: { type: 'string' } }, ['mail']],
    ['without a known field', { mail: { type: 'string' } }, []],
    ['with a field of another type', { age: { type: 'string' } }, ['age']],
    ['with other choices', { name: { type: 'string', enum: ['Bob'] } }, ['name']],
    ['with other titled choices', { name: { type: 'string', oneOf: [{ const: 'Bob', title: 'B' }] } }, []],
    [
      'with other choices in a list',
      { days: { type: 'array', items: { type: 'string', enum: ['tu'] } } },
      [],
    ],
  ])('%s is declined', (_, properties, required) => {
    expect(answerTo(form(properties, required), ANSWERS)).toEqual({ said: DECLINED, isGranted: false });
  });

  it('is accepted with the values of its own fields', () => {
    const fields = {
      age: { type: 'integer' },
      days: { type: 'array', items: { anyOf: [{ const: 'mo', title: 'Monday' }] } },
      mail: { type: 'string' },
    };
    expect(answerTo(form(fields, ['age']), ANSWERS).said).toEqual({
      result: { action: 'accept', content: { age: 36, days: ['mo'] } },
    });
  });

  it('is declined without answers, and unknown to a client that declares nothing', () => {
    expect(answerTo(form({ name: { type: 'string' } }), {}).said).toEqual(DECLINED);
    expect(answerTo(form({ name: { type: 'string' } }), null).said).toMatchObject({
      error: { code: -32601 },
    });
  });
});

describe('other requests', () => {
  it('for an address are declined, whatever is configured', () => {
    const params = { mode: 'url', message: 'x', url: 'https://example.com' };
    expect(answerTo({ method: 'elicitation/create', params }, ANSWERS).said).toEqual(DECLINED);
  });

  it('for a model get the text, or an error', () => {
    const sampling = { method: 'sampling/createMessage', params: {} };
    expect(answerTo(sampling, {})).toMatchObject({ said: { error: { code: -1 } }, isGranted: false });
    expect(answerTo(sampling, ANSWERS)).toMatchObject({
      said: { result: { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'probity' } },
      isGranted: true,
    });
  });

  it('for roots get the list, which is empty by default', () => {
    const roots = { method: 'roots/list', params: undefined };
    expect(answerTo(roots, {})).toEqual({ said: { result: { roots: [] } }, isGranted: false });
    expect(answerTo(roots, ANSWERS).said).toEqual({ result: { roots: [{ uri: 'file:///srv' }] } });
  });

  it('of an unknown method are refused, and ping is answered', () => {
    expect(answerTo({ method: 'x/y', params: {} }, ANSWERS).said).toMatchObject({ error: { code: -32601 } });
    expect(answerTo({ method: 'ping', params: {} }, null).said).toEqual({ result: {} });
  });
});

describe('the next round', () => {
  const message = { method: 'tools/call', params: { name: 'a', arguments: { b: 1 } } };
  const asking = (more: JsonObject): JsonObject => ({ resultType: 'input_required', ...more });
  const roots = { r: { method: 'roots/list' } };

  it('has the parameters of the call, the answers and the state as it came', () => {
    expect(answeredParams(message, asking({ inputRequests: roots, requestState: 's' }), {})).toEqual({
      name: 'a',
      arguments: { b: 1 },
      inputResponses: { r: { roots: [] } },
      requestState: 's',
    });
  });

  it('has no answers where only a state came, and no state where none came', () => {
    expect(answeredParams(message, asking({ requestState: 's' }), {})).toEqual({
      ...message.params,
      requestState: 's',
    });
    expect(answeredParams(message, asking({ inputRequests: roots }), {})).not.toHaveProperty('requestState');
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a complete result', message, { resultType: 'complete' }],
    ['a method that may not ask', { method: 'tools/list' }, asking({ inputRequests: roots })],
    [
      'a question for a model without an answer',
      message,
      asking({ inputRequests: { m: { method: 'sampling/createMessage' } } }),
    ],
    ['an unknown question', message, asking({ inputRequests: { m: { method: 'ping' } } })],
    ['questions that are a list', message, asking({ inputRequests: [] })],
    ['no question and no state', message, asking({})],
  ])('is not sent after %s', (_, sent, result) => {
    expect(answeredParams(sent, result, {})).toBeNull();
  });
});

it('what was not given is read from what was sent', () => {
  const inputResponses = { a: { action: 'decline' }, b: { roots: [] }, c: { action: 'accept', content: {} } };
  const again = heard(request('tools/call', { name: 'a', inputResponses }), [ok()]);
  expect(notGranted(again)).toEqual(['elicitation/create', 'roots/list']);
  expect(askedClient(again)).toBe(true);
  expect(askedClient(heard(request('tools/call'), [ok()]))).toBe(false);
});
