const NEWLINE = 0x0a;

/**
 * Splits bytes into lines of UTF-8 text, without their ends; empty lines are left out. The function that it returns
 * takes the next bytes, and returns false when a line is longer than `maxBytes`.
 */
export function createLineReader(
  maxBytes: number,
  onLine: (line: string) => void,
): (chunk: Buffer) => boolean {
  let parts: Buffer[] = [];
  let bytes = 0;
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, end));
      const line = (parts.length === 1 ? parts[0] : Buffer.concat(parts))
        ?.toString('utf8')
        .replace(/\r$/, '');
      parts = [];
      bytes = 0;
      from = end + 1;
      if (line !== undefined && line.trim() !== '') onLine(line);
    }
    if (from === chunk.length) return true;
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    return bytes <= maxBytes;
  };
}
