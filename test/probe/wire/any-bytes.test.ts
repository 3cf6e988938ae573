import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createByteCollector } from '../../../src/probe/wire/byte-collector.ts';
import { ResponseParser } from '../../../src/probe/wire/response-parser.ts';

import { trimmedValue, type WireState } from '../../../src/probe/wire/wire-response.ts';

const LIMITS = { maxHeaderBytes: 300, maxHeaderCount: 12, maxBodyBytes: 200, maxInformational: 2 };
const WIDE = { maxHeaderBytes: 1e6, maxHeaderCount: 1e5, maxBodyBytes: 1e7, maxInformational: 16 };

/** Mostly valid: each part is usually the normal one. */
const mostly = <T>(usual: T, ...odd: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd, usual) },
  );
const lineEnd = mostly('\r\n', '\n', '\r', '\r\r\n', '');
const statusLine = fc
  .tuple(
    mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.10', ''),
    mostly(' ', '  ', '\t', ''),
    mostly('200', '204', '304', '404', '599', '999', '099', '20', '2000', '101'),
    mostly(' OK', '', ' ', ' é\0', ' \u0080\u00FF', 'OK'),
  )
  .map((parts) => parts.join(''));
const headerLine = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('Content-Type: application/json', 'Date: x', 'a:', 'A: \t b \t', 'x:y:z'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      ' folded',
      ':none',
      'no colon',
      'a b: c',
      'a : b',
      'é: é',
      'n: \0',
      'r: a\rb',
    ),
  },
  { weight: 1, arbitrary: fc.nat({ max: 400 }).map((length) => `long: ${'x '.repeat(length / 2)}`) },
);
const latin1 = fc.string({
  unit: fc.nat({ max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
const bodyText = fc.oneof(latin1, fc.constantFrom('', '{}', 'x'.repeat(200), 'x'.repeat(201)));

const chunk = fc
  .tuple(bodyText, mostly('', ';a=b', ' \t', ' ;x', ';\0', 'g', ' g'), lineEnd, lineEnd, mostly(0, 1, -1))
  .map(([text, extension, first, second, off]) => {
    const size = Math.max(0, text.length + off).toString(16);
    return `${size}${extension}${first}${text}${second}`;
  });
const framed = fc.oneof(
  fc
    .tuple(bodyText, mostly(0, 1, -1, 500))
    .map(([text, off]): readonly [string, string] => [`Content-Length: ${text.length + off}`, text]),
  fc
    .tuple(
      fc.array(chunk, { maxLength: 4 }),
      mostly('0\r\n\r\n', '0\r\nT: u\r\n\r\n', '000;z\n\n', '', '0\r\n', '-0\r\n\r\n', '0\r\n bad\r\n\r\n'),
      mostly('chunked', 'Chunked', 'gzip, chunked', 'chunked, gzip', '', 'chunked, chunked'),
    )
    .map(([chunks, last, coding]): readonly [string, string] => [
      `Transfer-Encoding: ${coding}`,
      chunks.join('') + last,
    ]),
  bodyText.map((text): readonly [string, string] => ['Connection: close', text]),
  bodyText.map((text): readonly [string, string] => ['Content-Length: 2, 2\r\nContent-Length: 2', text]),
  bodyText.map((text): readonly [string, string] => [
    'Content-Length: 2\r\nTransfer-Encoding: chunked',
    text,
  ]),
);
const response = fc
  .tuple(
    mostly('', '\r\n', '\n\r\n', ' '),
    fc.array(fc.constantFrom('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early\r\nLink: x\r\n\r\n'), {
      maxLength: 3,
    }),
    statusLine,
    lineEnd,
    fc.array(fc.tuple(headerLine, lineEnd), { maxLength: 5 }),
    framed,
    mostly('', 'more', 'HTTP/1.1 200 OK\r\n\r\n'),
  )
  .map(([before, informational, status, end, headers, [framing, body], after]) => {
    const lines = headers.map(([line, lineEnding]) => line + lineEnding).join('');
    return `${before}${informational.join('')}${status}${end}${lines}${framing}${end}${end}${body}${after}`;
  });
const corrupted = fc
  .tuple(response, fc.nat(), fc.nat({ max: 4 }), latin1)
  .map(([text, place, removed, added]) => {
    const at = place % (text.length + 1);
    return text.slice(0, at) + added + text.slice(at + removed);
  });
const anyBytes = fc
  .oneof({ weight: 4, arbitrary: response }, { weight: 2, arbitrary: corrupted }, latin1)
  .map((text) => Buffer.from(text, 'latin1'));
const method = mostly('GET', 'HEAD', 'POST');

function splitAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((left, right) => left - right);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

/** Feeds all pieces, even after the parser has an outcome, and then the end. */
function feed(
  pieces: readonly Buffer[],
  requestMethod: string,
  limits = LIMITS,
): readonly [ResponseParser, WireState] {
  const parser = new ResponseParser(requestMethod, limits);
  for (const piece of pieces) parser.push(piece);
  return [parser, parser.end()];
}

describe('any bytes', () => {
  test('give the same result however they are split', () => {
    fc.assert(
      fc.property(anyBytes, method, fc.array(fc.nat(), { maxLength: 6 }), (bytes, requestMethod, cuts) => {
        const [, whole] = feed([bytes], requestMethod);
        expect(feed(splitAt(bytes, cuts), requestMethod)[1]).toEqual(whole);
        expect(
          feed(
            [...bytes].map((byte) => Buffer.of(byte)),
            requestMethod,
          )[1],
        ).toEqual(whole);
        expect(whole.kind).not.toBe('incomplete');
      }),
      { numRuns: 2000 },
    );
  });

  test('include enough responses, violations and exceeded limits', () => {
    const kinds = fc
      .sample(fc.tuple(anyBytes, method), { numRuns: 2000, seed: 7 })
      .map(([bytes, requestMethod]) => {
        const [, state] = feed([bytes], requestMethod);
        return state.kind === 'complete' ? `${state.kind} ${state.response.body.length > 0}` : state.kind;
      });
    for (const kind of ['complete true', 'complete false', 'violation', 'limit'])
      expect(kinds.filter((each) => each === kind).length, kind).toBeGreaterThan(40);
  });

  test('after the end only add the excess oddity', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (bytes, more) => {
        const [parser, before] = feed([bytes], 'GET');
        const after = parser.push(more);
        const expected =
          // Everything after a head with an unreadable body belongs to that body.
          before.kind === 'complete' && before.response.bodyProblem === null && more.length > 0
            ? {
                ...before,
                response: {
                  ...before.response,
                  oddities: [
                    ...new Set([...before.response.oddities, 'more bytes follow the end of the answer']),
                  ],
                },
              }
            : before;
        expect(after).toEqual(expected);
        expect(parser.end()).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('of a body may be overwritten after they were pushed', () => {
    const parser = new ResponseParser('GET', LIMITS);
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab');
    parser.push(bytes);
    bytes.fill(0);
    const state = parser.push(Buffer.from('cd'));
    expect(state).toMatchObject({ kind: 'complete', response: { body: Buffer.from('abcd') } });
  });
});

describe('the CPU time to parse an answer', () => {
  const OK = 'HTTP/1.1 200 OK\r\n';
  const RUNS = 5;
  const SHORT = 64_000;
  /** Ten times as many bytes take ten times as long, or a hundred times if the work is quadratic. */
  const GROWTH = 10;
  const MAX_GROWTH = 40;
  /** Below this, other work of the process dominates. */
  const FLOOR_US = 5000;

  function cpuTimeUs(bytes: Buffer, size: number): number {
    const parser = new ResponseParser('GET', WIDE);
    const before = process.cpuUsage();
    for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
    parser.end();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  test.each([
    ['one long header', (length: number) => `${OK}a: ${'x'.repeat(length)}`],
    ['spaces in a header', (length: number) => `${OK}a: x${' '.repeat(length)}x\r\n`],
    ['many headers', (length: number) => `${OK}${'a: b\r\n'.repeat(length / 6)}`],
    ['empty lines', (length: number) => '\r\n'.repeat(length / 2)],
    ['a body', (length: number) => `${OK}Content-Length: ${length}\r\n\r\n${'x'.repeat(length)}`],
    ['an endless body', (length: number) => `${OK}\r\n${'x'.repeat(length)}`],
    [
      'chunks of one byte',
      (length: number) => `${OK}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(length / 6)}`,
    ],
    [
      'a chunk extension',
      (length: number) => `${OK}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(length)}`,
    ],
  ])('grows linearly with the bytes: %s', (_, textOf) => {
    const short = Buffer.from(textOf(SHORT));
    const long = Buffer.from(textOf(GROWTH * SHORT));
    for (const sizeOf of [() => 1, () => 7, (bytes: Buffer) => bytes.length]) {
      // The first calls include compiling the parser.
      cpuTimeUs(short, sizeOf(short));
      // Other work of the machine can only add time, so the minimum counts: one long run within the limit decides.
      const shortUs = Math.min(...Array.from({ length: RUNS }, () => cpuTimeUs(short, sizeOf(short))));
      const maxUs = MAX_GROWTH * Math.max(shortUs, FLOOR_US);
      let longUs = cpuTimeUs(long, sizeOf(long));
      for (let run = 1; run < RUNS && longUs >= maxUs; run += 1) longUs = cpuTimeUs(long, sizeOf(long));
      expect(longUs).toBeLessThan(maxUs);
    }
  });
});

describe('a body in many parts', () => {
  test('is joined like Buffer.concat', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 900, size: 'max' }), { maxLength: 6 }), (parts) => {
        const whole = Buffer.concat(parts);
        const collector = createByteCollector();
        for (const part of parts) {
          collector.add(part);
          part.fill(0);
        }
        expect(collector.length()).toBe(whole.length);
        expect(collector.whole().equals(whole)).toBe(true);
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });

  test('takes little more memory than its bytes', () => {
    const collector = createByteCollector();
    for (let count = 0; count < 1_000_000; count += 1) collector.add(Buffer.of(1 + (count % 255)));
    const whole = collector.whole();
    expect(whole.length).toBe(1_000_000);
    expect(whole.buffer.byteLength).toBeLessThanOrEqual(2_097_152);
    expect([whole[0], whole[999_999]]).toEqual([1, 1 + (999_999 % 255)]);
  });
});

describe('the value of a header', () => {
  test.each([
    ['', ''],
    [' \t ', ''],
    ['a', 'a'],
    ['\t a \t b \t', 'a \t b'],
    ['\u00A0a\u00A0', '\u00A0a\u00A0'],
  ])('%j is trimmed', (text, value) => {
    expect(trimmedValue(text)).toBe(value);
  });

  test('is the same as with a regular expression', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(' ', '\t', 'a', '\n') }), (text) => {
        expect(trimmedValue(text)).toBe(text.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
      }),
    );
  });
});
