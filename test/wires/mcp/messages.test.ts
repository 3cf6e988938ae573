import { describe, expect, it } from 'vitest';
import type { Header } from '../../../src/model/exchange.ts';
import {
  answersTo,
  EventReader,
  messagesInBody,
  messagesInLine,
  type ReadMessage,
} from '../../../src/wires/mcp/messages.ts';

const inLine = (text: string): readonly ReadMessage[] => messagesInLine(Buffer.from(text));
const only = (found: readonly ReadMessage[]): ReadMessage => {
  const [one, ...more] = found;
  if (one === undefined || more.length > 0) throw new Error(`${found.length} messages`);
  return one;
};

const ofType = (type: string): readonly Header[] => [['Content-Type', type]];

describe('a line', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":{}}', { kind: 'result', id: 1, result: {} }],
    [
      '{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no","data":[]}}',
      { kind: 'error', id: 'a', code: -32601, message: 'no', data: [] },
    ],
    [
      '{"jsonrpc":"2.0","id":null,"error":{}}',
      { kind: 'error', id: null, code: undefined, message: undefined, data: undefined },
    ],
    [
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}',
      { kind: 'notification', method: 'notifications/message', params: { level: 'info' } },
    ],
    [
      '{"jsonrpc":"2.0","id":0,"method":"roots/list"}',
      { kind: 'request', id: 0, method: 'roots/list', params: undefined },
    ],
  ])('%s is a message', (text, message) => {
    expect(only(inLine(text))).toMatchObject({ message, problem: null, pointer: '', start: 0 });
  });

  it.each([
    ['{"id":1,"result":{}}', 1, 'jsonrpc is not "2.0"'],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', 1, 'it has a result and an error'],
    ['{"jsonrpc":"2.0","id":1,"method":"a","result":{}}', 1, 'it has a method, and a result or an error'],
    ['{"jsonrpc":"2.0","id":1}', 1, 'it has neither a method, a result nor an error'],
    ['{"jsonrpc":"2.0","result":{}}', undefined, 'its result has no id'],
    ['{"jsonrpc":"2.0","id":1,"error":"no"}', 1, 'its error is not an object'],
    ['{"jsonrpc":"2.0","id":1,"method":2}', 1, 'its method is not a string'],
    ['{"jsonrpc":"2.0","id":{},"result":{}}', {}, 'its id is neither a string nor a number'],
    ['"text"', undefined, 'the line holds no object'],
    ['[]', undefined, 'the line holds no object'],
  ])('%s is JSON, but no message', (text, id, problem) => {
    expect(only(inLine(text)).message).toEqual({ kind: 'not-json-rpc', id, problem });
  });

  it.each([
    ['starting …', 'the line is not JSON'],
    ['{"jsonrpc":"2.0","id":2,', 'the line is not JSON'],
    [
      '{"jsonrpc":"2.0","id":2,"result":{}}{"jsonrpc":"2.0","id":3,"result":{}}',
      'the line has more than one JSON value',
    ],
  ])('%s is noise', (text, problem) => {
    expect(only(inLine(text))).toMatchObject({ message: { kind: 'noise', problem }, value: undefined });
  });

  it('of white space has no message', () => {
    expect(inLine('')).toEqual([]);
    expect(inLine(' \r')).toEqual([]);
  });

  it('is not repaired: a repeated key is kept as a problem, with the last value as parsers read it', () => {
    const { message, problem } = only(inLine('{"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2},"id":8}'));
    expect(message).toEqual({ kind: 'result', id: 8, result: { a: 2 } });
    expect(problem).toMatchObject({
      message: 'the key "a" occurs twice in one object',
      pointer: '/result/a',
    });
  });

  it('with invalid UTF-8 is still the answer to its request, and keeps its bytes', () => {
    const line = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":3,"result":{"x":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}'),
    ]);
    const { message, problem, bytes } = only(messagesInLine(line));
    expect(answersTo(3, message)).toBe(true);
    expect(problem).toMatchObject({ message: 'the line is not valid UTF-8', serversFault: true });
    expect(Buffer.from(bytes)).toEqual(line);
  });

  it('ends before a carriage return', () => {
    expect(Buffer.from(only(inLine('{"jsonrpc":"2.0","id":1,"result":{}}\r')).bytes).at(-1)).toBe(0x7d);
  });

  it('may hold a batch', () => {
    const found = inLine('[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"a"},4]');
    expect(found.map(({ message, pointer }) => [message.kind, pointer])).toEqual([
      ['result', '/0'],
      ['notification', '/1'],
      ['not-json-rpc', '/2'],
    ]);
  });
});

describe('an answer', () => {
  const messageIn = (text: string) => only(inLine(text)).message;

  it('has the id of its request, in type and in every digit', () => {
    const big = '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}';
    expect(answersTo(9_007_199_254_740_992, messageIn(big))).toBe(false);
    expect(answersTo(1, messageIn('{"jsonrpc":"2.0","id":"1","result":{}}'))).toBe(false);
    expect(answersTo('1', messageIn('{"jsonrpc":"2.0","id":"1","result":{}}'))).toBe(true);
  });

  it('may be broken', () => {
    expect(answersTo(1, messageIn('{"id":1,"result":{}}'))).toBe(true);
    expect(answersTo(1, messageIn('{"jsonrpc":"2.0","id":null,"error":{}}'))).toBe(false);
  });

  it('is not a request of the server with the same id', () => {
    expect(answersTo(1, messageIn('{"jsonrpc":"2.0","id":1,"method":"ping"}'))).toBe(false);
  });
});

describe('a body', () => {
  it('of JSON is one message', () => {
    const body = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}\n');
    const { message, end } = only(messagesInBody(ofType('application/json; charset=utf-8'), body));
    expect(message).toMatchObject({ kind: 'result' });
    expect(end).toBe(body.length);
  });

  it('of a page is noise', () => {
    expect(only(messagesInBody(ofType('text/html'), Buffer.from('<html>'))).message).toEqual({
      kind: 'noise',
      problem: 'the body is not JSON',
    });
  });

  it('of an event stream has a message in each event, with its place', () => {
    const first = ': hello\r\n\r\nid: 1\r\ndata:\r\n\r\n';
    const second = 'event: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "method":"a"}\r\n\r\n';
    const third = 'event: ping\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
    const fourth = 'id: 4\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
    const body = Buffer.from(`${first}${second}${third}${fourth}data: {"jsonrpc"`);
    const found = messagesInBody(ofType('Text/Event-Stream'), body);
    expect(found.map(({ message: { kind } }) => kind)).toEqual(['notification', 'result']);
    expect(found.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
      '{"jsonrpc":"2.0",\n"method":"a"}',
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ]);
    expect(body.subarray(found[0]?.start, found[0]?.end).toString()).toBe(second);
    expect(body.subarray(found[1]?.start, found[1]?.end).toString()).toBe(fourth);
  });
});

describe('an event stream', () => {
  it('may arrive byte by byte, and keeps invalid bytes', () => {
    const data = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"result":"é'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const body = Buffer.concat([Buffer.from('id: 9\r\ndata: '), data, Buffer.from('\r\n\r\n')]);
    const found: ReadMessage[] = [];
    const reader = new EventReader((messages) => found.push(...messages));
    for (const byte of body) reader.push(Uint8Array.of(byte));
    // A carriage return may be the first half of a line end, which comes with the next bytes.
    expect(Buffer.from(only(found).bytes)).toEqual(data);
    expect(only(found).problem?.message).toBe('the event is not valid UTF-8');
    expect(only(found).end).toBe(body.length);
    expect(reader.lastEventId).toBe('9');
  });

  it('may be that of the transport of 2024-11-05', () => {
    const reader = new EventReader(() => undefined);
    reader.push(Buffer.from('event: endpoint\ndata: /messages?s=1\n\n'));
    expect(reader.endpoint).toBe('/messages?s=1');
  });
});
