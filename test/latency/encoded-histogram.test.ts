import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import { decodeHistogram, encodeHistogram } from '../../src/latency/encoded-histogram.ts';
import { bucketsOf, createHistogram, HIGHEST_US, type Histogram } from '../../src/latency/histogram.ts';

const valueAndCount = fc.tuple(
  fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: HIGHEST_US })),
  fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 1e12 })),
);
const valuesAndCounts = fc.uniqueArray(valueAndCount, { maxLength: 60 });

type Values = readonly (readonly [us: number, count: number])[];

function libraryHistogram(values: Values) {
  const library = build({ highestTrackableValue: HIGHEST_US, bitBucketSize: 64, autoResize: false });
  for (const [us, count] of values) library.recordValueWithCount(us, count);
  return library;
}

function decoded(text: string): Histogram {
  const histogram = decodeHistogram(text);
  if (histogram === null) throw new Error('This is not a histogram.');
  return histogram;
}

/** Decoded from the library's output, so that our encoder is not tested against itself. */
function decodedHistogram(values: Values): Histogram {
  return decoded(encodeIntoCompressedBase64(libraryHistogram(values)));
}

function framed(data: Uint8Array): string {
  const compressed = deflateSync(data);
  const envelope = Buffer.alloc(8);
  envelope.writeInt32BE(0x1c849314, 0);
  envelope.writeInt32BE(compressed.length, 4);
  return Buffer.concat([envelope, compressed]).toString('base64');
}

function header({ cookie = 0x1c849313, length = 1, digits = 3, unit = 1n }): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.writeInt32BE(cookie, 0);
  bytes.writeInt32BE(length, 4);
  bytes.writeInt32BE(digits, 12);
  bytes.writeBigInt64BE(unit, 16);
  bytes.writeBigInt64BE(BigInt(HIGHEST_US), 24);
  return bytes;
}

describe('an encoded histogram', () => {
  test('has the same counts after decoding', () => {
    fc.assert(
      fc.property(valuesAndCounts, (values) => {
        const counts = decodedHistogram(values);
        const read = decoded(encodeHistogram(counts));
        expect([...bucketsOf(read)]).toEqual([...bucketsOf(counts)]);
        expect(read.totalCount).toBe(counts.totalCount);
      }),
    );
  });

  test('is read correctly by HdrHistogram', () => {
    fc.assert(
      fc.property(valuesAndCounts, (values) => {
        const library = decodeFromCompressedBase64(encodeHistogram(decodedHistogram(values)), 64);
        const expected = libraryHistogram(values);
        expect(library.totalCount).toBe(expected.totalCount);
        for (let percent = 0; percent <= 100; percent += 5) {
          expect(library.getValueAtPercentile(percent)).toBe(expected.getValueAtPercentile(percent));
        }
      }),
    );
  });

  test('from HdrHistogram is read with all counts', () => {
    fc.assert(
      fc.property(valuesAndCounts, (values) => {
        const counts = decodedHistogram(values);
        const expected = libraryHistogram(values);
        expect(counts.totalCount).toBe(expected.totalCount);
        for (let percent = 0; percent <= 100; percent += 5) {
          expect(counts.getValueAtPercentile(percent)).toBe(expected.getValueAtPercentile(percent));
        }
      }),
    );
  });

  test('of one value is short', () => {
    const counts = createHistogram();
    counts.recordValueWithCount(1234, 100_000);
    expect(encodeHistogram(counts).length).toBeLessThan(80);
  });
});

test('of each part adds up to the histogram of all samples', () => {
  fc.assert(
    fc.property(fc.array(valuesAndCounts, { maxLength: 4 }), (parts) => {
      const merged = createHistogram();
      for (const part of parts) merged.add(decoded(encodeHistogram(decodedHistogram(part))));
      const together = decodedHistogram(parts.flat());
      expect([...bucketsOf(merged)]).toEqual([...bucketsOf(together)]);
      expect(merged.totalCount).toBe(together.totalCount);
    }),
  );
});

describe('a text that is not a histogram', () => {
  const good = encodeHistogram(decodedHistogram([[5, 6]]));
  const tooHigh = libraryHistogram([]);
  tooHigh.autoResize = true;
  tooHigh.recordValue(HIGHEST_US * 10);

  test.each<[string, string]>([
    ['an empty text', ''],
    ['text that is not base64', '*** not base64 ***'],
    ['other data in base64', Buffer.from('a plain text of some length').toString('base64')],
    ['a truncated one', good.slice(0, -8)],
    ['one with a byte changed', `${good.slice(0, 20)}AAAA${good.slice(24)}`],
    ['other compressed data', framed(Buffer.from('x'.repeat(60)))],
    ['one with another length', framed(header({ length: 9 }))],
    ['two digits', framed(Buffer.concat([header({ digits: 2 }), Buffer.of(2)]))],
    ['another unit', framed(Buffer.concat([header({ unit: 1000n }), Buffer.of(2)]))],
    ['an incomplete count', framed(Buffer.concat([header({}), Buffer.of(0x80)]))],
    ['an excessive count', framed(Buffer.concat([header({ length: 9 }), Buffer.alloc(9, 0xff)]))],
    ['a decompression bomb', framed(Buffer.alloc(5_000_000))],
    ['a value of ten hours', encodeIntoCompressedBase64(tooHigh)],
  ])('%s is refused', (_, text) => {
    expect(decodeHistogram(text)).toBeNull();
  });

  test('a run of 2 ** 48 empty buckets takes little time and memory', () => {
    const run = Buffer.concat([header({ length: 7 }), Buffer.alloc(6, 0xff), Buffer.of(0x7f)]);
    const read = decoded(framed(run));
    expect(read.totalCount).toBe(0);
    expect(read.countsArrayLength).toBe(23 * 1024);
  });

  test('any text is read or refused', () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 200 }), (text) => {
        expect(decodeHistogram(text)).toBeNull();
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (payload) => {
        const text = framed(Buffer.concat([header({ length: payload.length }), payload]));
        const read = decodeHistogram(text);
        for (const [us, count] of read === null ? [] : bucketsOf(read)) {
          expect(us).toBeGreaterThanOrEqual(0);
          expect(count).toBeGreaterThan(0);
        }
      }),
    );
  });
});
