const MOST_BYTES = 64 * 1024;

/** The end of what a process prints: as much as tells why it failed, however long it runs. */
export interface OutputTail {
  readonly add: (chunk: Buffer) => void;
  text(): string;
}

export function createOutputTail(mostBytes = MOST_BYTES): OutputTail {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const kept = (): Buffer => Buffer.concat(chunks).subarray(-mostBytes);
  return {
    add: (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= 2 * mostBytes) return;
      // Copied, or a small end would hold the memory of all before it.
      chunks = [Buffer.from(kept())];
      bytes = mostBytes;
    },
    text: () => kept().toString('utf8'),
  };
}

const MOST_LINES = 20;
const MOST_LINE_CHARACTERS = 300;

/** The last lines, indented, for a message; empty where nothing was printed. */
export function lastLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines
    .slice(-MOST_LINES)
    .map(
      (line) => `  ${line.length > MOST_LINE_CHARACTERS ? `${line.slice(0, MOST_LINE_CHARACTERS)}…` : line}`,
    );
}
