const FIRST_BYTES = 1024;

/**
 * Collects bytes that arrive in parts in one buffer that doubles in size. Keeping the parts would take a hundred times
 * the size for a body in chunks of one byte.
 */
export function createByteCollector() {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    length: (): number => length,
    add: (part: Uint8Array): void => {
      if (length + part.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, buffer.length * 2, length + part.length));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(part, length);
      length += part.length;
    },
    whole: (): Buffer => buffer.subarray(0, length),
  };
}
