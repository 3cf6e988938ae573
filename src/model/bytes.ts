import type { Bytes } from './exchange.ts';

const exactly = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function bytesFrom(buffer: Uint8Array): Bytes {
  try {
    return { text: exactly.decode(buffer) };
  } catch {
    return { base64: Buffer.from(buffer).toString('base64') };
  }
}

export function bufferFrom(bytes: Bytes): Buffer {
  return 'text' in bytes ? Buffer.from(bytes.text, 'utf8') : Buffer.from(bytes.base64, 'base64');
}
