import type { Bytes } from './exchange.ts';

export function bytesFrom(buffer: Uint8Array): Bytes {
  const text = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength).toString('utf8');
  const exact = Buffer.byteLength(text) === buffer.byteLength && Buffer.from(text).equals(buffer);
  return exact ? { text } : { base64: Buffer.from(buffer).toString('base64') };
}

export function bufferFrom(bytes: Bytes): Buffer {
  return 'text' in bytes ? Buffer.from(bytes.text, 'utf8') : Buffer.from(bytes.base64, 'base64');
}
