import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, test } from 'vitest';
import {
  type BucketCounts,
  createBucketCounts,
  HIGHEST_US,
  highestOfBucketUs,
} from '../../src/latency/bucket-counts.ts';
import { decodeHistogram, encodeHistogram, mergeHistograms } from '../../src/latency/encoded-histogram.ts';

const valueAndCount = fc.tuple(
  fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: HIGHEST_US })),
  fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 1e12 })),
);
const valuesAndCounts = fc.uniqueArray(valueAndCount, { maxLength: 60 });

type Values = readonly (readonly [us: number, count: number])[];

function theirsOf(values: Values) {
  const theirs = build({ highestTrackableValue: HIGHEST_US, bitBucketSize: 64, autoResize: false });
  for (const [us, count] of values) theirs.recordValueWithCount(us, count);
  return theirs;
}

/** By the other implementation, so that ours is not measured by itself. */
function oursOf(values: Values): BucketCounts {
  return decodeHistogram(encodeIntoCompressedBase64(theirsOf(values)));
}

function bucketsOf(counts: BucketCounts): readonly (readonly [number, number])[] {
  const buckets: [number, number][] = [];
  counts.forEachBucket((index, count) => buckets.push([index, count]));
  return buckets;
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
  test('decoded has the same counts', () => {
    fc.assert(
      fc.property(valuesAndCounts, (values) => {
        const counts = oursOf(values);
        const decoded = decodeHistogram(encodeHistogram(counts));
        expect(bucketsOf(decoded)).toEqual(bucketsOf(counts));
        expect(decoded.count).toBe(counts.count);
      }),
    );
  });

  test('is read by HdrHistogram as it was meant', () => {
    fc.assert(
      fc.property(valuesAndCounts, (values) => {
        const theirs = decodeFromCompressedBase64(encodeHistogram(oursOf(values)), 64);
        const expected = theirsOf(values);
        expect(theirs.totalCount).toBe(expected.totalCount);
        for (let percent = 0; percent <= 100; percent += 5) {
          expect(theirs.getValueAtPercentile(percent)).toBe(expected.getValueAtPercentile(percent));
        }
      }),
    );
  });

  test('of HdrHistogram is read with every count', () => {
    fc.assert(
      fc.property(valuesAndCounts, (values) => {
        const counts = oursOf(values);
        const expected = theirsOf(values);
        expect(counts.count).toBe(expected.totalCount);
        for (let percent = 0; percent <= 100; percent += 5) {
          expect(counts.valueAtPercentileUs(percent)).toBe(expected.getValueAtPercentile(percent));
        }
      }),
    );
  });

  test('has the bounds of its buckets for the least and the greatest', () => {
    const counts = createBucketCounts();
    for (const us of [5.4, 100_001]) counts.record(us);
    const decoded = decodeHistogram(encodeHistogram(counts));
    expect(decoded.minUs).toBe(5);
    expect(decoded.maxUs).toBe(100_031);
  });

  test('of one value is short', () => {
    const counts = createBucketCounts();
    for (let sample = 0; sample < 100_000; sample += 1) counts.record(1234);
    expect(encodeHistogram(counts).length).toBeLessThan(80);
  });
});

describe('merged histograms', () => {
  test('are the histogram of all samples', () => {
    fc.assert(
      fc.property(fc.array(valuesAndCounts, { maxLength: 4 }), (parts) => {
        const merged = mergeHistograms(parts.map((part) => encodeHistogram(oursOf(part))));
        const together = oursOf(parts.flat());
        expect(bucketsOf(merged)).toEqual(bucketsOf(together));
        expect(merged.count).toBe(together.count);
      }),
    );
  });
});

describe('what is no histogram', () => {
  const good = encodeHistogram(oursOf([[5, 6]]));
  const tooHigh = theirsOf([]);
  tooHigh.autoResize = true;
  tooHigh.recordValue(HIGHEST_US * 10);

  test.each<[string, string, string]>([
    ['nothing', '', 'does not begin'],
    ['no base64', '*** not base64 ***', 'does not begin'],
    [
      'something else in base64',
      Buffer.from('a plain text of some length').toString('base64'),
      'does not begin',
    ],
    ['a part of one', good.slice(0, -8), 'bytes'],
    ['one with a byte changed', `${good.slice(0, 20)}AAAA${good.slice(24)}`, 'compressed part'],
    ['another thing compressed', framed(Buffer.from('x'.repeat(60))), 'no V2 header'],
    ['one with another length', framed(header({ length: 9 })), 'another length'],
    ['two digits', framed(Buffer.concat([header({ digits: 2 }), Buffer.of(2)])), '2 significant digits'],
    ['another unit', framed(Buffer.concat([header({ unit: 1000n }), Buffer.of(2)])), 'units of 1000'],
    ['half a count', framed(Buffer.concat([header({}), Buffer.of(0x80)])), 'middle of a count'],
    [
      'a monstrous count',
      framed(Buffer.concat([header({ length: 9 }), Buffer.alloc(9, 0xff)])),
      'count too large',
    ],
    ['what inflates without end', framed(Buffer.alloc(5_000_000)), 'compressed part'],
    ['a value of ten hours', encodeIntoCompressedBase64(tooHigh), 'above 3600'],
  ])('%s is refused, and the message says why', (_, text, why) => {
    expect(() => decodeHistogram(text)).toThrow(/^This text is not a histogram of latencies: /);
    expect(() => decodeHistogram(text)).toThrow(why);
  });

  test('any text is read or refused, and nothing else', () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 200 }), (text) => {
        expect(() => decodeHistogram(text)).toThrow('This text is not a histogram');
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (payload) => {
        const text = framed(Buffer.concat([header({ length: payload.length }), payload]));
        try {
          decodeHistogram(text).forEachBucket((index, count) => {
            expect(highestOfBucketUs(index)).toBeGreaterThanOrEqual(0);
            expect(count).toBeGreaterThan(0);
          });
        } catch (error) {
          expect(String(error)).toContain('This text is not a histogram');
        }
      }),
    );
  });
});
