import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Behaviour } from './behaviour.ts';
import { CLEAN, failing, keyRequired, otherStatus, unjudged, unreadable } from './finds.ts';
import { bytesOf, CHUNKED, chunks, headOf, once, pieces, sending, withBody } from './wire.ts';

type Encode = (body: Buffer) => Buffer;

const gzip: Encode = (body) => gzipSync(body);
const plain: Encode = (body) => body;
const undecodable = unreadable('undecodable-body');
const unasked = unreadable('unasked-coding');
const tooLarge = unjudged('body-too-large');
const CODING_FACT = 'although identity was requested';

function encoded(coding: string, encode: Encode): Behaviour['play'] {
  return sending((answer) =>
    bytesOf(withBody(answer, encode(answer.body)), { add: [`content-encoding: ${coding}`] }),
  );
}

function clean(id: string, words: string, coding: string, encode: Encode): Behaviour {
  return {
    id: `codings/${id}`,
    words,
    legal: true,
    play: encoded(coding, encode),
    finds: CLEAN,
    fact: CODING_FACT,
  };
}

function broken(id: string, words: string, coding: string, encode: Encode, finds = undecodable): Behaviour {
  return { id: `codings/${id}`, words, legal: false, play: encoded(coding, encode), finds };
}

/** For an unknown function, 404 is a refusal, but without an error body. */
const NOT_FOUND: Behaviour['finds'] = {
  ...otherStatus(404),
  execute: [
    ...otherStatus(404).execute.filter(({ row }) => row !== 'errors/unknown-function-rejected'),
    ...failing('status 404', 'errors/unknown-function-status'),
    ...failing('unasked-coding', 'errors/error-body', 'errors/unknown-function-code'),
  ],
};

/** An unexpected status, which is reported despite the coding. */
function refused(status: number, finds: Behaviour['finds']): Behaviour {
  return {
    id: `codings/unknown-${status}`,
    words: `answers ${status} with a coding that was not requested`,
    legal: false,
    play: sending((answer) => bytesOf({ ...answer, status }, { add: ['content-encoding: zstd'] })),
    finds,
  };
}

function times(count: number): Encode {
  return (body) => Array.from({ length: count }).reduce<Buffer>((inner) => gzipSync(inner), body);
}

const list = (count: number): string => Array.from({ length: count }, () => 'gzip').join(', ');

const MEGABYTE = 1024 * 1024;
const large = (): Buffer => Buffer.alloc(64 * MEGABYTE, ' ');
const gzipBomb = once(() => gzipSync(large()));
const brotliBomb = once(() =>
  brotliCompressSync(large(), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
);

export const codings: readonly Behaviour[] = [
  clean('gzip', 'compresses the body with gzip', 'gzip', gzip),
  clean('deflate', 'compresses the body with deflate', 'deflate', (body) => deflateSync(body)),
  clean('raw-deflate', 'compresses the body with deflate, without the zlib header', 'deflate', (body) =>
    deflateRawSync(body),
  ),
  clean('brotli', 'compresses the body with br', 'br', (body) => brotliCompressSync(body)),
  clean('identity', 'sends Content-Encoding: identity', 'identity', plain),
  clean('x-gzip', 'compresses the body with gzip and declares it as x-gzip', 'x-gzip', gzip),
  clean('upper-case', 'compresses the body with gzip and declares it as GZIP', 'GZIP', gzip),
  clean('members', 'compresses the body as two members of gzip', 'gzip', (body) =>
    Buffer.concat([gzipSync(body.subarray(0, 9)), gzipSync(body.subarray(9))]),
  ),
  clean('two', 'compresses the body with deflate and then br', 'deflate, br', (body) =>
    brotliCompressSync(deflateSync(body)),
  ),
  clean('three', 'compresses the body with gzip three times', list(3), times(3)),
  {
    id: 'codings/two-headers',
    words: 'compresses the body with deflate and then br, declared in two headers',
    legal: true,
    play: sending((answer) =>
      bytesOf(withBody(answer, brotliCompressSync(deflateSync(answer.body))), {
        add: ['content-encoding: deflate', 'content-encoding: br'],
      }),
    ),
    finds: CLEAN,
    fact: CODING_FACT,
  },
  {
    id: 'codings/chunked',
    words: 'compresses the body with gzip and sends it in chunks of 10 bytes',
    legal: true,
    play: sending((answer) =>
      Buffer.concat([
        headOf(answer, { framing: CHUNKED, add: ['content-encoding: gzip'] }),
        chunks(pieces(gzipSync(answer.body), 10)),
      ]),
    ),
    finds: CLEAN,
    fact: CODING_FACT,
  },
  {
    id: 'codings/ten',
    words: 'compresses the body with gzip ten times',
    legal: true,
    play: encoded(list(10), times(10)),
    finds: unjudged('undecodable-body'),
  },
  broken('garbage-after', 'sends bytes after the end of the gzip stream', 'gzip', (body) =>
    Buffer.concat([gzipSync(body), Buffer.from('garbage')]),
  ),
  broken('plain', 'declares gzip, and sends the body uncompressed', 'gzip', plain),
  broken('brotli-as-gzip', 'compresses the body with br, and declares gzip', 'gzip', (body) =>
    brotliCompressSync(body),
  ),
  broken('truncated', 'sends half of the gzip stream', 'gzip', (body) => {
    const whole = gzipSync(body);
    return whole.subarray(0, whole.length >> 1);
  }),
  broken('bad-checksum', 'sends a gzip stream with a wrong checksum', 'gzip', (body) => {
    const whole = gzipSync(body);
    whole[whole.length - 5] = (whole[whole.length - 5] ?? 0) ^ 0xff;
    return whole;
  }),
  broken('unknown', 'declares an unknown coding', 'zebra', plain, unasked),
  refused(401, keyRequired(401)),
  refused(404, NOT_FOUND),
  refused(503, otherStatus(503)),
  broken('inherited-name', 'declares the coding "constructor"', 'constructor', plain, unasked),
  {
    id: 'codings/empty',
    words: 'declares gzip, and sends an empty body',
    legal: false,
    play: encoded('gzip', () => Buffer.alloc(0)),
    finds: unreadable('the body is empty'),
  },
  {
    id: 'codings/gzip-bomb',
    words: 'sends 64 KB of gzip that decompress to 64 MB',
    legal: true,
    play: encoded('gzip', gzipBomb),
    finds: tooLarge,
  },
  {
    id: 'codings/brotli-bomb',
    words: 'sends a few bytes of br that decompress to 64 MB',
    legal: true,
    play: encoded('br', brotliBomb),
    finds: tooLarge,
  },
  {
    id: 'codings/nested-bomb',
    words: 'sends gzip of gzip that decompresses to 64 MB',
    legal: true,
    play: encoded('gzip, gzip', () => gzipSync(gzipBomb())),
    finds: tooLarge,
  },
];
