import { Buffer } from 'node:buffer';
import { deflateSync, inflateSync } from 'node:zlib';
import { createHistogram, HIGHEST_US, type Histogram, SIGNIFICANT_DIGITS } from './histogram.ts';

// HdrHistogram's V2 format, which its tools in every language support. Not with the JavaScript library: it inflates
// without a limit, counts as many empty buckets as a text claims, ignores values above its highest, calls `eval`, and
// adds a second deflate.
const COMPRESSED_COOKIE = 0x1c849314;
const COOKIE = 0x1c849313;
const HEADER_BYTES = 40;
const HIGHEST_INDEX = createHistogram().countsArrayIndex(HIGHEST_US);
/** Nine bytes per bucket. A text that inflates to more is malicious, or not such a histogram. */
const MAX_BYTES = HEADER_BYTES + 9 * (HIGHEST_INDEX + 1);

export function encodeHistogram(histogram: Histogram): string {
  const payload: number[] = [];
  let next = 0;
  for (let index = 0; index < histogram.countsArrayLength; index += 1) {
    const count = histogram.getCountAtIndex(index);
    if (count === 0) continue;
    // A run of empty buckets is one negative number; a single one is written as 0.
    if (index - next === 1) pushZigZag(payload, 0);
    else if (index > next) pushZigZag(payload, next - index);
    pushZigZag(payload, count);
    next = index + 1;
  }
  // HdrHistogram writes an empty histogram as one empty bucket.
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

/** Null if the text is not a histogram with three significant digits in units of 1: users can edit a saved report. */
export function decodeHistogram(text: string): Histogram | null {
  const envelope = Buffer.from(text, 'base64');
  const isWhole = envelope.length >= 8 && envelope.readInt32BE(4) === envelope.length - 8;
  if (!isWhole || !beginsWith(COMPRESSED_COOKIE, envelope)) return null;
  const data = inflate(envelope.subarray(8));
  const isReadable =
    data.length >= HEADER_BYTES &&
    beginsWith(COOKIE, data) &&
    data.readInt32BE(4) === data.length - HEADER_BYTES &&
    data.readInt32BE(12) === SIGNIFICANT_DIGITS &&
    data.readBigInt64BE(16) === 1n;
  return isReadable ? readCounts(data) : null;
}

function beginsWith(cookie: number, data: Buffer): boolean {
  return (data.readInt32BE(0) & ~0xf0) === (cookie & ~0xf0);
}

function readCounts(data: Buffer): Histogram | null {
  const histogram = createHistogram();
  histogram.resize(HIGHEST_US);
  let index = 0;
  for (let offset = HEADER_BYTES; offset < data.length; ) {
    const [value, end] = readZigZag(data, offset);
    if (value === null || (value > 0 && index > HIGHEST_INDEX)) return null;
    offset = end;
    if (value > 0) histogram.setCountAtIndex(index, value);
    index += value < 0 ? -value : 1;
  }
  histogram.establishInternalTackingValues();
  return histogram;
}

/** Empty if the data cannot be inflated. */
function inflate(data: Uint8Array): Buffer {
  try {
    return inflateSync(data, { maxOutputLength: MAX_BYTES });
  } catch {
    return Buffer.alloc(0);
  }
}

/** The sign is the lowest bit; then seven bits at a time, lowest first. Counts here never need a ninth byte. */
function pushZigZag(bytes: number[], value: number): void {
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

/** Null for a count that is incomplete or too large. */
function readZigZag(data: Uint8Array, start: number): readonly [value: number | null, end: number] {
  let value = 0;
  for (let offset = start, scale = 1; value <= Number.MAX_SAFE_INTEGER; offset += 1, scale *= 0x80) {
    const byte = data[offset];
    if (byte === undefined) break;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER)
      return [value % 2 === 0 ? value / 2 : -(value + 1) / 2, offset + 1];
  }
  return [null, start];
}
