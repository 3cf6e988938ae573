import type { Behaviour } from './behaviour.ts';
import { CLEAN, otherStatus, unanswered } from './finds.ts';
import { bytesOf, headed, sending } from './wire.ts';

const invalid = unanswered('invalid-http');

/** Sends another status line. */
function lined(id: string, words: string, make: (status: number) => string, legal = false): Behaviour {
  return {
    id: `status-lines/${id}`,
    words,
    legal,
    play: headed(({ status }) => ({ line: make(status) })),
    finds: legal ? CLEAN : invalid,
  };
}

/** Sends another status of three digits, which is read and is not the expected one. */
function numbered(status: number, words: string, legal = false): Behaviour {
  return {
    id: `status-lines/status-${status}`,
    words,
    legal,
    play: headed({ line: `HTTP/1.1 ${status} Odd` }),
    finds: otherStatus(status),
  };
}

function before(id: string, words: string, bytes: string | Buffer, legal = false): Behaviour {
  return {
    id: `status-lines/${id}`,
    words,
    legal,
    play: sending((answer) => Buffer.concat([Buffer.from(bytes as string), bytesOf(answer)])),
    finds: legal ? CLEAN : invalid,
  };
}

function instead(id: string, words: string, bytes: string | Buffer): Behaviour {
  return { id: `status-lines/${id}`, words, legal: false, play: sending(() => bytes), finds: invalid };
}

export const statusLines: readonly Behaviour[] = [
  lined('http-1.0', 'answers in HTTP/1.0', (status) => `HTTP/1.0 ${status} OK`, true),
  lined('http-1.2', 'answers in HTTP/1.2, to be read as HTTP/1.1', (status) => `HTTP/1.2 ${status} OK`, true),
  lined('http-2.0', 'answers in HTTP/2.0', (status) => `HTTP/2.0 ${status} OK`),
  lined('http-11', 'answers in HTTP/11', (status) => `HTTP/11 ${status} OK`),
  lined('lower-case', 'writes http/1.1 in lower case', (status) => `http/1.1 ${status} OK`),
  lined('no-reason', 'leaves the reason empty', (status) => `HTTP/1.1 ${status} `, true),
  lined('no-space', 'leaves out the reason and the space before it', (status) => `HTTP/1.1 ${status}`, true),
  lined('two-spaces', 'writes two spaces before the status', (status) => `HTTP/1.1  ${status} OK`),
  lined('tab', 'writes a tab before the status', (status) => `HTTP/1.1\t${status} OK`),
  lined('status-99', 'answers with the status 99', () => 'HTTP/1.1 99 Odd'),
  lined('status-099', 'answers with the status 099', () => 'HTTP/1.1 099 Odd'),
  lined('status-1000', 'answers with the status 1000', () => 'HTTP/1.1 1000 Odd'),
  lined('status-99999', 'answers with the status 99999', () => 'HTTP/1.1 99999 Odd'),
  lined('status-words', 'answers with letters for a status', () => 'HTTP/1.1 abc Odd'),
  lined('status-negative', 'answers with a negative status', () => 'HTTP/1.1 -200 Odd'),
  lined('status-plus', 'writes a plus before the status', (status) => `HTTP/1.1 +${status} Odd`),
  lined('status-decimal', 'writes a decimal point into the status', (status) => `HTTP/1.1 ${status}.0 Odd`),
  lined('status-missing', 'leaves out the status', () => 'HTTP/1.1'),
  numbered(600, 'answers with the status 600, which is undefined'),
  numbered(700, 'answers with the status 700, which is undefined'),
  numbered(999, 'answers with the status 999, which is undefined'),
  numbered(299, 'answers with the status 299, which is not registered', true),
  lined(
    'long-reason',
    'gives a reason of 20 KiB',
    (status) => `HTTP/1.1 ${status} ${'because '.repeat(2560)}`,
    true,
  ),
  {
    id: 'status-lines/reason-in-other-bytes',
    words: 'gives a reason in bytes that are not UTF-8, with a tab',
    legal: true,
    play: sending((answer) =>
      Buffer.concat([
        Buffer.from(`HTTP/1.1 ${answer.status} \xe9t\xe9\t\xff\r\n`, 'latin1'),
        bytesOf(answer).subarray(bytesOf(answer).indexOf('\r\n') + 2),
      ]),
    ),
    finds: CLEAN,
  },
  before('leading-garbage', 'sends garbage before the status line', 'garbage '),
  before('leading-space', 'sends a space before the status line', ' '),
  before('leading-empty-line', 'sends an empty line before the status line', '\r\n', true),
  before('byte-order-mark', 'sends a byte order mark before the status line', '\uFEFF'),
  before('continue', 'sends 100 Continue, which was not requested', 'HTTP/1.1 100 Continue\r\n\r\n', true),
  before(
    'early-hints',
    'sends 103 Early Hints with headers',
    'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n',
    true,
  ),
  before('unknown-1xx', 'sends 199, which is undefined, before the answer', 'HTTP/1.1 199 Odd\r\n\r\n', true),
  before(
    'switching-protocols',
    'switches protocols, which was not requested',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  ),
  {
    id: 'status-lines/http-0.9',
    words: 'sends the body alone, as HTTP/0.9 did',
    legal: false,
    play: sending(({ body }) => body),
    finds: invalid,
  },
  instead('icy', 'answers like an Icecast server: ICY 200 OK', 'ICY 200 OK\r\n\r\n{}'),
  instead('ssh', 'answers like an SSH server', 'SSH-2.0-OpenSSH_9.6\r\n'),
  instead('smtp', 'answers like a mail server', '220 mail.example.com ESMTP\r\n'),
  instead('tls-alert', 'answers with a TLS alert', Buffer.from([0x15, 3, 1, 0, 2, 2, 0x28])),
  instead('tls-hello', 'answers with the start of a TLS handshake', tlsHello()),
  instead(
    'http-2-frames',
    'answers with the settings frame of HTTP/2',
    Buffer.from('000012040000000000', 'hex'),
  ),
  instead('noise', 'answers with random bytes', noise(4096)),
];

/** A TLS record with a length that is too large. */
function tlsHello(): Buffer {
  return Buffer.concat([Buffer.from([0x16, 3, 3, 0x40, 0, 2, 0, 0x3f, 0xfc]), noise(512)]);
}

/** Bytes that look random, the same in every run. */
function noise(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 7919 + 104_729) % 251));
}
