import { Buffer } from 'node:buffer';
import { deflateSync, inflateSync } from 'node:zlib';
import { createHistogram, HIGHEST_US, type Histogram, SIGNIFICANT_DIGITS } from './histogram.ts';

// HdrHistogram's V2 format, which its tools in every language support. Not with the JavaScript library: it inflates
// without a limit, counts as many empty buckets as a text claims, ignores values above its highest, calls `eval`, and
// adds a second deflate. `npm run bench -- histogram` compares size and speed.
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

/** Throws if the text is not a histogram with three significant digits in units of 1. */
export function decodeHistogram(text: string): Histogram {
  const envelope = Buffer.from(text, 'base64');
  if (envelope.length < 8 || (envelope.readInt32BE(0) & ~0xf0) !== (COMPRESSED_COOKIE & ~0xf0)) {
    throw notAHistogram('it does not begin like a compressed V2 histogram in base64');
  }
  const length = envelope.readInt32BE(4);
  if (length !== envelope.length - 8) {
    throw notAHistogram(`it declares ${length} bytes and has ${envelope.length - 8}`);
  }
  const data = inflate(envelope.subarray(8));
  if (data.length < HEADER_BYTES || (data.readInt32BE(0) & ~0xf0) !== (COOKIE & ~0xf0)) {
    throw notAHistogram('its compressed data has no V2 header');
  }
  if (data.readInt32BE(4) !== data.length - HEADER_BYTES) {
    throw notAHistogram('its header declares another length than it has');
  }
  const digits = data.readInt32BE(12);
  const unit = data.readBigInt64BE(16);
  if (digits !== SIGNIFICANT_DIGITS || unit !== 1n) {
    throw notAHistogram(
      `it has ${digits} significant digits in units of ${unit}; only 3 in units of 1 are supported`,
    );
  }
  return readCounts(data);
}

function readCounts(data: Buffer): Histogram {
  const histogram = createHistogram();
  histogram.resize(HIGHEST_US);
  let index = 0;
  let offset = HEADER_BYTES;
  while (offset < data.length) {
    const [value, end] = readZigZag(data, offset);
    offset = end;
    if (value <= 0) {
      index += value === 0 ? 1 : -value;
    } else {
      if (index > HIGHEST_INDEX)
        throw notAHistogram(`it has a value above ${histogram.highestEquivalentValue(HIGHEST_US)} µs`);
      histogram.setCountAtIndex(index, value);
      index += 1;
    }
  }
  histogram.establishInternalTackingValues();
  return histogram;
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

/** The sign is the lowest bit; then seven bits at a time, lowest first. Counts here never need a ninth byte. */
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
    if (!(value <= Number.MAX_SAFE_INTEGER)) throw notAHistogram('it has a count too large to be valid');
    if (byte < 0x80) break;
    scale *= 0x80;
  }
  return [value % 2 === 0 ? value / 2 : -(value + 1) / 2, offset];
}

function notAHistogram(reason: string): Error {
  return new Error(`This text is not a histogram of latencies: ${reason}.`);
}
