import { brotliDecompress, gunzip, inflate, inflateRaw, type Zlib } from 'node:zlib';
import type { TransportFailure } from '../model/exchange.ts';

interface Unpacked {
  readonly bytes: Buffer;
  /** The number of compressed bytes that were consumed. */
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
  // "deflate" means zlib framing, but clients also accept raw deflate, which many servers send.
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
/** Text compresses to between a tenth and a fiftieth; a higher ratio indicates a decompression bomb. */
const MAX_EXPANSION = 200;
/** Output up to this size is allowed at any ratio. */
const FREE_BYTES = 1024 * 1024;

interface Failed {
  readonly failure: TransportFailure;
}

/** Decodes the content codings of a body. The output is limited to `maxBytes`, and to a multiple of the input. */
export async function decodeContent(
  bytes: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer } | Failed> {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding.toLowerCase() !== 'identity');
  if (bytes.byteLength === 0) return { bytes };
  if (codings.length > MAX_CODINGS)
    // HTTP allows any number of codings, so this is a limit of the harness.
    return failed(
      'undecodable-body',
      'harness',
      `the body has ${codings.length} content codings, which is more than the harness decodes (${MAX_CODINGS})`,
    );
  const maxOutputBytes = Math.min(maxBytes, Math.max(FREE_BYTES, bytes.byteLength * MAX_EXPANSION));
  let decoded = bytes;
  for (const coding of codings.reverse()) {
    const decoder = DECODERS.get(coding.toLowerCase());
    if (decoder === undefined)
      // The request accepts only identity, so a coding that it does not list is not acceptable (RFC 9110, section 12.5.3).
      return failed(
        'unasked-coding',
        'server',
        `the body cannot be read: it comes in the content coding "${coding}", but the request asked for identity`,
      );
    try {
      const unpacked = await decoder(decoded, maxOutputBytes);
      const excessBytes = decoded.byteLength - unpacked.usedBytes;
      // The formats do not allow excess bytes. Browsers ignore them, but curl fails, as do Node and Go with gzip.
      if (excessBytes > 0) return refuse(`${excessBytes} bytes follow the end of its ${coding}`);
      decoded = unpacked.bytes;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_BUFFER_TOO_LARGE')
        return refuse(`it is not valid ${coding}`);
      const bound =
        maxOutputBytes < maxBytes
          ? `${MAX_EXPANSION} times its ${bytes.byteLength} bytes`
          : `${maxBytes} bytes`;
      const message = `the body unpacks to more than ${bound}, which is more than the harness reads`;
      return failed('body-too-large', 'harness', message);
    }
  }
  return { bytes: decoded };
}

function refuse(why: string): Failed {
  return failed('undecodable-body', 'server', `the body cannot be decoded: ${why}`);
}

function failed(code: TransportFailure['code'], fault: TransportFailure['fault'], message: string): Failed {
  return { failure: { code, fault, message } };
}
