import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAnswerStream, type KnownHeads } from '../../../src/probe/wire/answer-stream.ts';
import { LEGAL, OK, VIOLATIONS } from './responses.ts';

const LIMITS = { maxHeaderBytes: 2000, maxHeaderCount: 50, maxBodyBytes: 5000, maxInformational: 3 };

/** The outcomes of successive answers, each in pieces, up to the first bad one. */
function read(answers: readonly (readonly string[])[], heads: KnownHeads): readonly string[] {
  const stream = createAnswerStream(['GET'], LIMITS, heads);
  const seen: string[] = [];
  for (const pieces of answers) {
    stream.expect(0);
    let answer = null;
    for (const piece of pieces) {
      const shared = Buffer.from(piece, 'latin1');
      answer = stream.push(shared) ?? answer;
      // The caller may reuse the buffer.
      shared.fill('#');
    }
    answer ??= stream.end();
    seen.push(
      answer === null
        ? 'nothing'
        : answer.kind === 'bad'
          ? `bad ${answer.code}`
          : `${answer.status} ${answer.reusable}`,
    );
    if (answer?.kind !== 'complete' || !answer.reusable) break;
  }
  return seen;
}

const PLAIN = `${OK}Content-Length: 5\r\n\r\nhello`;
const answers = [
  ...LEGAL.filter(({ method }) => method === undefined).map(({ bytes }) => bytes),
  ...VIOLATIONS.map(([, bytes]) => bytes),
  PLAIN,
  `${OK}Content-Length: 5\r\n\r\nother`,
  `${OK}Content-Length: 6\r\n\r\nlonger`,
  `${PLAIN}more`,
  `${OK}Content-Length: 0\r\n\r\n`,
  `${OK}Connection: close\r\nContent-Length: 5\r\n\r\nhello`,
  'HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nhello',
];

const inPieces = fc
  .tuple(fc.constantFrom(...answers), fc.array(fc.nat(), { maxLength: 4 }))
  .map(([bytes, cuts]) => {
    const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
      (a, b) => a - b,
    );
    return at.slice(1).map((to, index) => bytes.slice(at[index], to));
  });

describe('successive answers', () => {
  test('are read like single answers, whatever heads are known', () => {
    fc.assert(
      fc.property(fc.array(inPieces, { minLength: 1, maxLength: 8 }), (pieces) => {
        const known: KnownHeads = [];
        const together = read(pieces, known);
        const alone = pieces.slice(0, together.length).flatMap((one) => read([one], []));
        expect(together).toEqual(alone);
        expect(read(pieces, known)).toEqual(together);
      }),
      { numRuns: 3000 },
    );
  });

  test('never throw or loop on any bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 }),
        fc.boolean(),
        (chunks, known) => {
          const heads: KnownHeads = [];
          if (known) read([[PLAIN]], heads);
          const text = chunks.map((chunk) => Buffer.from(chunk).toString('latin1'));
          expect(read([text, [PLAIN]], heads).length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('are distinguished from unrequested bytes', () => {
    const stream = createAnswerStream(['GET'], LIMITS, []);
    expect(stream.push(Buffer.from(PLAIN))).toMatchObject({ kind: 'bad', code: 'invalid-http' });
    expect(stream.end()).toBeNull();
    stream.expect(0);
    expect(stream.push(Buffer.from(PLAIN))).toMatchObject({ status: 200 });
    expect(stream.push(Buffer.from(PLAIN))).toMatchObject({ kind: 'bad' });
  });

  test('are incomplete if they are cut off after a known head', () => {
    const heads: KnownHeads = [];
    expect(read([[PLAIN], [PLAIN.slice(0, -2)]], heads)).toEqual(['200 true', 'bad closed-early']);
    expect(read([[PLAIN], [PLAIN.slice(0, -2), 'lo']], heads)).toEqual(['200 true', '200 true']);
    expect(read([[PLAIN], [PLAIN.slice(0, -2), 'lo!']], heads)).toEqual(['200 true', '200 false']);
  });
});
