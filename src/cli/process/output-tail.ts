const MAX_BYTES = 64 * 1024;

/** The end of what a process prints: as much as tells why it failed, however long it runs. */
export interface OutputTail {
  readonly add: (chunk: Buffer) => void;
  text(): string;
}

export function createOutputTail(maxBytes = MAX_BYTES): OutputTail {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const kept = (): Buffer => Buffer.concat(chunks).subarray(-maxBytes);
  return {
    add: (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= 2 * maxBytes) return;
      // Copied, or a small end would hold the memory of all before it.
      chunks = [Buffer.from(kept())];
      bytes = maxBytes;
    },
    text: () => kept().toString('utf8'),
  };
}

const MAX_LINES = 20;
const MAX_LINE_CHARACTERS = 300;

/** The last lines, indented, for a message; empty where nothing was printed. */
export function lastLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines
    .slice(-MAX_LINES)
    .map(
      (line) => `  ${line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line}`,
    );
}
