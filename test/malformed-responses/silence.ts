import { setTimeout as delay } from 'node:timers/promises';
import type { Behaviour } from './behaviour.ts';
import { CLEAN, unanswered } from './finds.ts';
import { bytesOf, CHUNKED, chunk, drip, headOf } from './wire.ts';

const half = (body: Buffer): Buffer => body.subarray(0, body.length >> 1);

export const silence: readonly Behaviour[] = [
  {
    id: 'silence/no-answer',
    words: 'reads the request and sends nothing',
    legal: false,
    hangs: true,
    play: () => undefined,
    finds: unanswered('timeout'),
  },
  {
    id: 'silence/after-the-head',
    words: 'sends the head of the answer and then nothing',
    legal: false,
    hangs: true,
    play: ({ socket, answer }) => void socket.write(headOf(answer)),
    finds: unanswered('timeout'),
  },
  {
    id: 'silence/after-half-a-body',
    words: 'sends half of the body and then nothing',
    legal: false,
    hangs: true,
    play: ({ socket, answer }) => {
      socket.write(headOf(answer));
      socket.write(half(answer.body));
    },
    finds: unanswered('timeout'),
  },
  {
    id: 'silence/drip-without-end',
    words: 'sends one byte of an endless header every 50 ms',
    legal: false,
    hangs: true,
    play: ({ socket }) => drip(socket, Buffer.from(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1000)}`), 1, 50),
    finds: unanswered('timeout'),
  },
  {
    id: 'silence/drip-of-white-space',
    words: 'sends one space of an endless body every 50 ms',
    legal: false,
    hangs: true,
    play: async ({ socket, answer }) => {
      socket.write(headOf(answer, { framing: ['connection: close'] }));
      await drip(socket, Buffer.alloc(1000, ' '), 1, 50);
    },
    finds: unanswered('timeout'),
  },
  {
    id: 'silence/drip-that-ends',
    words: 'sends the answer in twenty pieces, 5 ms apart',
    legal: true,
    play: async ({ socket, bytes }) => {
      await drip(socket, bytes, Math.ceil(bytes.length / 20), 5);
      socket.end();
    },
    finds: CLEAN,
  },
  {
    id: 'silence/slow-start',
    words: 'answers after 200 ms',
    legal: true,
    play: async ({ socket, bytes }) => {
      await delay(200);
      socket.end(bytes);
    },
    finds: CLEAN,
  },
  {
    id: 'silence/closed-without-answer',
    words: 'reads the request and closes the connection',
    legal: false,
    play: ({ socket }) => void socket.end(),
    finds: unanswered('closed-early'),
  },
  {
    id: 'silence/closed-in-the-head',
    words: 'closes in the middle of a header',
    legal: false,
    play: ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncontent-ty'),
    finds: unanswered('closed-early'),
  },
  {
    id: 'silence/closed-in-the-status-line',
    words: 'closes in the middle of the status line',
    legal: false,
    play: ({ socket }) => void socket.end('HTTP/1.1 2'),
    finds: unanswered('closed-early'),
  },
  {
    id: 'silence/closed-in-the-body',
    words: 'closes in the middle of a body of known length',
    legal: false,
    play: ({ socket, answer }) => {
      socket.end(Buffer.concat([headOf(answer), half(answer.body)]));
    },
    finds: unanswered('closed-early'),
  },
  {
    id: 'silence/closed-in-a-chunk',
    words: 'closes in the middle of a chunk',
    legal: false,
    play: ({ socket, answer }) => {
      const head = headOf(answer, { framing: CHUNKED });
      socket.end(Buffer.concat([head, half(chunk(answer.body))]));
    },
    finds: unanswered('closed-early'),
  },
  {
    id: 'silence/accepts-only',
    words: 'accepts the connection and reads nothing',
    legal: false,
    hangs: true,
    on: 'accepted',
    play: ({ socket }) => void socket.pause(),
    finds: unanswered('timeout'),
  },
  {
    id: 'silence/closed-on-accept',
    words: 'closes the connection as soon as it is open',
    legal: false,
    on: 'accepted',
    play: ({ socket }) => void socket.end(),
    finds: unanswered(/closed-early|connection-reset/),
  },
  {
    id: 'silence/answer-left-open',
    words: 'sends the whole answer, keep-alive, and never closes',
    legal: true,
    play: ({ socket, answer }) => {
      const framing = [`content-length: ${answer.body.length}`, 'connection: keep-alive'];
      socket.write(bytesOf(answer, { framing }));
    },
    finds: CLEAN,
  },
];
