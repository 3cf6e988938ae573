import { gzipSync } from 'node:zlib';
import type { Answer, Behaviour, Visit } from './behaviour.ts';
import { CLEAN, otherStatus, unanswered, unreadable } from './finds.ts';
import { bytesOf, CHUNKED, chunk, chunks, headed, headOf, sending } from './wire.ts';

const invalid = unanswered('invalid-http');
const bareLf = unanswered('bare-lf-in-chunks');
const unaskedCoding = unreadable('unasked-coding');
const MORE_BYTES = 'more bytes follow the end of the answer';

function lengths(...make: readonly ((length: number) => string)[]): Behaviour['play'] {
  return headed(({ body }) => ({
    framing: [...make.map((one) => `content-length: ${one(body.length)}`), 'connection: close'],
  }));
}

function coded(coding: string, body: (answer: Answer) => Buffer = ({ body: whole }) => chunks([whole])) {
  return sending((answer) => {
    const framing = [`transfer-encoding: ${coding}`, 'connection: close'];
    return Buffer.concat([headOf(answer, { framing }), body(answer)]);
  });
}

function chunked(make: (body: Buffer) => Buffer | string) {
  return coded('chunked', ({ body }) => Buffer.from(make(body) as string));
}

const size = (body: Buffer): string => body.length.toString(16);

export const framing: readonly Behaviour[] = [
  {
    id: 'framing/length-too-short',
    words: 'sends a Content-Length 5 bytes short of the body',
    legal: false,
    play: lengths((length) => String(length - 5)),
    finds: unreadable('the body is not JSON'),
    fact: MORE_BYTES,
  },
  {
    id: 'framing/length-too-long',
    words: 'sends a Content-Length 5 bytes over the body, and closes',
    legal: false,
    play: lengths((length) => String(length + 5)),
    finds: unanswered('closed-early'),
  },
  {
    id: 'framing/length-too-long-left-open',
    words: 'sends a Content-Length 5 bytes over the body, and leaves the connection open',
    legal: false,
    hangs: true,
    play: ({ socket, answer }) => {
      const [length] = [`content-length: ${answer.body.length + 5}`];
      socket.write(bytesOf(answer, { framing: [length, 'connection: keep-alive'] }));
    },
    finds: unanswered('timeout'),
  },
  {
    id: 'framing/length-negative',
    words: 'sends Content-Length: -5',
    legal: false,
    play: lengths(() => '-5'),
    finds: invalid,
  },
  {
    id: 'framing/length-with-plus',
    words: 'puts a plus before the Content-Length',
    legal: false,
    play: lengths((length) => `+${length}`),
    finds: invalid,
  },
  {
    id: 'framing/length-hexadecimal',
    words: 'sends the Content-Length in hexadecimal',
    legal: false,
    play: lengths((length) => `0x${length.toString(16)}`),
    finds: invalid,
  },
  {
    id: 'framing/length-with-fraction',
    words: 'puts a decimal point in the Content-Length',
    legal: false,
    play: lengths((length) => `${length}.0`),
    finds: invalid,
  },
  {
    id: 'framing/length-empty',
    words: 'sends a Content-Length without a value',
    legal: false,
    play: lengths(() => ''),
    finds: invalid,
  },
  {
    id: 'framing/length-with-zeros',
    words: 'puts zeros before the Content-Length',
    legal: true,
    play: lengths((length) => `000${length}`),
    finds: CLEAN,
  },
  {
    id: 'framing/length-as-list',
    words: 'lists the same Content-Length twice in one header',
    legal: true,
    play: lengths((length) => `${length}, ${length}`),
    finds: CLEAN,
  },
  {
    id: 'framing/length-as-list-of-two',
    words: 'lists two different lengths in one header',
    legal: false,
    play: lengths((length) => `${length}, ${length + 1}`),
    finds: invalid,
  },
  {
    id: 'framing/length-twice',
    words: 'sends the same Content-Length in two headers',
    legal: true,
    play: lengths(String, String),
    finds: CLEAN,
  },
  {
    id: 'framing/lengths-differ',
    words: 'sends two different Content-Length headers',
    legal: false,
    play: lengths(String, (length) => String(length + 1)),
    finds: invalid,
  },
  {
    id: 'framing/length-huge',
    words: 'sends a Content-Length of 20 digits, and closes after the body',
    legal: false,
    play: lengths(() => '99999999999999999999'),
    finds: unanswered('closed-early'),
  },
  {
    id: 'framing/length-without-body',
    words: 'sends the right Content-Length, as for HEAD, and no body',
    legal: false,
    play: sending((answer) => headOf(answer)),
    finds: unanswered('closed-early'),
  },
  {
    id: 'framing/length-zero',
    words: 'sends Content-Length: 0 before a body',
    legal: false,
    play: lengths(() => '0'),
    finds: unreadable('the body is empty'),
    fact: MORE_BYTES,
  },
  {
    id: 'framing/body-until-close',
    words: 'sends a body that ends only with the connection',
    legal: true,
    play: headed({ framing: ['connection: close'] }),
    finds: CLEAN,
  },
  {
    id: 'framing/chunks',
    words: 'sends two chunks with extensions, and trailers',
    legal: true,
    play: chunked((body) =>
      Buffer.concat([
        chunk(body.subarray(0, 7), ';a=b;c="d e"'),
        chunk(body.subarray(7), ' ;x'),
        Buffer.from('000;last\r\nx-trailer: yes\r\n\r\n'),
      ]),
    ),
    finds: CLEAN,
  },
  {
    id: 'framing/chunk-size-upper-case',
    words: 'writes chunk sizes in capitals, with zeros before them',
    legal: true,
    play: chunked((body) => `0000000000000000${size(body).toUpperCase()}\r\n${body}\r\n0\r\n\r\n`),
    finds: CLEAN,
  },
  {
    id: 'framing/chunk-size-garbage',
    words: 'sends a chunk size that is not a number',
    legal: false,
    play: chunked((body) => `xyz\r\n${body}\r\n0\r\n\r\n`),
    finds: invalid,
  },
  {
    id: 'framing/chunk-size-negative',
    words: 'sends a negative chunk size',
    legal: false,
    play: chunked((body) => `-${size(body)}\r\n${body}\r\n0\r\n\r\n`),
    finds: invalid,
  },
  {
    id: 'framing/chunk-size-prefixed',
    words: 'writes 0x before the chunk size',
    legal: false,
    play: chunked((body) => `0x${size(body)}\r\n${body}\r\n0\r\n\r\n`),
    finds: invalid,
  },
  {
    id: 'framing/chunk-size-huge',
    words: 'announces a chunk of 16 hexadecimal digits, and closes after the body',
    legal: false,
    play: chunked((body) => `FFFFFFFFFFFFFFFF\r\n${body}`),
    finds: unanswered('closed-early'),
  },
  {
    id: 'framing/chunk-size-missing',
    words: 'sends an empty line instead of a chunk size',
    legal: false,
    play: chunked((body) => `\r\n${body}\r\n0\r\n\r\n`),
    finds: invalid,
  },
  {
    id: 'framing/chunk-too-short',
    words: 'sends a chunk shorter than its size, so that the next size is read as data',
    legal: false,
    play: chunked((body) => `${(body.length + 3).toString(16)}\r\n${body}\r\n0\r\n\r\n`),
    finds: invalid,
  },
  {
    id: 'framing/chunk-too-long',
    words: 'sends a chunk longer than its size',
    legal: false,
    play: chunked((body) => `${(body.length - 3).toString(16)}\r\n${body}\r\n0\r\n\r\n`),
    finds: invalid,
  },
  {
    id: 'framing/no-last-chunk',
    words: 'closes without the last chunk',
    legal: false,
    play: chunked(chunk),
    finds: unanswered('closed-early'),
  },
  {
    id: 'framing/last-chunk-half',
    words: 'closes before the empty line after the last chunk',
    legal: false,
    play: chunked((body) => `${chunk(body)}0\r\n`),
    finds: unanswered('closed-early'),
  },
  {
    id: 'framing/no-line-end-after-chunk',
    words: 'leaves out the line end after a chunk',
    legal: false,
    play: chunked((body) => `${size(body)}\r\n${body}0\r\n\r\n`),
    finds: invalid,
  },
  {
    id: 'framing/chunks-in-lf',
    words: 'ends the lines of chunks in LF alone',
    legal: false,
    play: chunked((body) => `${size(body)}\n${body}\n0\n\n`),
    finds: bareLf,
  },
  {
    id: 'framing/chunk-size-in-lf',
    words: 'ends the line of a chunk size in LF alone',
    legal: false,
    play: chunked((body) => `${size(body)}\n${body}\r\n0\r\n\r\n`),
    finds: bareLf,
  },
  {
    id: 'framing/chunk-end-in-lf',
    words: 'ends the data of a chunk in LF alone',
    legal: false,
    play: chunked((body) => `${size(body)}\r\n${body}\n0\r\n\r\n`),
    finds: bareLf,
  },
  {
    id: 'framing/trailers-in-lf',
    words: 'ends a trailer in LF alone',
    legal: false,
    play: chunked((body) => `${chunk(body)}0\r\nx-trailer: yes\n\r\n`),
    finds: bareLf,
  },
  {
    id: 'framing/last-line-in-lf',
    words: 'ends the empty line after the last chunk in LF alone',
    legal: false,
    play: chunked((body) => `${chunk(body)}0\r\n\n`),
    finds: bareLf,
  },
  {
    id: 'framing/chunked-without-chunks',
    words: 'declares chunked, and sends the body without chunks',
    legal: false,
    play: coded('chunked', ({ body }) => body),
    finds: unanswered('closed-early'),
  },
  {
    id: 'framing/chunks-without-word',
    words: 'sends chunks without Transfer-Encoding',
    legal: false,
    play: sending((answer) =>
      Buffer.concat([headOf(answer, { framing: ['connection: close'] }), chunks([answer.body])]),
    ),
    finds: unreadable('the body is not JSON'),
  },
  {
    id: 'framing/chunked-with-length',
    words: 'sends both Transfer-Encoding and Content-Length',
    legal: false,
    play: sending((answer) => {
      const body = chunks([answer.body]);
      return Buffer.concat([
        headOf(answer, { framing: [...CHUNKED, `content-length: ${body.length}`] }),
        body,
      ]);
    }),
    finds: invalid,
  },
  {
    id: 'framing/coding-gzip-chunked',
    words: 'sends Transfer-Encoding: gzip, chunked',
    legal: false,
    play: coded('gzip, chunked'),
    finds: unaskedCoding,
  },
  {
    id: 'framing/coding-gzip-until-close',
    words:
      'sends Transfer-Encoding: gzip, compresses the body with gzip, and ends it by closing the connection',
    legal: false,
    play: coded('gzip', ({ body }) => gzipSync(body)),
    finds: unaskedCoding,
  },
  {
    id: 'framing/coding-chunked-gzip',
    words: 'sends Transfer-Encoding: chunked, gzip',
    legal: false,
    play: coded('chunked, gzip'),
    finds: unaskedCoding,
  },
  {
    id: 'framing/coding-identity',
    words: 'sends Transfer-Encoding: identity, which HTTP/1.1 no longer has',
    legal: false,
    play: coded('identity', ({ body }) => body),
    finds: unaskedCoding,
  },
  {
    id: 'framing/coding-chunked-twice',
    words: 'sends Transfer-Encoding: chunked, chunked',
    legal: false,
    play: coded('chunked, chunked', ({ body }) => chunks([chunks([body])])),
    finds: invalid,
  },
  {
    id: 'framing/coding-unknown',
    words: 'sends Transfer-Encoding: xchunked',
    legal: false,
    play: coded('xchunked'),
    finds: unaskedCoding,
  },
  {
    id: 'framing/coding-empty',
    words: 'sends a Transfer-Encoding without a value',
    legal: false,
    play: coded(''),
    finds: invalid,
  },
  {
    id: 'framing/coding-upper-case',
    words: 'sends Transfer-Encoding: CHUNKED',
    legal: true,
    play: coded('CHUNKED'),
    finds: CLEAN,
  },
  {
    id: 'framing/coding-in-http-1.0',
    words: 'sends chunks in an HTTP/1.0 answer',
    legal: false,
    play: sending((answer) =>
      Buffer.concat([headOf(answer, { line: 'HTTP/1.0 200 OK', framing: CHUNKED }), chunks([answer.body])]),
    ),
    finds: invalid,
  },
  {
    id: 'framing/body-after-204',
    words: 'answers 204 and sends a body anyway',
    legal: false,
    play: headed({ line: 'HTTP/1.1 204 No Content' }),
    finds: otherStatus(204),
    fact: MORE_BYTES,
  },
  {
    id: 'framing/body-after-304',
    words: 'answers 304 and sends a body anyway',
    legal: false,
    play: headed({ line: 'HTTP/1.1 304 Not Modified' }),
    finds: otherStatus(304),
    fact: MORE_BYTES,
  },
  {
    id: 'framing/more-bytes',
    words: 'sends more bytes after the end of the answer',
    legal: false,
    play: sending((answer) => Buffer.concat([bytesOf(answer), Buffer.from('and more\r\n')])),
    finds: CLEAN,
    fact: MORE_BYTES,
  },
  {
    id: 'framing/two-answers',
    words: 'sends a second whole answer after the first',
    legal: false,
    play: sending(twoAnswers),
    finds: CLEAN,
    fact: MORE_BYTES,
  },
  {
    id: 'framing/late-second-answer',
    words: 'sends a second whole answer 50 ms after the first',
    legal: false,
    play: ({ socket, bytes }: Visit) => {
      socket.write(bytes);
      setTimeout(() => socket.end('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'), 50);
    },
    finds: CLEAN,
  },
];

function twoAnswers(answer: Answer): Buffer {
  const second = Buffer.from('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n');
  return Buffer.concat([bytesOf(answer), second]);
}
