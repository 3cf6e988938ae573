import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { TransportFailure } from '../model/exchange.ts';

type Decoder = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const inflateEither: Decoder = async (bytes, options) => {
  // "deflate" means zlib framing, but servers that send raw deflate are common enough to be understood everywhere.
  const zlibFramed = bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return zlibFramed ? promisify(inflate)(bytes, options) : promisify(inflateRaw)(bytes, options);
};

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip) as Decoder,
  'x-gzip': promisify(gunzip) as Decoder,
  deflate: inflateEither,
  br: promisify(brotliDecompress) as Decoder,
  identity: async (bytes) => bytes,
};

const MOST_CODINGS = 3;

/** Undoes the content codings of a body, never making more than `maxBytes` of it. */
export async function decodeContent(
  bytes: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer } | { readonly failure: TransportFailure }> {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '');
  if (bytes.byteLength === 0) return { bytes };
  if (codings.length > MOST_CODINGS) return refuse(`it has ${codings.length} content codings`);
  let decoded = bytes;
  for (const coding of codings.reverse()) {
    const name = coding.toLowerCase();
    const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
    if (decoder === undefined)
      return refuse(`its content coding "${coding}" was not asked for and is not known`);
    try {
      decoded = await decoder(decoded, { maxOutputLength: maxBytes });
    } catch (error) {
      const tooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
      if (tooLarge)
        return {
          failure: {
            code: 'body-too-large',
            fault: 'harness',
            message: `the body unpacks to more than ${maxBytes} bytes, which is more than the harness reads`,
          },
        };
      return refuse(`it is not valid ${coding}`);
    }
  }
  return { bytes: decoded };
}

function refuse(why: string): { readonly failure: TransportFailure } {
  return {
    failure: { code: 'undecodable-body', fault: 'server', message: `the body cannot be decoded: ${why}` },
  };
}
