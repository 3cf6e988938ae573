import type { Behaviour } from './behaviour.ts';
import { CLEAN, unanswered } from './finds.ts';
import { bytesOf, CHUNKED, chunk, chunks, endless, headed, headOf, pieces, pour, sending } from './wire.ts';

const START = 'HTTP/1.1 200 OK\r\n';
const UNTIL_CLOSE = ['connection: close'];
const PART = Buffer.alloc(16 * 1024, 'x');
const MEGABYTE = 1024 * 1024;

const tooManyHeaders = unanswered('headers-too-large', 'harness');
const tooLarge = unanswered('body-too-large', 'harness');

function endlessInformational(status: number, reason: string): Behaviour {
  return {
    id: `floods/endless-${status}`,
    words: `sends ${status} ${reason} over and over`,
    legal: true,
    play: endless(() => '', `HTTP/1.1 ${status} ${reason}\r\n\r\n`.repeat(50)),
    finds: tooManyHeaders,
  };
}

export const floods: readonly Behaviour[] = [
  {
    id: 'floods/endless-header-line',
    words: 'sends one header line that never ends',
    legal: false,
    play: endless(() => `${START}x: `, PART),
    finds: tooManyHeaders,
  },
  {
    id: 'floods/endless-headers',
    words: 'sends headers without end',
    legal: false,
    play: endless(() => START, 'x-filler: one more of these\r\n'.repeat(100)),
    finds: tooManyHeaders,
  },
  {
    id: 'floods/endless-status-line',
    words: 'sends a status line that never ends',
    legal: false,
    play: endless(() => 'HTTP/1.1 200 ', PART),
    finds: tooManyHeaders,
  },
  {
    id: 'floods/2000-headers',
    words: 'sends 2,000 small headers',
    legal: true,
    play: headed({ add: Array.from({ length: 2000 }, (_, index) => `x-${index}: ${index}`) }),
    finds: tooManyHeaders,
  },
  {
    id: 'floods/header-of-100-kib',
    words: 'sends a header of 100 KiB',
    legal: true,
    play: headed({ add: [`x-long: ${'x'.repeat(100 * 1024)}`] }),
    finds: tooManyHeaders,
  },
  {
    id: 'floods/header-of-32-kib',
    words: 'sends a header of 32 KiB',
    legal: true,
    play: headed({ add: [`x-long: ${'x'.repeat(32 * 1024)}`] }),
    finds: CLEAN,
  },
  endlessInformational(100, 'Continue'),
  endlessInformational(102, 'Processing'),
  endlessInformational(103, 'Early Hints'),
  {
    id: 'floods/empty-lines',
    words: 'sends empty lines without end instead of a status line',
    legal: false,
    play: endless(() => '', '\r\n'.repeat(4096)),
    finds: tooManyHeaders,
  },
  {
    id: 'floods/endless-chunk-extension',
    words: 'sends a chunk extension that never ends',
    legal: false,
    play: endless((answer) => `${headOf(answer, { framing: CHUNKED })}1;x=`, PART),
    finds: tooManyHeaders,
  },
  {
    id: 'floods/long-chunk-extensions',
    large: true,
    words: 'sends chunks of one byte, each with an extension of 4 KiB, without end',
    legal: true,
    play: endless((answer) => headOf(answer, { framing: CHUNKED }), chunk(' ', `;x=${'x'.repeat(4096)}`)),
    finds: tooLarge,
  },
  {
    id: 'floods/chunks-of-one-byte',
    words: 'sends the body in chunks of one byte',
    legal: true,
    play: sending((answer) =>
      Buffer.concat([headOf(answer, { framing: CHUNKED }), chunks(pieces(answer.body, 1))]),
    ),
    finds: CLEAN,
  },
  {
    id: 'floods/white-space-in-chunks-of-one-byte',
    words: 'sends 10 KiB of white space after the JSON, in chunks of one byte',
    legal: true,
    play: sending((answer) => {
      const white = Buffer.from('1\r\n \r\n'.repeat(10 * 1024));
      const body = Buffer.concat([chunk(answer.body), white, Buffer.from('0\r\n\r\n')]);
      return Buffer.concat([headOf(answer, { framing: CHUNKED }), body]);
    }),
    finds: CLEAN,
  },
  {
    id: 'floods/endless-trailers',
    words: 'sends trailers without end after the last chunk',
    legal: false,
    play: endless(
      (answer) =>
        Buffer.concat([headOf(answer, { framing: CHUNKED }), chunk(answer.body), Buffer.from('0\r\n')]),
      'x-filler: one more of these\r\n'.repeat(100),
    ),
    finds: tooManyHeaders,
  },
  {
    id: 'floods/endless-body',
    large: true,
    words: 'sends a body without length and without end',
    legal: false,
    play: endless((answer) => headOf(answer, { framing: UNTIL_CLOSE }), PART),
    finds: tooLarge,
  },
  {
    id: 'floods/endless-chunked-body',
    large: true,
    words: 'sends chunks of 16 KiB without end',
    legal: false,
    play: endless((answer) => headOf(answer, { framing: CHUNKED }), chunk(PART)),
    finds: tooLarge,
  },
  {
    id: 'floods/body-of-100-mb',
    large: true,
    words: 'sends a body of 100 MB of known length',
    legal: true,
    play: async ({ socket, answer }) => {
      socket.write(headOf(answer, { framing: [`content-length: ${100 * MEGABYTE}`, 'connection: close'] }));
      await pour(socket, PART, 100 * MEGABYTE);
      socket.end();
    },
    finds: tooLarge,
  },
  {
    id: 'floods/white-space-around-json',
    large: true,
    words: 'sends white space without end before the JSON',
    legal: true,
    play: endless((answer) => headOf(answer, { framing: UNTIL_CLOSE }), Buffer.alloc(16 * 1024, ' \r\n\t')),
    finds: tooLarge,
  },
  {
    id: 'floods/white-space-after-json',
    large: true,
    words: 'sends white space without end after the JSON',
    legal: true,
    play: endless((answer) => bytesOf(answer, { framing: UNTIL_CLOSE }), Buffer.alloc(16 * 1024, ' \r\n\t')),
    finds: tooLarge,
  },
];
