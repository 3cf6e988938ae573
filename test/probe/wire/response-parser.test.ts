import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser, type WireState } from '../../../src/probe/wire/response-parser.ts';

const LIMITS = { maxHeaderBytes: 2000, maxHeaderCount: 50, maxBodyBytes: 5000, maxInformational: 3 };

function parse(pieces: readonly (string | Buffer)[], method = 'GET'): WireState {
  const parser = createResponseParser(method, LIMITS);
  for (const piece of pieces) {
    const state = parser.push(Buffer.from(piece as string, 'latin1'));
    if (state.kind !== 'incomplete') return state;
  }
  return parser.end();
}

const OK = 'HTTP/1.1 200 OK\r\n';

interface Legal {
  readonly name: string;
  readonly bytes: string;
  readonly body: string;
  readonly method?: string;
  readonly status?: number;
}

const LEGAL: readonly Legal[] = [
  { name: 'a length', bytes: `${OK}Content-Length: 2\r\n\r\n{}`, body: '{}' },
  {
    name: 'an equal length twice',
    bytes: `${OK}Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}`,
    body: '{}',
  },
  { name: 'an equal length in a list', bytes: `${OK}Content-Length: 2, 2\r\n\r\n{}`, body: '{}' },
  { name: 'no reason phrase', bytes: 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', body: '' },
  { name: 'bare line feeds', bytes: 'HTTP/1.1 200 OK\nContent-Length: 2\n\n{}', body: '{}' },
  { name: 'HTTP/1.0 until the connection closes', bytes: 'HTTP/1.0 200 OK\r\n\r\nabc', body: 'abc' },
  { name: 'a later minor version', bytes: 'HTTP/1.2 200 OK\r\nContent-Length: 1\r\n\r\nx', body: 'x' },
  {
    name: 'chunks',
    bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
    body: 'abcde',
  },
  {
    name: 'chunk extensions and trailers',
    bytes: `${OK}Transfer-Encoding: Chunked\r\n\r\n1;a=b\r\nx\r\n0;last\r\nX-T: 1\r\n\r\n`,
    body: 'x',
  },
  { name: 'no body with 204', bytes: 'HTTP/1.1 204 No Content\r\n\r\n', body: '', status: 204 },
  { name: 'no body with HEAD', bytes: `${OK}Content-Length: 5\r\n\r\n`, body: '', method: 'HEAD' },
  {
    name: 'informational responses',
    bytes: `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}Content-Length: 1\r\n\r\nx`,
    body: 'x',
  },
  {
    name: 'a folded header',
    bytes: `${OK}X: a\r\n  b\r\nContent-Length: 1\r\n\r\nx`,
    body: 'x',
  },
  { name: 'an empty line first', bytes: `\r\n${OK}Content-Length: 1\r\n\r\nx`, body: 'x' },
];

const VIOLATIONS: readonly (readonly [name: string, bytes: string, message: RegExp])[] = [
  ['nothing', '', /without an answer/],
  ['another protocol', 'SSH-2.0-x\r\n', /status line/],
  ['another protocol, without lines', '\x15\x03\x01\0\x02\x02\x28', /status line is not one of HTTP/],
  ['a status line cut off', 'HTTP/1.1 2', /middle of the status line/],
  ['HTTP/2 in text', 'HTTP/2.0 200 OK\r\n\r\n', /HTTP\/2\.0/],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', /status line/],
  ['a status below 100', 'HTTP/1.1 099 Low\r\n\r\n', /not a status/],
  ['two spaces', 'HTTP/1.1  200 OK\r\n\r\n', /status line/],
  ['different lengths', `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `, /given twice/],
  ['a negative length', `${OK}Content-Length: -1\r\n\r\n`, /not a number/],
  ['a length with a plus', `${OK}Content-Length: +1\r\n\r\nx`, /not a number/],
  [
    'a length and chunks',
    `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    /both/,
  ],
  ['chunks that are not the last coding', `${OK}Transfer-Encoding: chunked, gzip\r\n\r\n`, /not in chunked/],
  ['a body shorter than its length', `${OK}Content-Length: 5\r\n\r\nabc`, /shorter/],
  ['a chunk shorter than its size', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`, /chunked body/],
  [
    'a chunk longer than its size',
    `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n`,
    /longer than its size/,
  ],
  ['no last chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`, /chunked body/],
  ['a chunk size that is none', `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`, /chunk size/],
  [
    'chunks in chunks',
    `${OK}Transfer-Encoding: chunked, chunked\r\n\r\n3\r\n0\r\n\r\n0\r\n\r\n`,
    /chunked more than once/,
  ],
  ['a negative chunk size', `${OK}Transfer-Encoding: chunked\r\n\r\n-1\r\n`, /chunk size/],
  ['a space before the colon', `${OK}Content-Length : 1\r\n\r\nx`, /not a header line/],
  ['a header without a colon', `${OK}nonsense\r\n\r\n`, /not a header line/],
  ['a NUL in a header', `${OK}X: a\0b\r\n\r\n`, /NUL/],
  ['an unasked switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', /101/],
  ['headers cut off', `${OK}X: a\r\n`, /middle of the headers/],
];

const LIMITED: readonly (readonly [name: string, bytes: string])[] = [
  ['a large header', `${OK}X: ${'x'.repeat(3000)}\r\n\r\n`],
  ['a header that never ends', `${OK}X: ${'x'.repeat(3000)}`],
  ['many headers', `${OK}${'a: b\r\n'.repeat(100)}\r\n`],
  ['many informational responses', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(5)],
  ['a large body', `${OK}Content-Length: 6000\r\n\r\n${'x'.repeat(6000)}`],
  ['an endless body', `${OK}\r\n${'x'.repeat(6000)}`],
  ['a chunk of 16 digits', `${OK}Transfer-Encoding: chunked\r\n\r\n${'F'.repeat(16)}\r\n${'x'.repeat(6000)}`],
  ['a huge chunk', `${OK}Transfer-Encoding: chunked\r\n\r\nfffffff\r\n${'x'.repeat(6000)}`],
  ['an endless chunk extension', `${OK}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(3000)}`],
  ['endless trailers', `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(400)}`],
  ['another transfer coding', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
];

describe('the response parser', () => {
  it.each(LEGAL)('reads $name, split at every byte', ({ bytes, body, method = 'GET', status = 200 }) => {
    const splits = [
      [bytes],
      [...bytes],
      ...Array.from({ length: bytes.length - 1 }, (_, at) => [bytes.slice(0, at + 1), bytes.slice(at + 1)]),
    ];
    for (const pieces of splits) {
      const state = parse(pieces, method);
      expect(state).toMatchObject({ kind: 'complete', response: { status } });
      if (state.kind === 'complete') expect(state.response.body.toString('latin1')).toBe(body);
    }
  });

  it.each(VIOLATIONS)('calls %s a violation, split at every byte', (_name, bytes, message) => {
    for (const pieces of [[bytes], [...bytes]]) {
      const state = parse(pieces);
      expect(state.kind).toBe('violation');
      if (state.kind === 'violation') expect(state.message).toMatch(message);
    }
  });

  it.each(LIMITED)('stops at %s, and calls it a limit of its own', (_name, bytes) => {
    for (const pieces of [[bytes], [...bytes]]) expect(parse(pieces).kind).toBe('limit');
  });

  it('tells what came after the end of the response', () => {
    expect(parse([`${OK}Content-Length: 2\r\n\r\n{}garbage`])).toMatchObject({
      response: { oddities: ['more bytes follow the end of the answer'] },
    });
  });

  it('keeps headers, trailers and the number of informational responses', () => {
    const bytes = `HTTP/1.1 103 Early Hints\r\n\r\n${OK}A:  b \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: u\r\n\r\n`;
    expect(parse([bytes])).toMatchObject({
      response: {
        headers: [
          ['A', 'b'],
          ['Transfer-Encoding', 'chunked'],
        ],
        trailers: [['T', 'u']],
        informational: 1,
        version: '1.1',
      },
    });
  });

  it('ends on any bytes, and says the same however they are split', () => {
    const token = fc.constantFrom(
      OK,
      '\r\n',
      '\n',
      '\r',
      ' ',
      ':',
      'Content-Length: 3',
      'Transfer-Encoding: chunked',
      '\r\n\r\n',
      '3\r\nabc\r\n',
      '0\r\n\r\n',
      'x',
      '\0',
      'HTTP/1.1 100 C\r\n\r\n',
    );
    const bytes = fc.oneof(
      fc.array(token).map((tokens) => tokens.join('')),
      fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort(
          (left, right) => left - right,
        );
        const pieces = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
        const whole = parse([text]);
        const split = parse(pieces);
        expect(split.kind).toBe(whole.kind);
        if (whole.kind === 'complete' && split.kind === 'complete') {
          expect(split.response.body.equals(whole.response.body)).toBe(true);
          expect(split.response.headers).toEqual(whole.response.headers);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
