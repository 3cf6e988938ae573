import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseParser } from '../../../src/probe/wire/response-parser.ts';
import type { WireState } from '../../../src/probe/wire/wire-response.ts';
import { LEGAL, OK, VIOLATIONS } from './responses.ts';

const LIMITS = { maxHeaderBytes: 2000, maxHeaderCount: 50, maxBodyBytes: 5000, maxInformational: 3 };

function parse(pieces: readonly (string | Buffer)[], method = 'GET'): WireState {
  const parser = new ResponseParser(method, LIMITS);
  for (const piece of pieces) {
    const state = parser.push(Buffer.from(piece as string, 'latin1'));
    if (state.kind !== 'incomplete') return state;
  }
  return parser.end();
}

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

  it.each(VIOLATIONS)('reports %s as a violation, split at every byte', (_name, bytes, message) => {
    for (const pieces of [[bytes], [...bytes]]) {
      const state = parse(pieces);
      expect(state.kind).toBe('violation');
      if (state.kind === 'violation') expect(state.message).toMatch(message);
    }
  });

  it.each(LIMITED)('stops at %s and reports a limit', (_name, bytes) => {
    for (const pieces of [[bytes], [...bytes]]) expect(parse(pieces).kind).toBe('limit');
  });

  it.each(['gzip, chunked', 'chunked, gzip', 'gzip', 'identity', 'deflate;q=1'])(
    'reads only the head with the transfer coding %s',
    (coding) => {
      const bytes = `HTTP/1.1 401 No\r\nTransfer-Encoding: ${coding}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
      for (const pieces of [[bytes], [...bytes]])
        expect(parse(pieces)).toMatchObject({
          kind: 'complete',
          response: {
            status: 401,
            framed: false,
            oddities: [],
            bodyProblem: { code: 'unasked-coding', fault: 'server' },
          },
        });
    },
  );

  it('ignores the transfer coding of an answer without a body', () => {
    const bytes = `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`;
    expect(parse([bytes], 'HEAD')).toMatchObject({ kind: 'complete', response: { bodyProblem: null } });
  });

  it('reports bytes after the end of the response', () => {
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

  it('terminates on any bytes, with the same result however they are split', () => {
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
