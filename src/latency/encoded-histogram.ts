import { Buffer } from 'node:buffer';
import { deflateSync, inflateSync } from 'node:zlib';
import {
  BUCKET_COUNT,
  type BucketCounts,
  bucketIndexOf,
  createBucketCounts,
  HIGHEST_US,
  highestOfBucketUs,
} from './bucket-counts.ts';

// HdrHistogram's V2 format, in which its tools of every language read and write. Written out here because the
// JavaScript one calls `eval`, and brings its own deflate and a WebAssembly module: 84 kB for these few lines.
const COMPRESSED_COOKIE = 0x1c849314;
const COOKIE = 0x1c849313;
const HEADER_BYTES = 40;
const SIGNIFICANT_DIGITS = 3;
/** At most nine bytes for each bucket; more than that is no histogram of ours, and may be a trap. */
const MAX_BYTES = HEADER_BYTES + 9 * BUCKET_COUNT;

export function encodeHistogram(counts: BucketCounts): string {
  const payload: number[] = [];
  let next = 0;
  counts.forEachBucket((index, count) => {
    // A run of empty buckets is one negative number; a single one is written as it is.
    if (index - next === 1) pushZigZag(payload, 0);
    else if (index > next) pushZigZag(payload, next - index);
    pushZigZag(payload, count);
    next = index + 1;
  });
  // An empty histogram has one empty bucket, as HdrHistogram writes it.
  if (next === 0) pushZigZag(payload, 0);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32BE(COOKIE, 0);
  header.writeInt32BE(payload.length, 4);
  header.writeInt32BE(1, 8);
  header.writeInt32BE(SIGNIFICANT_DIGITS, 12);
  header.writeBigInt64BE(1n, 16);
  header.writeBigInt64BE(BigInt(HIGHEST_US), 24);
  header.writeBigInt64BE(1n, 32);
  const compressed = deflateSync(Buffer.concat([header, Uint8Array.from(payload)]));
  const envelope = Buffer.alloc(8);
  envelope.writeInt32BE(COMPRESSED_COOKIE, 0);
  envelope.writeInt32BE(compressed.length, 4);
  return Buffer.concat([envelope, compressed]).toString('base64');
}

/**
 * The counts of each bucket are those encoded; minimum, maximum and mean are no longer exact but those of the buckets.
 * Throws where the text is not a histogram with three significant digits in units of 1.
 */
export function decodeHistogram(text: string): BucketCounts {
  const envelope = Buffer.from(text, 'base64');
  if (envelope.length < 8 || (envelope.readInt32BE(0) & ~0xf0) !== (COMPRESSED_COOKIE & ~0xf0)) {
    throw notAHistogram('it does not begin as a compressed V2 histogram in base64 does');
  }
  const length = envelope.readInt32BE(4);
  if (length !== envelope.length - 8) {
    throw notAHistogram(`it names ${length} bytes and has ${envelope.length - 8}`);
  }
  const data = inflate(envelope.subarray(8));
  if (data.length < HEADER_BYTES || (data.readInt32BE(0) & ~0xf0) !== (COOKIE & ~0xf0)) {
    throw notAHistogram('what is compressed in it has no V2 header');
  }
  if (data.readInt32BE(4) !== data.length - HEADER_BYTES) {
    throw notAHistogram('its header names another length than it has');
  }
  const digits = data.readInt32BE(12);
  const unit = data.readBigInt64BE(16);
  if (digits !== SIGNIFICANT_DIGITS || unit !== 1n) {
    throw notAHistogram(
      `it has ${digits} significant digits in units of ${unit}, and only 3 in units of 1 are read`,
    );
  }
  return readCounts(data);
}

export function mergeHistograms(texts: readonly string[]): BucketCounts {
  const merged = createBucketCounts();
  for (const text of texts) merged.add(decodeHistogram(text));
  return merged;
}

function readCounts(data: Buffer): BucketCounts {
  const counts = createBucketCounts();
  const highestIndex = bucketIndexOf(HIGHEST_US);
  let index = 0;
  let offset = HEADER_BYTES;
  while (offset < data.length) {
    const [value, end] = readZigZag(data, offset);
    offset = end;
    if (value <= 0) {
      index += value === 0 ? 1 : -value;
    } else {
      if (index > highestIndex)
        throw notAHistogram(`it has a value above ${highestOfBucketUs(highestIndex)} µs`);
      counts.addToBucket(index, value);
      index += 1;
    }
  }
  return counts;
}

function inflate(data: Uint8Array): Buffer {
  try {
    return inflateSync(data, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw notAHistogram(
      `its compressed part cannot be read (${error instanceof Error ? error.message : error})`,
    );
  }
}

/** Sign in the lowest bit, then seven bits at a time from the lowest. No count here is so large that it has a ninth byte. */
function pushZigZag(bytes: number[], value: number): void {
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

function readZigZag(data: Uint8Array, start: number): readonly [value: number, end: number] {
  let value = 0;
  let scale = 1;
  let offset = start;
  for (;;) {
    const byte = data[offset];
    if (byte === undefined) throw notAHistogram('it ends in the middle of a count');
    offset += 1;
    value += (byte & 0x7f) * scale;
    if (!(value <= Number.MAX_SAFE_INTEGER)) throw notAHistogram('it has a count too large to be one');
    if (byte < 0x80) break;
    scale *= 0x80;
  }
  return [value % 2 === 0 ? value / 2 : -(value + 1) / 2, offset];
}

function notAHistogram(reason: string): Error {
  return new Error(`This text is not a histogram of latencies: ${reason}.`);
}
