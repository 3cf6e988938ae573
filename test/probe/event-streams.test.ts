import { describe, expect, it, onTestFinished } from 'vitest';
import type { EventWatch } from '../../src/model/probe.ts';
import { listen } from './raw-server.ts';
import { send } from './send.ts';

const HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n';
const ANSWER = 'data: answer\n\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A server that writes these parts, one after the other, and then keeps the connection open or ends it. */
async function serve(parts: readonly string[], ending: 'open' | 'end'): Promise<string> {
  const server = await listen(async ({ socket, whenReceived }) => {
    await whenReceived(0);
    for (const part of parts) socket.write(part);
    if (ending === 'end') socket.end();
  });
  onTestFinished(server.close);
  return server.url;
}

/** Waits for the answer. */
function watch(): EventWatch {
  let seen = '';
  return {
    push: (part) => {
      seen += Buffer.from(part).toString();
      return seen.includes(ANSWER);
    },
  };
}

describe('an event stream', () => {
  it('that the server keeps open is read until the answer, and a moment longer', async () => {
    const url = await serve(
      [HEAD, chunk(`: hello\n\n${ANSWER.slice(0, 5)}`), chunk(ANSWER.slice(5))],
      'open',
    );
    const exchange = await send(url, { events: watch() });
    expect(exchange).toMatchObject({
      kind: 'answered',
      response: { status: 200, body: { text: `: hello\n\n${ANSWER}` } },
      stream: { answeredAtMs: expect.any(Number), closedBy: 'probe' },
    });
  });

  it('that the server ends says so, with what came after the answer', async () => {
    const url = await serve([HEAD, chunk(ANSWER), chunk('data: later\n\n'), '0\r\n\r\n'], 'open');
    expect(await send(url, { events: watch() })).toMatchObject({
      response: { body: { text: `${ANSWER}data: later\n\n` } },
      stream: { answeredAtMs: expect.any(Number), closedBy: 'server' },
    });
  });

  it('without an answer in time is kept as far as it came', async () => {
    const url = await serve([HEAD, chunk('data: other\n\n')], 'open');
    expect(await send(url, { events: watch(), timeoutMs: 300 })).toMatchObject({
      kind: 'answered',
      response: { body: { text: 'data: other\n\n' } },
      stream: { answeredAtMs: null, closedBy: 'probe' },
    });
  });

  it('that breaks off before the answer is a failure, and after it an answer', async () => {
    const before = await serve([HEAD, chunk('data: other\n\n')], 'end');
    expect(await send(before, { events: watch() })).toMatchObject({ reason: { code: 'closed-early' } });
    const after = await serve([HEAD, chunk(ANSWER)], 'end');
    expect(await send(after, { events: watch() })).toMatchObject({
      kind: 'answered',
      response: { body: { text: ANSWER } },
    });
  });

  it('is watched only where it is one, and only when it is awaited', async () => {
    const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n';
    const exchange = await send(await serve([json, ANSWER], 'open'), { events: watch() });
    expect(exchange).toMatchObject({ kind: 'answered', response: { body: { text: ANSWER } } });
    expect(exchange).not.toHaveProperty('stream');
    const unwatched = await send(await serve([HEAD, chunk(ANSWER)], 'open'), { timeoutMs: 300 });
    expect(unwatched).toMatchObject({ reason: { code: 'timeout' } });
  });
});
