import { describe, expect, it, test } from 'vitest';
import {
  answeringBody,
  answeringMessage,
  isMessage,
  messagesOf,
  returnedIn,
  type ToolOutcome,
  toolOutcome,
} from '../../../src/wires/mcp/answer.ts';
import { answer } from '../../checks/example.ts';
import { error, heard, notification, ok, posted, request } from '../../checks/messages.ts';

const STREAM = [['content-type', 'text/event-stream']] as const;

describe('the message that answers a request', () => {
  it('is the one with its id, whatever came before', () => {
    const lines = ['starting', notification('notifications/message'), ok({ of: 2 }, 2), ok({ of: 1 })];
    expect(answeringMessage(heard(request(), lines))?.message).toMatchObject({ result: { of: 1 } });
    expect(messagesOf(heard(request(), lines))).toHaveLength(4);
  });

  it('is found in a body, and in a stream of events', () => {
    const events = [notification('notifications/progress'), ok({ a: 1 })].map(
      (one) => `data: ${JSON.stringify(one)}\n\n`,
    );
    for (const exchange of [
      posted(request(), { value: ok({ a: 1 }) }),
      posted(request(), { headers: STREAM, body: { text: events.join('') } }),
    ])
      expect(answeringMessage(exchange)?.message).toMatchObject({ kind: 'result', result: { a: 1 } });
  });

  it('may be an error without an id over HTTP, which may be about another message over standard streams', () => {
    const without = error(-32700, 'x', null);
    expect(answeringMessage(posted(request(), { value: without }))?.message.kind).toBe('error');
    expect(answeringMessage(heard(request(), [without]))).toBeUndefined();
    expect(answeringMessage(heard(request(), [without, ok()]))?.message.kind).toBe('result');
  });

  it('is none for a notification, for bytes, and of an id of another type', () => {
    expect(answeringMessage(heard(notification('a'), [ok()]))).toBeUndefined();
    expect(answeringMessage(heard('{"broken', [error(-32700, 'x', null)]))).toBeUndefined();
    expect(answeringMessage(heard(request(), [ok({}, '1')]))).toBeUndefined();
  });
});

describe('the body of an answer', () => {
  it('is the message, with what is wrong with its text', () => {
    expect(answeringBody(heard(request(), [ok({ a: 1 })]))).toMatchObject({
      value: ok({ a: 1 }),
      problem: null,
    });
    const twice = answeringBody(heard(request(), ['{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}']));
    expect(twice.value).toMatchObject({ id: 1 });
    expect(twice.problem).toMatchObject({ serversFault: true });
  });

  it('is a fault of the server without a message', () => {
    expect(answeringBody(posted(request(), { status: 502, body: { text: '' } }))).toMatchObject({
      value: undefined,
      problem: { serversFault: true, message: 'no message answers the request', received: 'HTTP status 502' },
    });
    expect(answeringBody(heard(request(), ['starting'])).problem?.received).toBe('starting');
    expect(answeringBody(heard(request(), [])).problem?.received).toBe('no message');
  });
});

describe('what an answer to a call means', () => {
  test.each<[string, object, ToolOutcome]>([
    ['a result', { content: [] }, { kind: 'result', value: { content: [] } }],
    [
      'structured content',
      { content: [], structuredContent: { sum: 3 } },
      { kind: 'result', value: { sum: 3 } },
    ],
    [
      'an error of the tool',
      {
        content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }],
        isError: true,
      },
      { kind: 'refused', by: 'tool', code: undefined, text: 'a\nb' },
    ],
    [
      'a wrong flag, which another row judges',
      { isError: 'yes' },
      { kind: 'result', value: { content: null } },
    ],
    ['a request for input', { resultType: 'input_required' }, { kind: 'wants-input', capabilities: [] }],
  ])('%s', (_, result, expected) => {
    expect(toolOutcome(heard(request(), [ok(JSON.parse(JSON.stringify(result)))]))).toEqual(expected);
  });

  it('an error that names capabilities which the client lacks', () => {
    const data = { requiredCapabilities: { elicitation: {} } };
    const refused = { ...error(-32021, 'no elicitation', 1), error: { code: -32021, message: 'x', data } };
    expect(toolOutcome(heard(request(), [refused]))).toEqual({
      kind: 'wants-input',
      capabilities: ['elicitation'],
    });
  });

  it('an error that demands a visit to an address', () => {
    expect(toolOutcome(heard(request(), [error(-32042, 'sign in')]))).toEqual({
      kind: 'wants-input',
      capabilities: [],
    });
  });

  it('an error of the protocol, also with a message that is no text', () => {
    const refused = { kind: 'refused', by: 'protocol', code: -32602 };
    expect(toolOutcome(heard(request(), [error(-32602, 'no')]))).toEqual({ ...refused, text: 'no' });
    expect(toolOutcome(heard(request(), [error(-32602, 7)]))).toEqual({ ...refused, text: '' });
  });

  it('nothing that can be read', () => {
    const problemOf = (line: object | string) => {
      const text = typeof line === 'string' ? line : JSON.stringify(line);
      const outcome = toolOutcome(heard(request(), [text]));
      return outcome.kind === 'unreadable' ? outcome.problem : outcome.kind;
    };
    expect(problemOf('noise')).toBe('no message answers the request');
    expect(problemOf(ok([]))).toBe('its result is [] (array), and not an object');
    expect(problemOf({ ...ok(), jsonrpc: '1.0' })).toBe('jsonrpc is not "2.0"');
  });
});

describe('a request', () => {
  it('is known as a message by what it meant when it was sent', () => {
    expect(isMessage(heard('{"broken', []))).toBe(true);
    expect(isMessage(answer())).toBe(false);
  });

  it('returns structured content, or else content', () => {
    expect(returnedIn(ok({ structuredContent: { a: 1 }, content: [] }))).toEqual({ a: 1 });
    expect(returnedIn(ok({ content: [] }))).toEqual({ content: [] });
    expect(returnedIn(error(-1))).toBeUndefined();
  });
});
