const NEWLINE = 0x0a;

export interface LineListener {
  readonly onLine: (line: string) => void;
  /** A line is longer than `maxBytes`; the rest of it is left out. */
  readonly onTooLong: () => void;
}

/** Splits bytes into lines of UTF-8 text, without their ends; empty lines are left out. */
export function createLineReader(
  maxBytes: number,
  { onLine, onTooLong }: LineListener,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isTooLong = false;
  const add = (part: Buffer): void => {
    if (isTooLong) return;
    bytes += part.length;
    if (bytes <= maxBytes) {
      parts.push(part);
      return;
    }
    isTooLong = true;
    parts = [];
    onTooLong();
  };
  const end = (): void => {
    const line = (parts.length === 1 ? parts[0] : Buffer.concat(parts))?.toString('utf8').replace(/\r$/, '');
    parts = [];
    bytes = 0;
    if (!isTooLong && line !== undefined && line.trim() !== '') onLine(line);
    isTooLong = false;
  };
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  };
}
