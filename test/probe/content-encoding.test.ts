import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeContent } from '../../src/probe/content-encoding.ts';

const MIB = 1024 * 1024;
const brotliSync = (bytes: Uint8Array | string): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

async function unpack(bytes: Buffer, coding: string | undefined, maxBytes = 8 * MIB): Promise<Buffer> {
  const decoded = await decodeContent(bytes, coding, maxBytes);
  if ('failure' in decoded) throw new Error(decoded.failure.message);
  return decoded.bytes;
}

async function failureOf(bytes: Buffer, coding: string, maxBytes = 8 * MIB) {
  const decoded = await decodeContent(bytes, coding, maxBytes);
  if ('bytes' in decoded) throw new Error(`it was decoded: ${decoded.bytes.subarray(0, 80)}`);
  return decoded.failure;
}

const JSON_BODY = '{"status":"ok","names":["Zürich","東京","🚀"]}';
const PACKERS: readonly (readonly [coding: string, pack: (bytes: Uint8Array | string) => Buffer])[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliSync],
];

describe('a body is decoded', () => {
  test.each([
    ['without a coding', undefined, Buffer.from(JSON_BODY)],
    ['with an empty coding', ' , ', Buffer.from(JSON_BODY)],
    ['as identity', 'identity', Buffer.from(JSON_BODY)],
    ['as identity several times', 'identity,Identity, IDENTITY,identity,identity', Buffer.from(JSON_BODY)],
    ['gzip', 'gzip', gzipSync(JSON_BODY)],
    ['gzip as x-gzip', 'x-gzip', gzipSync(JSON_BODY)],
    ['gzip in capitals', 'GZIP', gzipSync(JSON_BODY)],
    ['gzip without compression', 'gzip', gzipSync(JSON_BODY, { level: 0 })],
    ['deflate with zlib framing', 'deflate', deflateSync(JSON_BODY)],
    ['deflate with a smaller window', 'deflate', deflateSync(JSON_BODY, { windowBits: 9, level: 9 })],
    ['raw deflate', 'Deflate', deflateRawSync(JSON_BODY)],
    ['br', 'Br', brotliCompressSync(JSON_BODY)],
    ['gzip twice', 'gzip, gzip', gzipSync(gzipSync(JSON_BODY))],
    ['deflate, then br', 'deflate,br', brotliSync(deflateSync(JSON_BODY))],
    [
      'three codings and identity',
      'br, identity, gzip , deflate',
      deflateSync(gzipSync(brotliSync(JSON_BODY))),
    ],
    [
      'gzip with two members',
      'gzip',
      Buffer.concat([gzipSync('{"status":"ok",'), gzipSync(JSON_BODY.slice(15))]),
    ],
    ['gzip with empty members', 'gzip', Buffer.concat([gzipSync(''), gzipSync(JSON_BODY), gzipSync('')])],
    ['gzip with a file name', 'gzip', named(gzipSync(JSON_BODY))],
  ])('%s', async (_, coding, bytes) => {
    expect((await unpack(bytes, coding)).toString()).toBe(JSON_BODY);
  });

  /** Adds the flag and the field for a file name (RFC 1952, section 2.3). */
  function named(member: Buffer): Buffer {
    const head = Buffer.from(member.subarray(0, 10));
    head[3] = 0x08;
    return Buffer.concat([head, Buffer.from('body.json\0'), member.subarray(10)]);
  }

  test.each(['gzip', 'br', 'identity', 'zstd', 'gzip, gzip, gzip, gzip'])(
    'if it is empty, with any coding: %s',
    async (coding) => {
      expect(await unpack(Buffer.alloc(0), coding)).toHaveLength(0);
    },
  );

  test.each(PACKERS)('if it is %s of an empty body', async (coding, pack) => {
    expect(await unpack(pack(''), coding)).toHaveLength(0);
  });

  test('for any content of any length', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.nat({ max: 4000 })).map(([unit, times]) => {
        return Buffer.concat(Array(times).fill(unit));
      }),
      fc.tuple(fc.nat(), fc.nat({ max: 300_000 })).map(([seed, length]) => noise(seed, length)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom(...PACKERS), async (body, [coding, pack]) => {
        const packed = pack(body);
        fc.pre(body.length <= Math.max(MIB, packed.length * 200));
        expect((await unpack(packed, coding)).equals(body)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  /** Incompressible bytes. */
  function noise(seed: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    let state = seed;
    for (let at = 0; at < length; at += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[at] = state >>> 24;
    }
    return bytes;
  }
});

describe('the server is at fault', () => {
  test.each(PACKERS)('for %s that is cut off at any byte', async (coding, pack) => {
    const packed = pack(JSON_BODY);
    for (let length = 1; length < packed.length; length += 1) {
      const failure = await failureOf(packed.subarray(0, length), coding);
      expect(failure).toEqual({
        code: 'undecodable-body',
        fault: 'server',
        message: `the body cannot be decoded: it is not valid ${coding}`,
      });
    }
  });

  test('for gzip with a second member that is cut off', async () => {
    const member = gzipSync(JSON_BODY);
    for (const length of [1, 2, 9, 10, 11, member.length - 9, member.length - 1]) {
      const bytes = Buffer.concat([member, member.subarray(0, length)]);
      expect((await failureOf(bytes, 'gzip')).fault).toBe('server');
    }
  });

  test.each(PACKERS)('for any bytes after the end of its %s', async (coding, pack) => {
    for (const excess of ['\n', 'garbage', '\0\0\0\0', JSON_BODY]) {
      const failure = await failureOf(Buffer.concat([pack(JSON_BODY), Buffer.from(excess)]), coding);
      expect(failure).toMatchObject({ code: 'undecodable-body', fault: 'server' });
    }
    if (coding === 'gzip') return;
    const failure = await failureOf(Buffer.concat([pack(JSON_BODY), Buffer.from('garbage')]), coding);
    expect(failure.message).toBe(`the body cannot be decoded: 7 bytes follow the end of its ${coding}`);
  });

  test('for a wrong checksum and for a wrong length', async () => {
    for (const at of [-8, -4]) {
      const bytes = gzipSync(JSON_BODY);
      bytes.writeUInt8((bytes.at(at) ?? 0) ^ 1, bytes.length + at);
      expect((await failureOf(bytes, 'gzip')).message).toBe(
        'the body cannot be decoded: it is not valid gzip',
      );
    }
  });

  test.each([
    ['zstd', '"zstd"'],
    ['compress', '"compress"'],
    ['gzip, Zstd', '"Zstd"'],
    ['constructor', '"constructor"'],
    ['__proto__', '"__proto__"'],
    ['gzip;q=1', '"gzip;q=1"'],
    ['g zip', '"g zip"'],
  ])('for an unrequested, unknown coding: %s', async (coding, said) => {
    const failure = await failureOf(gzipSync(JSON_BODY), coding);
    expect(failure).toEqual({
      code: 'unasked-coding',
      fault: 'server',
      message: `the body cannot be read: it comes in the content coding ${said}, but the request asked for identity`,
    });
  });

  test('for codings in the wrong order', async () => {
    expect((await failureOf(gzipSync(brotliSync(JSON_BODY)), 'gzip, br')).message).toContain('not valid br');
  });
});

describe('the harness limits', () => {
  const zeros = (bytes: number): Buffer => Buffer.alloc(bytes);

  test.each(PACKERS)('%s: the decoded bytes', async (coding, pack) => {
    expect(await unpack(pack(zeros(50_000)), coding, 50_000)).toHaveLength(50_000);
    expect(await failureOf(pack(zeros(50_001)), coding, 50_000)).toEqual({
      code: 'body-too-large',
      fault: 'harness',
      message: 'the body unpacks to more than 50000 bytes, which is more than the harness reads',
    });
  });

  test.each(PACKERS)('%s: bodies above one MiB by their ratio', async (coding, pack) => {
    const free = pack(zeros(MIB));
    expect(free.length).toBeLessThan(MIB / 200);
    expect(await unpack(free, coding)).toHaveLength(MIB);
    const bomb = pack(zeros(MIB + 1));
    expect(await failureOf(bomb, coding)).toEqual({
      code: 'body-too-large',
      fault: 'harness',
      message: `the body unpacks to more than 200 times its ${bomb.length} bytes, which is more than the harness reads`,
    });
  });

  test('the ratio to 200', async () => {
    // Alternating stored and compressed members can produce any ratio.
    const member = gzipSync(zeros(2 * MIB));
    const filler = (bytes: number): Buffer => gzipSync(zeros(bytes - 23), { level: 0 });
    const enough = Buffer.concat([member, filler(Math.ceil((2 * MIB) / 199) - member.length)]);
    const tooFew = Buffer.concat([member, filler(Math.floor((2 * MIB) / 205) - member.length)]);
    expect((await unpack(enough, 'gzip')).length).toBeGreaterThan(2 * MIB);
    expect((await failureOf(tooFew, 'gzip')).message).toContain('200 times');
  });

  test('the ratio to the received bytes, also of a bomb in a bomb', async () => {
    const inner = Buffer.concat(
      Array<Buffer>(4).fill(Buffer.concat([gzipSync(zeros(MIB)), gzipSync(zeros(6000), { level: 0 })])),
    );
    const bomb = gzipSync(inner);
    // Each coding alone stays within the limit.
    expect((await unpack(inner, 'gzip')).length).toBeGreaterThan(4 * MIB);
    expect((await unpack(bomb, 'gzip')).length).toBe(inner.length);
    const failure = await failureOf(bomb, 'gzip, gzip');
    expect(failure).toMatchObject({ code: 'body-too-large', fault: 'harness' });
    expect(failure.message).toContain(`200 times its ${bomb.length} bytes`);
  });

  test('the number of codings to three, although more are legal', async () => {
    const packed = gzipSync(gzipSync(gzipSync(gzipSync(JSON_BODY))));
    expect(await failureOf(packed, 'gzip, gzip, gzip, gzip')).toEqual({
      code: 'undecodable-body',
      fault: 'harness',
      message: 'the body has 4 content codings, which is more than the harness decodes (3)',
    });
  });
});

describe('decoding', () => {
  test('limits or refuses any bytes in any coding', async () => {
    const corrupted = fc
      .tuple(
        fc.constantFrom(...PACKERS),
        fc.string({ maxLength: 200 }),
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
      )
      .map(([[, pack], text, place, value]) => {
        const packed = pack(text.repeat(5));
        packed[place % packed.length] = value;
        return packed;
      });
    const codings = fc
      .array(fc.constantFrom('gzip', 'deflate', 'br', 'x-gzip', 'identity', 'GZIP', 'zstd', '', ' '), {
        maxLength: 5,
      })
      .map((parts) => parts.join(','));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(corrupted, fc.uint8Array({ maxLength: 300 }).map(Buffer.from)),
        fc.oneof(codings, fc.string()),
        async (bytes, coding) => {
          const decoded = await decodeContent(Buffer.from(bytes), coding, 500);
          if ('bytes' in decoded)
            expect(decoded.bytes.length).toBeLessThanOrEqual(Math.max(500, bytes.length));
          else
            expect(['undecodable-body', 'unasked-coding', 'body-too-large']).toContain(decoded.failure.code);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
