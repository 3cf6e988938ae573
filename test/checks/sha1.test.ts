import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha1 } from '../../src/checks/transport/sha1.ts';

const expected = (text: string): string => createHash('sha1').update(text, 'latin1').digest('hex');
const actual = (text: string): string => Buffer.from(sha1(text)).toString('hex');

describe('SHA-1', () => {
  test.each([
    ['', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq', '84983e441c3bd26ebaae4aa1f95129e5e54670f1'],
  ])('of %j, as FIPS 180-4 has it', (text, digest) => {
    expect(actual(text)).toBe(digest);
  });

  test('of every length over several blocks, as OpenSSL has it', () => {
    for (let length = 0; length <= 300; length += 1) {
      const text = Array.from({ length }, (_, index) => String.fromCharCode((index * 7 + length) % 128)).join(
        '',
      );
      expect(actual(text), `${length} characters`).toBe(expected(text));
    }
    const long = 'probity'.repeat(20_000);
    expect(actual(long)).toBe(expected(long));
  });

  test('of any text of ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 500 }), (text) => {
        expect(actual(text)).toBe(expected(text));
      }),
    );
  });
});
