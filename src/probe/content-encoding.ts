import { brotliDecompress, gunzip, inflate, inflateRaw, type Zlib } from 'node:zlib';
import type { TransportFailure } from '../model/exchange.ts';

interface Unpacked {
  readonly bytes: Buffer;
  /** How many of the packed bytes belong to it. */
  readonly usedBytes: number;
}

type Decoder = (bytes: Buffer, maxBytes: number) => Promise<Unpacked>;

function decoderOf(unpack: typeof gunzip): Decoder {
  return (packed, maxBytes) =>
    new Promise((resolve, reject) => {
      unpack(packed, { maxOutputLength: maxBytes, info: true }, (error, result) => {
        if (error !== null) return reject(error);
        const { buffer, engine } = result as unknown as { buffer: Buffer; engine: Zlib };
        resolve({ bytes: buffer, usedBytes: engine.bytesWritten });
      });
    });
}

const unpackGzip = decoderOf(gunzip);
const unpackFramed = decoderOf(inflate);
const unpackRaw = decoderOf(inflateRaw);

const inflateEither: Decoder = (packed, maxBytes) => {
  // "deflate" means zlib framing, but servers that send raw deflate are common enough to be understood everywhere.
  const zlibFramed =
    packed.length >= 2 && ((packed[0] ?? 0) & 0x0f) === 8 && packed.readUInt16BE(0) % 31 === 0;
  return zlibFramed ? unpackFramed(packed, maxBytes) : unpackRaw(packed, maxBytes);
};

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', unpackGzip],
  ['x-gzip', unpackGzip],
  ['deflate', inflateEither],
  ['br', decoderOf(brotliDecompress as typeof gunzip)],
]);

const MAX_CODINGS = 3;
/** Text packs to a tenth or a fiftieth; what unpacks to more than this was made to. */
const MAX_TIMES = 200;
/** Unpacked, so much is no burden, whatever it came from. */
const FREE_BYTES = 1024 * 1024;

/** Undoes the content codings of a body, never making more than `maxBytes` of it, nor far more than it was. */
export async function decodeContent(
  bytes: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer } | { readonly failure: TransportFailure }> {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding.toLowerCase() !== 'identity');
  if (bytes.byteLength === 0) return { bytes };
  if (codings.length > MAX_CODINGS) return { failure: tooManyCodings(codings.length) };
  const mostBytes = Math.min(maxBytes, Math.max(FREE_BYTES, bytes.byteLength * MAX_TIMES));
  let decoded = bytes;
  for (const coding of codings.reverse()) {
    const decoder = DECODERS.get(coding.toLowerCase());
    if (decoder === undefined) return { failure: unaskedCoding(coding) };
    try {
      const unpacked = await decoder(decoded, mostBytes);
      const excessBytes = decoded.byteLength - unpacked.usedBytes;
      // The formats have no place for it. Browsers look away, but curl gives up, and so do Node and Go over gzip.
      if (excessBytes > 0) return refuse(`${excessBytes} bytes follow the end of its ${coding}`);
      decoded = unpacked.bytes;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE')
        return refuse(`it is not valid ${coding}`);
      return { failure: tooLarge(bytes.byteLength, mostBytes, maxBytes) };
    }
  }
  return { bytes: decoded };
}

function tooLarge(packedBytes: number, mostBytes: number, maxBytes: number): TransportFailure {
  const bound = mostBytes < maxBytes ? `${MAX_TIMES} times its ${packedBytes} bytes` : `${maxBytes} bytes`;
  return {
    code: 'body-too-large',
    fault: 'harness',
    message: `the body unpacks to more than ${bound}, which is more than the harness reads`,
  };
}

/** Identity was asked for, and a coding that the request does not list is not acceptable (RFC 9110, section 12.5.3). */
function unaskedCoding(coding: string): TransportFailure {
  return {
    code: 'unasked-coding',
    fault: 'server',
    message: `the body cannot be read: it comes in the content coding "${coding}", but the request asked for identity`,
  };
}

/** Any number of them is legal. */
function tooManyCodings(count: number): TransportFailure {
  return {
    code: 'undecodable-body',
    fault: 'harness',
    message: `the body has ${count} content codings, which is more than the harness undoes (${MAX_CODINGS})`,
  };
}

function refuse(why: string): { readonly failure: TransportFailure } {
  return {
    failure: { code: 'undecodable-body', fault: 'server', message: `the body cannot be decoded: ${why}` },
  };
}
