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

function theirsOf(values: Values) {
  const theirs = build({ highestTrackableValue: HIGHEST_US, bitBucketSize: 64, autoResize: false });
  for (const [us, count] of values) theirs.recordValueWithCount(us, count);
  return theirs;
}

/** Decoded from what the library wrote, so that our encoding is not tested with itself. */
function oursOf(values: Values): Histogram {
  return decodeHistogram(encodeIntoCompressedBase64(theirsOf(values)));
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
        expect([...bucketsOf(decoded)]).toEqual([...bucketsOf(counts)]);
        expect(decoded.totalCount).toBe(counts.totalCount);
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

test('decoded histograms added up are the histogram of all samples', () => {
  fc.assert(
    fc.property(fc.array(valuesAndCounts, { maxLength: 4 }), (parts) => {
      const merged = createHistogram();
      for (const part of parts) merged.add(decodeHistogram(encodeHistogram(oursOf(part))));
      const together = oursOf(parts.flat());
      expect([...bucketsOf(merged)]).toEqual([...bucketsOf(together)]);
      expect(merged.totalCount).toBe(together.totalCount);
    }),
  );
});

describe('a text that is not a histogram', () => {
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

  test('a run of 2 ** 48 empty buckets costs no time, and no memory', () => {
    const run = Buffer.concat([header({ length: 7 }), Buffer.alloc(6, 0xff), Buffer.of(0x7f)]);
    const decoded = decodeHistogram(framed(run));
    expect(decoded.totalCount).toBe(0);
    expect(decoded.countsArrayLength).toBe(23 * 1024);
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
          for (const [us, count] of bucketsOf(decodeHistogram(text))) {
            expect(us).toBeGreaterThanOrEqual(0);
            expect(count).toBeGreaterThan(0);
          }
        } catch (error) {
          expect(String(error)).toContain('This text is not a histogram');
        }
      }),
    );
  });
});
