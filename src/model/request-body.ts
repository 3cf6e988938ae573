import { bytesFrom } from './bytes.ts';
import type { SentBody } from './exchange.ts';
import type { RequestBody } from './probe.ts';

export function wholeBody(bytes: Uint8Array): RequestBody {
  return [{ bytes, times: 1 }];
}

export function byteLengthOf(body: RequestBody): number {
  return body.reduce((sum, { bytes, times }) => sum + bytes.byteLength * times, 0);
}

export function bytesOf(body: RequestBody): Buffer {
  const [only] = body;
  if (body.length === 1 && only?.times === 1) return Buffer.from(only.bytes);
  const all = Buffer.alloc(byteLengthOf(body));
  let start = 0;
  for (const { bytes, times } of body) {
    const end = start + bytes.byteLength * times;
    if (end > start) all.fill(bytes, start, end);
    start = end;
  }
  return all;
}

/** The body as stored in an exchange; `redact` removes the secrets from each part. */
export function sentBody(body: RequestBody | null, redact: (bytes: Buffer) => Buffer): SentBody | null {
  if (body === null) return null;
  const [only] = body;
  if (body.length === 1 && only?.times === 1) return bytesFrom(redact(Buffer.from(only.bytes)));
  return {
    parts: body.map(({ bytes, times }) => ({ ...bytesFrom(redact(Buffer.from(bytes))), times })),
  };
}
